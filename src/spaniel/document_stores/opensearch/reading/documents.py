"""What the store answers without ranking: its documents by filter, id and key, and how many there are."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import BLOCK_SIZE, CHILDREN, LEVEL, PARENT
from spaniel.document_stores.opensearch.filters.clauses import MAX_TERMS, Query, any_of, terms
from spaniel.document_stores.opensearch.filters.partial_queries import PartialQuery, filter_queries
from spaniel.document_stores.opensearch.filters.ranges import as_filter, in_ranges
from spaniel.document_stores.opensearch.filters.verification import document_test
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.pages import by_address, every, parts
from spaniel.document_stores.opensearch.schema.document_source import document_of
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.transport.connection import Connection
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.document_stores.validation import validate_ids
from spaniel.errors import FilterError
from spaniel.filters import Comparison, Filter, parse_filter
from spaniel.runtime import Program, async_method, sync_method

_NODE = ["id", PARENT, LEVEL, BLOCK_SIZE, CHILDREN, "path", "title", "section", "anchor"]
_COUNTED = {"min_score": "0"}
"""So that a server counts documents. It counts terms otherwise, and misses texts without any (``exists`` of an empty text)."""

MAX_IDS = 500_000
"""Ids that one search names: some ten megabytes of a request."""


class Reading:
    """The methods that fetch. Documents stand in the order of their ids."""

    _connection: Connection
    _index: Index
    return_embedding: bool

    @property
    def _target(self) -> Connection:
        """The receiver of the requests of every method."""
        return self._connection

    @sync_method
    def count_documents(self) -> Program[int]:
        """Return how many documents the index holds, those included that are only kept."""
        yield from self._index.ready()
        answer = yield from answered(Ask("GET", self._index.path("_count")), self._index.patience)
        return int(answer["count"])

    count_documents_async = async_method(count_documents)

    @sync_method
    def count_documents_by_filter(self, filters: dict[str, Any]) -> Program[int]:
        """Return how many documents match a filter; an empty one matches all."""
        parsed, fields = yield from self._parsed(filters)
        queries = filter_queries(filters, fields) if parsed else []
        if parsed and not queries:
            return 0
        if len(queries) <= 1 and not any(query.check for query in queries):
            body = {"query": queries[0].query} if queries else None
            answer = yield from answered(Ask("POST", self._index.path("_count"), body, _COUNTED), self._index.patience)
            return int(answer["count"])
        test = document_test(parsed, fields)
        found = yield from by_address(self._index, queries, test, embedding=False, order=id_order(fields))
        return len(found)

    count_documents_by_filter_async = async_method(count_documents_by_filter)

    @sync_method
    def filter_documents(self, filters: dict[str, Any] | None = None) -> Program[list[Document]]:
        """Return all documents that match a filter, however many; without a filter all there are.

        One request where there are fewer than 2,000, else a point in time is read page by page. A filter with more values
        or clauses than the server takes is asked in parts.

        :raises FilterError: the filter is malformed.
        """
        return (yield from self._every(filters))

    filter_documents_async = async_method(filter_documents)

    def _every(self, filters: dict[str, Any] | None, *, embedding: bool | None = None) -> Program[list[Document]]:
        parsed, fields = yield from self._parsed(filters)
        embedding = self.return_embedding if embedding is None else embedding
        queries = filter_queries(filters, fields)
        test = document_test(parsed, fields)
        return (yield from every(self._index, queries, test, embedding=embedding, order=id_order(fields)))

    @sync_method
    def get_documents_by_id(self, document_ids: Sequence[str]) -> Program[list[Document]]:
        """Return the documents with these ids; unknown ids are left out.

        One request for a thousand ids.
        """
        ids = sorted(set(validate_ids(document_ids)))
        found: list[Document] = []
        for part in parts(ids):
            found += yield from self._every({"field": "id", "operator": "in", "value": list(part)})
        return found

    get_documents_by_id_async = async_method(get_documents_by_id)

    @sync_method
    def get_nodes_by_id(self, document_ids: Sequence[str]) -> Program[list[Document]]:
        """Return of the documents with these ids their place in a hierarchy and in a file: no text, no other metadata.

        :param document_ids: as `get_documents_by_id` takes them.
        """
        fields = yield from self._index.fields(["id"])
        found: list[Document] = []
        for part in parts(sorted(set(validate_ids(document_ids)))):
            queries = filter_queries({"field": "id", "operator": "in", "value": list(part)}, fields)
            nodes = yield from by_address(
                self._index,
                queries,
                document_test(None, fields),
                embedding=False,
                order=id_order(fields),
                source=_NODE,
            )
            found += sorted(nodes.values(), key=lambda document: document.id)
        return found

    get_nodes_by_id_async = async_method(get_nodes_by_id)

    @sync_method
    def get_documents_by_key(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> Program[list[Document]]:
        """Return the documents that hold one of `values` under `key`.

        :param key: a metadata key, with or without ``meta.``, or ``id``.
        :param values: a document holds a value if its own equals it, or is a list with an equal element.
        :param filters: what the documents must match besides.
        :raises FilterError: the filter is malformed.
        """
        return (yield from self._every(_holding({key: values}, filters)))

    get_documents_by_key_async = async_method(get_documents_by_key)

    @sync_method
    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Any]], filters: dict[str, Any] | None = None
    ) -> Program[list[Document]]:
        """Return the documents that hold one of the values of any of several keys.

        :param values: for each key, as `get_documents_by_key` takes them.
        :param filters: what the documents must match besides.
        :raises FilterError: the filter is malformed.
        """
        return (yield from self._every(_holding(values, filters)))

    get_documents_by_keys_async = async_method(get_documents_by_keys)

    @sync_method
    def get_documents_in_ranges(
        self, source_fields: Sequence[str], number_field: str, ranges: Sequence[tuple[Sequence[Any], Any, Any]]
    ) -> Program[list[Document]]:
        """Return the documents whose number lies in one of several ranges, each of one source.

        :param source_fields: the metadata fields that say which source a document is of.
        :param number_field: the metadata field with its number there.
        :param ranges: for each range the values of the source fields, its first and its last number.
        """
        fields = yield from self._index.fields([*source_fields, number_field])
        query = in_ranges([fields.named(name) for name in source_fields], fields.named(number_field), ranges)
        if query is None:
            filters = as_filter(source_fields, number_field, ranges)
            return (yield from self._every(filters))
        embedding = self.return_embedding
        queries, test = [PartialQuery(query)], document_test(None, fields)
        return (yield from every(self._index, queries, test, embedding=embedding, order=id_order(fields)))

    get_documents_in_ranges_async = async_method(get_documents_in_ranges)

    def _read_document(self, embedding: bool = True) -> Callable[..., Document]:
        """Return what makes the document of a hit."""
        return functools.partial(document_of, embedding=embedding, content=self._index.content_field)

    def _parsed(self, filters: dict[str, Any] | None) -> Program[tuple[Filter | None, Fields]]:
        parsed = parse_filter(filters) if filters else None
        fields = yield from self._index.fields(_names(parsed))
        return parsed, fields

    def _query(self, filters: dict[str, Any] | None) -> Program[Query | None]:
        """Return one query for a filter, or None where there is no filter.

        Where the server can't answer the filter in one query, what matches is looked up first, and named by its ids.

        :raises FilterError: so many documents match that their ids are more than one query holds.
        """
        parsed, fields = yield from self._parsed(filters)
        if parsed is None:
            return None
        queries = filter_queries(filters, fields)
        if len(queries) == 1 and not queries[0].check:
            return queries[0].query
        ids = yield from self._addresses(queries, parsed, fields)
        if len(ids) > MAX_IDS:
            raise FilterError(
                f"This filter can't be answered inside a search: the server can't compare all of its fields, and "
                f"{len(ids):,} documents pass, of which one search can name {MAX_IDS:,}. Narrow the filter."
            )
        return any_of([terms("_id", list(part)) for part in parts(ids, MAX_TERMS)])

    def _addresses(self, queries: Sequence[PartialQuery], parsed: Filter | None, fields: Fields) -> Program[list[str]]:
        """Return the ``_id`` of each document that passes a filter."""
        test = document_test(parsed, fields)
        found = yield from by_address(self._index, queries, test, embedding=False, order=id_order(fields))
        return sorted(found)


def _holding(values: Mapping[str, Sequence[Any]], filters: dict[str, Any] | None) -> dict[str, Any]:
    """Return the filter: on this server, ``in`` finds the elements of lists too."""
    keys = [{"field": _named(key), "operator": "in", "value": list(wanted)} for key, wanted in values.items()]
    links = keys[0] if len(keys) == 1 else {"operator": "OR", "conditions": keys}
    return {"operator": "AND", "conditions": [filters, links]} if filters else links


def id_order(fields: Fields) -> str:
    """Return the field that holds the id of each document once, to sort by."""
    return fields.named("id").keyword or "_id"


def _named(key: str) -> str:
    return key if key in Document.__dataclass_fields__ or key.startswith("meta.") else f"meta.{key}"


def _names(filter: Filter | None) -> Iterable[str]:
    if filter is None:
        return
    if isinstance(filter, Comparison):
        yield filter.field
        return
    for condition in filter.conditions:
        yield from _names(condition)
