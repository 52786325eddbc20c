"""An index of any size, document by document."""

import heapq
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.local.maintenance.jsonl import write_lines
from spaniel.document_stores.opensearch.filters.clauses import Query
from spaniel.document_stores.opensearch.filters.partial_queries import filter_queries
from spaniel.document_stores.opensearch.filters.verification import Accepts, document_test
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.documents import Reading, id_order
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE, PointInTime
from spaniel.document_stores.opensearch.schema.document_source import document_of
from spaniel.document_stores.opensearch.schema.mapping import KEPT
from spaniel.document_stores.validation import validate_count
from spaniel.runtime import Program, execute


class Iterating(Reading):
    """The method that reads everything, however much."""

    def iterate(
        self,
        filters: dict[str, Any] | None = None,
        *,
        batch: int = 1000,
        after: str | None = None,
        return_embedding: bool = True,
        keys: Sequence[str] | None = None,
    ) -> Iterator[Document]:
        """Yield the documents that match a filter, in the order of their ids, as they were at one moment.

        No more than a batch is held, so that an index of any size can be read.

        :param filters: what they must match; None: all documents.
        :param batch: how many documents one request asks for; more than 10,000 are asked for in several.
        :param after: go on after this id.
        :param return_embedding: whether they carry their embedding.
        :param keys: the metadata keys to fetch; such documents have no content and no embedding. None: everything.
        :raises ValueError: `batch` is less than 1.
        :raises FilterError: the filter is malformed.
        """
        batch = min(validate_count("batch", batch, positive=True), MAX_PAGE)
        parsed, fields = execute(self._parsed(filters), self._connection)
        readers = []
        for partial in filter_queries(filters, fields):
            test = document_test(parsed, fields) if partial.check else None
            reader = Pages(self._index, partial.query, test, batch, id_order(fields), return_embedding, keys)
            reader.after = after
            readers.append(self._all_of(reader))
        last = None
        for document in (
            heapq.merge(*readers, key=lambda document: document.id) if len(readers) > 1 else chain(*readers)
        ):
            if len(readers) == 1 or document.id != last:  # several queries may find one
                yield document
                last = document.id

    def _all_of(self, reader: "Pages") -> Iterator[Document]:
        try:
            while not reader.ended:
                yield from execute(reader.next(), self._connection)
        finally:
            execute(reader.close(), self._connection)

    def export(self, path: str | os.PathLike[str], *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Return how many documents were written to a file: each a line of JSON, with its embedding.

        :param path: the file. It is put in place of one that is there when it is whole.
        :param progress: called after each document with how many there are so far.
        :raises OSError: the file can't be written.
        """
        return write_lines(path, self.iterate(), progress)


class Pages:
    """One query's documents, a page at a time, as they were when the first was read.

    :param query: what finds them.
    :param accepts: decides where the query lets through too many; None: it does not.
    :param size: documents in a page.
    :param order: the field that holds the id of each document once.
    :param embedding: whether the documents carry theirs.
    :param keys: the metadata keys to fetch; None: everything.
    """

    def __init__(
        self,
        index: Index,
        query: Query,
        accepts: Accepts | None,
        size: int,
        order: str,
        embedding: bool,
        keys: Sequence[str] | None = None,
    ) -> None:
        self.after: str | None = None
        self.ended = False
        self._index, self._size, self._order = index, size, order
        self._accepts = accepts
        source: dict[str, Any] = {}
        if keys is not None and accepts is None:
            source = {"_source": ["id", *keys]}
        elif not embedding:
            source = {"_source": {"excludes": ["embedding", f"{KEPT}.embedding"]}}
        self._search = {
            "query": query,
            **source,
            "size": size,
            "sort": [{order: "asc"}],
            "track_total_hits": False,
        }
        self._moment = PointInTime(index)

    def next(self) -> Program[list[Document]]:
        """Return the next documents; `ended` says whether there are more."""
        after = {} if self.after is None else {"search_after": [self.after]}
        hits = (yield from self._moment.search({**self._search, **after}))["hits"]["hits"]
        self.ended = len(hits) < self._size
        if hits:
            [self.after] = hits[-1]["sort"]
        documents = (document_of(hit, content=self._index.content_field) for hit in hits)
        return [each for each in documents if self._accepts is None or self._accepts(each)]

    def close(self) -> Program[None]:
        """Let the moment go."""
        yield from self._moment.close()
