"""An index of any size, document by document."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.local.jsonl import write_lines
from spaniel.document_stores.opensearch.filter_split import PartialQuery, filter_queries
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.mapping import KEPT
from spaniel.document_stores.opensearch.point_in_time import PointInTime
from spaniel.document_stores.opensearch.reading import Reading, id_order
from spaniel.document_stores.opensearch.sources import document_of
from spaniel.filters import Filter, matches
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
        :param batch: how many documents one request asks for.
        :param after: go on after this id.
        :param return_embedding: whether they carry their embedding.
        :param keys: the metadata keys to fetch; such documents have no content and no embedding. None: everything.
        :raises FilterError: the filter is malformed.
        """
        parsed, fields = execute(self._parsed(filters), self._connection)
        several = filter_queries(filters, fields)
        seen: set[str] = set()
        for partial in several:
            reader = Pages(self._index, partial, parsed, batch, id_order(fields), return_embedding, keys)
            reader.after = after
            try:
                while not reader.ended:
                    for document in execute(reader.next(), self._connection):
                        if len(several) == 1 or document.id not in seen:
                            yield document
                            seen.update([document.id] if len(several) > 1 else ())
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

    :param partial: the query, and whether its answers are still to be compared with `filter`.
    :param size: documents in a page.
    :param order: the field that holds the id of each document once.
    :param embedding: whether the documents carry theirs.
    :param keys: the metadata keys to fetch; None: everything.
    """

    def __init__(
        self,
        index: Index,
        partial: PartialQuery,
        filter: Filter | None,
        size: int,
        order: str,
        embedding: bool,
        keys: Sequence[str] | None = None,
    ) -> None:
        self.after: str | None = None
        self.ended = False
        self._index, self._size, self._order = index, size, order
        self._filter = filter if partial.check else None
        source: dict[str, Any] = {}
        if keys is not None and self._filter is None:
            source = {"_source": ["id", *keys]}
        elif not embedding:
            source = {"_source": {"excludes": ["embedding", f"{KEPT}.embedding"]}}
        self._search = {
            "query": partial.query,
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
        documents = map(document_of, hits)
        return [each for each in documents if self._filter is None or matches(self._filter, each)]

    def close(self) -> Program[None]:
        """Let the moment go."""
        yield from self._moment.close()
