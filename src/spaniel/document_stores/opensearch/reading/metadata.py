"""What the metadata of documents holds: types, ranges, distinct values; counted by the server."""

from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.document import RESERVED
from spaniel.document_stores.embedded.metadata import metadata_types, min_max, unique_values
from spaniel.document_stores.opensearch.filters.clauses import ALL, NONE, all_of
from spaniel.document_stores.opensearch.filters.partial_queries import PartialQuery
from spaniel.document_stores.opensearch.filters.verification import document_test
from spaniel.document_stores.opensearch.reading.documents import Reading, id_order
from spaniel.document_stores.opensearch.reading.pages import COMPLETE, by_address
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import FOR_SPLITTERS, KEPT, MARKS, units
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.document_stores.validation import validate_count
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.runtime import Program, async_method, sync_method

_VALUES_A_REQUEST = 10_000
_TYPES = {"int": "long", "float": "double"}
"""What a server calls the types of values that no index has seen."""
_EXACT_TO = 40_000  # distinct values: the most that the server counts nearly exactly


class Metadata(Reading):
    """The methods that tell about metadata."""

    @sync_method
    def get_metadata_fields_info(self) -> Program[dict[str, dict[str, str]]]:
        """Return the metadata keys of all documents, each with its type in the index, such as ``keyword`` or ``long``."""
        self._index.forget()
        fields = yield from self._index.fields([""])
        own = {
            name: rule
            for name, rule in fields.properties.items()
            if name not in {*RESERVED, KEPT, MARKS, self._index.content_field, *FOR_SPLITTERS}
        }
        types = {name: str(rule.get("type", "object")) for name, rule in own.items()}
        numbers = [
            (name, field.integers.path) for name in own if (field := fields.named(name)).exact and field.integers
        ]
        if numbers:  # all are mapped alike; a fraction is left out of the integers beside it
            fractions = {name: {"term": {"_ignored": path}} for name, path in numbers}
            found = yield from self._aggregated({"aggs": {"fractions": {"filters": {"filters": fractions}}}})
            counts = found["fractions"]["buckets"]
            types |= {name: "double" if counts[name]["doc_count"] else "long" for name, _ in numbers}
        if fields.hides_unmapped:  # only the documents know which fields they have
            found = yield from by_address(
                self._index,
                [PartialQuery(ALL)],
                document_test(None, fields),
                embedding=False,
                order=id_order(fields),
                source={"excludes": [self._index.content_field, "embedding", KEPT]},
            )
            unmapped = metadata_types(found.values())
            types = {name: _TYPES.get(rule["type"], rule["type"]) for name, rule in unmapped.items()} | types
        return {name: {"type": kind} for name, kind in types.items()}

    get_metadata_fields_info_async = async_method(get_metadata_fields_info)

    @sync_method
    def get_metadata_field_min_max(self, metadata_field: str) -> Program[dict[str, Any]]:
        """Return the ``min`` and ``max`` of the numbers or strings under a field; None where there are none."""
        fields = yield from self._index.fields([metadata_field])
        field = fields.named(metadata_field)
        values = yield from self._uncounted(fields, metadata_field, None)
        if field.distinct is not None:
            orders = {"asc": {"_key": "asc"}, "desc": {"_key": "desc"}}
            search = {way: {"terms": {"field": field.distinct, "size": 1, "order": by}} for way, by in orders.items()}
            found = yield from self._aggregated({"aggs": search})
            values += [_plain(bucket["key"], field) for way in orders for bucket in found[way]["buckets"]]
        return min_max([Document(meta={"v": value}) for value in values], "v")

    get_metadata_field_min_max_async = async_method(get_metadata_field_min_max)

    @sync_method
    def count_unique_metadata_by_filter(
        self, filters: dict[str, Any], metadata_fields: list[str]
    ) -> Program[dict[str, int]]:
        """Return how many distinct values there are under each field, among the documents that match a filter.

        Counts above 40,000 are estimates.

        :param filters: an empty one matches all.
        :param metadata_fields: with or without ``meta.``; a field may be nested (``author.name``).
        """
        query = yield from self._query(filters)
        fields = yield from self._index.fields(metadata_fields)
        names = {name.removeprefix("meta."): fields.named(name).distinct for name in metadata_fields}
        aggregations = {
            f"c{place}": {"cardinality": {"field": field, "precision_threshold": _EXACT_TO}}
            for place, field in enumerate(names.values())
            if field is not None
        }
        counted = (yield from self._aggregated({"aggs": aggregations}, query)) if aggregations else {}
        counts = {}
        for place, name in enumerate(names):
            more = yield from self._uncounted(fields, name, query)
            counts[name] = int(counted.get(f"c{place}", {}).get("value", 0)) + len(more)
        return counts

    count_unique_metadata_by_filter_async = async_method(count_unique_metadata_by_filter)

    @sync_method
    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: dict[str, Any] | None = None,
    ) -> Program[tuple[list[Any], int]]:
        """Return one page of the distinct values under a field, in the order of their text, and how many there are.

        All distinct values are read, ten thousand a request, so that order and count are exact.

        :param metadata_field: with or without ``meta.``; it may be nested (``author.name``).
        :param search_term: what the text of a value must hold, in any case.
        :param from_: how many values come before the page.
        :param size: how many values the page has at most.
        :param filters: what the documents must match.
        :raises ValueError: `from_` or `size` is negative.
        """
        start, length = validate_count("from_", from_), validate_count("size", size)
        query = yield from self._query(filters)
        fields = yield from self._index.fields([metadata_field])
        values = yield from self._distinct(fields, metadata_field, query)
        found = sorted(values, key=lambda value: (str(value), type(value).__name__))
        if search_term:
            found = [value for value in found if search_term.lower() in str(value).lower()]
        return found[start : start + length], len(found)

    get_metadata_field_unique_values_async = async_method(get_metadata_field_unique_values)

    def _distinct(self, fields: Fields, name: str, query: dict[str, Any] | None) -> Program[list[Any]]:
        field = fields.named(name)
        values = yield from self._uncounted(fields, name, query)
        if field.distinct is None:
            return values
        after: dict[str, Any] = {}
        while True:
            source = {"size": _VALUES_A_REQUEST, "sources": [{"v": {"terms": {"field": field.distinct}}}], **after}
            answer = (yield from self._aggregated({"aggs": {"v": {"composite": source}}}, query))["v"]
            values += [_plain(bucket["key"]["v"], field) for bucket in answer["buckets"]]
            if len(answer["buckets"]) < _VALUES_A_REQUEST:
                return values
            after = {"after": answer["after_key"]}

    def _uncounted(self, fields: Fields, name: str, query: dict[str, Any] | None) -> Program[list[Any]]:
        """Return the distinct values of a field that the server can't count; they are read from the documents."""
        field = fields.named(name)
        hidden = all_of([query or ALL, field.uncounted()])
        if hidden == NONE:
            return []
        path = field_path(f"meta.{name.removeprefix('meta.')}")
        found = yield from by_address(
            self._index,
            [PartialQuery(hidden)],
            document_test(None, fields),
            embedding=False,
            order=id_order(fields),
            source=["id", "meta", field.path],
        )
        values = (plain(field_value(document, path)) for document in found.values())
        elements = [element for value in values for element in (value if isinstance(value, list) else [value])]
        if field.distinct is not None and field.longest is not None:
            elements = [each for each in elements if isinstance(each, str) and units(each) > field.longest]
        return unique_values([Document(meta={"v": each}) for each in elements], "v", None)

    def _aggregated(self, search: dict[str, Any], query: dict[str, Any] | None = None) -> Program[dict[str, Any]]:
        body = {**search, "size": 0, **({"query": query} if query else {})}
        answer = yield from answered(Ask("POST", self._index.path("_search"), body, COMPLETE), self._index.patience)
        found: dict[str, Any] = answer["aggregations"]
        return found


def _plain(key: Any, field: Field) -> Any:
    """Return the key of a bucket as metadata has it."""
    if field.kind == "boolean":
        return key in (True, "true")
    return int(key) if field.exact and float(key).is_integer() else key
