"""Documents by filter, id, key and range, and the iteration over a whole index."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import BLOCK_SIZE, CHILDREN, END, LEVEL, PARENT, ROOT, START
from spaniel.document_stores.opensearch.filters.partial_queries import PartialQuery, Range, range_filter, range_query
from spaniel.document_stores.opensearch.filters.verification import DocumentTest
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE, WITHOUT_VECTORS, PagedSearch, batches
from spaniel.document_stores.opensearch.reading.resolved_filter import (
    ResolvedFilter,
    fetch_by_address,
    fetch_sorted,
    resolve_filter,
)
from spaniel.document_stores.opensearch.schema.document_source import to_document
from spaniel.document_stores.opensearch.transport.http_request import Transport
from spaniel.document_stores.validation import validate_count, validate_ids
from spaniel.json_types import Filters, Json
from spaniel.runtime import Program, execute

_NODE = ["id", PARENT, ROOT, START, END, LEVEL, BLOCK_SIZE, CHILDREN, "path", "title", "section", "anchor"]
_COUNT_DOCUMENTS = {"min_score": "0"}
"""Without it, a server counts terms instead of documents, and `exists` misses empty texts."""


@dataclass(frozen=True)
class DocumentReader:
    """Fetches documents, ordered by id."""

    index: Index
    return_embedding: bool

    def count_documents(self) -> Program[int]:
        """Return the number of documents, with those that are in no search."""
        yield from self.index.ready()
        answer = yield from self.index.send("GET", "_count")
        return int(answer["count"])

    def count_documents_by_filter(self, filters: Filters) -> Program[int]:
        """Return the number of documents that match a filter; an empty filter matches all."""
        resolved = yield from resolve_filter(self.index, filters or None)
        if not resolved.queries:
            return 0
        query = resolved.exact_query
        if query is None:
            return len((yield from fetch_by_address(self.index, resolved)))
        body = {"query": query} if filters else None
        answer = yield from self.index.send("POST", "_count", body, _COUNT_DOCUMENTS)
        return int(answer["count"])

    def filter_documents(self, filters: Filters | None = None) -> Program[list[Document]]:
        """Return all documents that match a filter, however many; without a filter all documents.

        A single request for fewer than 2,000 documents, else pages of a point in time. A filter
        with more values or clauses than the server accepts is split.

        :param filters: see docs/filters.md.
        :raises FilterError: the filter is malformed.
        """
        resolved = yield from resolve_filter(self.index, filters)
        return (yield from self._fetch(resolved))

    def get_documents_by_id(self, document_ids: Sequence[str]) -> Program[list[Document]]:
        """Return the documents with these ids, with a request per thousand; unknown ids are
        ignored.

        :param document_ids: ids, in any order.
        """
        documents: list[Document] = []
        for batch in batches(sorted(set(validate_ids(document_ids)))):
            documents += yield from self.filter_documents(_with_ids(batch))
        return documents

    def get_nodes_by_id(self, document_ids: Sequence[str]) -> Program[list[Document]]:
        """Return the documents with these ids, only with their place in a hierarchy and in a file.

        :param document_ids: as for `get_documents_by_id`.
        """
        documents: list[Document] = []
        for batch in batches(sorted(set(validate_ids(document_ids)))):
            resolved = yield from resolve_filter(self.index, _with_ids(batch))
            documents += yield from fetch_sorted(self.index, resolved, source=_NODE)
        return documents

    def get_documents_by_key(
        self, key: str, values: Sequence[Json], filters: Filters | None = None
    ) -> Program[list[Document]]:
        """Return the documents that hold a value under a key.

        :param key: a metadata key, with or without ``meta.``, or ``id``.
        :param values: a document matches if its value is among them, or is a list with an
            equal element.
        :param filters: further conditions.
        :raises FilterError: the filter is malformed.
        """
        return self.get_documents_by_keys({key: values}, filters)

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Json]], filters: Filters | None = None
    ) -> Program[list[Document]]:
        """Return the documents that hold a value under any of several keys.

        :param values: for each key, as for `get_documents_by_key`.
        :param filters: further conditions.
        :raises FilterError: the filter is malformed.
        """
        # On this server, `in` matches elements of lists too.
        keys = [{"field": _field_name(key), "operator": "in", "value": list(each)} for key, each in values.items()]
        either = keys[0] if len(keys) == 1 else {"operator": "OR", "conditions": keys}
        both = {"operator": "AND", "conditions": [filters, either]} if filters else either
        return self.filter_documents(both)

    def get_documents_in_ranges(
        self, source_fields: Sequence[str], number_field: str, ranges: Sequence[Range]
    ) -> Program[list[Document]]:
        """Return the documents whose number lies in one of several ranges, each of a source.

        :param source_fields: the metadata fields that identify the source of a document.
        :param number_field: the metadata field with its number in the source.
        :param ranges: for each range, the values of the source fields, its first and its last
            number.
        """
        fields = yield from self.index.fields([*source_fields, number_field])
        query = range_query([fields.get(name) for name in source_fields], fields.get(number_field), ranges)
        if query is None:
            return (yield from self.filter_documents(range_filter(source_fields, number_field, ranges)))
        return (yield from self._fetch(ResolvedFilter([PartialQuery(query)], lambda _: True)))

    def _fetch(self, resolved: ResolvedFilter) -> Program[list[Document]]:
        return fetch_sorted(self.index, resolved, embedding=self.return_embedding)


def iterate_documents(
    transport: Transport,
    index: Index,
    filters: Filters | None,
    batch: int,
    after: str | None,
    return_embedding: bool,
    keys: Sequence[str] | None,
) -> Iterator[Document]:
    """Yield the documents that match a filter: see `OpenSearchDocumentStore.iterate`."""
    size = min(validate_count("batch", batch, positive=True), MAX_PAGE)
    resolved = execute(resolve_filter(index, filters), transport)
    order = execute(index.ready(), transport).id_order
    readers = []
    for partial in resolved.queries:
        source = {} if return_embedding else WITHOUT_VECTORS
        if keys is not None and not partial.verify:
            source = {"_source": ["id", *keys]}
        search = {"query": partial.query, **source, "sort": [{order: "asc"}]}
        pages = PagedSearch(index, search, size, None if after is None else [after])
        readers.append(_documents_of(pages, transport, index, resolved.test if partial.verify else None))
    if len(readers) <= 1:
        yield from chain(*readers)
        return
    last = None
    for document in heapq.merge(*readers, key=lambda document: document.id):
        if document.id != last:  # several queries may find the same document
            yield document
            last = document.id


def _documents_of(
    pages: PagedSearch, transport: Transport, index: Index, test: DocumentTest | None
) -> Iterator[Document]:
    try:
        while not pages.ended:
            for hit in execute(pages.next_page(), transport):
                document = to_document(hit, content=index.content_field)
                if test is None or test(document):
                    yield document
    finally:
        execute(pages.close(), transport)


def _with_ids(ids: Sequence[str]) -> Filters:
    return {"field": "id", "operator": "in", "value": list(ids)}


def _field_name(key: str) -> str:
    return key if key in Document.__dataclass_fields__ or key.startswith("meta.") else f"meta.{key}"
