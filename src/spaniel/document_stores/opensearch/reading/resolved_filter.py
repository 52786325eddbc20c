"""The documents of a filter: queries, their verification, and a filter as one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.clauses import MAX_TERMS, Query, any_of, terms
from spaniel.document_stores.opensearch.filters.partial_queries import PartialQuery, filter_queries
from spaniel.document_stores.opensearch.filters.verification import DocumentTest, comparisons, document_test
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.pages import batches, read_hits, without_vectors
from spaniel.document_stores.opensearch.schema.document_source import to_document
from spaniel.errors import FilterError
from spaniel.filters import parse_filter
from spaniel.json_types import Filters, Json
from spaniel.runtime import Program

MAX_IDS = 500_000
"""Ids in a query: some ten megabytes of a request."""


@dataclass(frozen=True)
class ResolvedFilter:
    """Queries that find every document that passes, and the test for their unverified answers."""

    queries: Sequence[PartialQuery]
    test: DocumentTest

    @property
    def exact_query(self) -> Query | None:
        """The query that finds exactly the documents that pass, or None."""
        return self.queries[0].query if len(self.queries) == 1 and not self.queries[0].verify else None


def resolve_filter(index: Index, filters: Filters | None, *, for_changes: bool = False) -> Program[ResolvedFilter]:
    """Return a filter in the terms of an index; a filter `for_changes` must not be empty."""
    is_empty = not filters and (filters is None or isinstance(filters, Mapping))
    # `parse_filter` rejects None as malformed.
    node = None if is_empty and not for_changes else parse_filter(filters)  # type: ignore[arg-type]
    if for_changes:
        fields = (yield from index.ready_for_writes()).conservative()
    else:
        fields = yield from index.fields([] if node is None else [each.field for each in comparisons(node)])
    return ResolvedFilter(filter_queries(node, fields), document_test(node, fields))


def fetch_by_address(
    index: Index, resolved: ResolvedFilter, *, embedding: bool = False, source: Json = None
) -> Program[dict[str, Document]]:
    """Return the documents that pass a filter, by their ``_id`` on the server."""
    documents: dict[str, Document] = {}
    selected = without_vectors(index, embedding) if source is None else {"_source": source}
    for partial in resolved.queries:
        for hit in (yield from read_hits(index, {"query": partial.query, **selected})):
            document = to_document(hit, embedding=embedding, content=index.content_field)
            if not partial.verify or resolved.test(document):
                documents[hit["_id"]] = document
    return documents


def fetch_sorted(
    index: Index, resolved: ResolvedFilter, *, embedding: bool = False, source: Json = None
) -> Program[list[Document]]:
    """Return the documents that pass a filter, ordered by id."""
    documents = yield from fetch_by_address(index, resolved, embedding=embedding, source=source)
    return sorted(documents.values(), key=lambda document: document.id)


def fetch_query(index: Index, query: Query, source: Json) -> Program[list[Document]]:
    """Return the documents of a query, with a part of their ``_source``."""
    resolved = ResolvedFilter([PartialQuery(query)], lambda _: True)
    return list((yield from fetch_by_address(index, resolved, source=source)).values())


def address_queries(index: Index, resolved: ResolvedFilter) -> Program[list[Query]]:
    """Return queries that find exactly the documents that pass now; by ``_id`` if need be."""
    if (query := resolved.exact_query) is not None:
        return [query]
    return _by_address(sorted((yield from fetch_by_address(index, resolved))))


def filter_to_query(index: Index, filters: Filters | None) -> Program[Query | None]:
    """Return a filter as a query, which names the ids of fetched documents if no other is exact."""
    resolved = yield from resolve_filter(index, filters)
    if not filters:
        return None
    if (query := resolved.exact_query) is not None:
        return query
    ids = sorted((yield from fetch_by_address(index, resolved)))
    if len(ids) > MAX_IDS:
        raise FilterError(
            f"This filter can't be answered inside a search: the server can't compare all of its fields, and "
            f"{len(ids):,} documents pass, of which one search can name {MAX_IDS:,}. Narrow the filter."
        )
    return any_of(_by_address(ids))


def _by_address(ids: Sequence[str]) -> list[Query]:
    return [terms("_id", list(batch)) for batch in batches(ids, MAX_TERMS)]
