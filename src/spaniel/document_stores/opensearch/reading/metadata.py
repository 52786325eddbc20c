"""Metadata of all documents: types, ranges and distinct values, aggregated by the server."""

from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.dataclasses.document import RESERVED
from spaniel.document_stores.embedded.metadata import metadata_types, min_max, unique_values
from spaniel.document_stores.opensearch.filters.clauses import ALL, NONE, Query, all_of
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.resolved_filter import fetch_query, filter_to_query
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import FOR_SPLITTERS, KEPT, MARKS, utf16_length
from spaniel.document_stores.validation import validate_count
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Filters, Json, JsonObject
from spaniel.runtime import Program

_BUCKETS = 10_000  # per request
_SERVER_TYPES = {"int": "long", "float": "double"}
_MAX_PRECISION = 40_000  # distinct values that the server counts nearly exactly


@dataclass(frozen=True)
class MetadataReader:
    """Reads types and values of metadata."""

    index: Index

    def get_metadata_fields_info(self) -> Program[dict[str, dict[str, str]]]:
        """Return the metadata keys of all documents with their types, such as ``keyword``."""
        self.index.expire_mapping()
        fields = yield from self.index.fields([""])
        own = {*RESERVED, KEPT, MARKS, self.index.content_field, *FOR_SPLITTERS}
        rules = {name: rule for name, rule in fields.properties.items() if name not in own}
        types = {name: str(rule.get("type", "object")) for name, rule in rules.items()}
        numbers = [
            (name, field.integers.path)
            for name in rules
            if (field := fields.get(name)).has_exact_integers and field.integers
        ]
        if numbers:  # all have the same mapping; the sub-field of integers ignores fractions
            fractions = {name: {"term": {"_ignored": path}} for name, path in numbers}
            answer = yield from self._aggregate({"fractions": {"filters": {"filters": fractions}}})
            counts = answer["fractions"]["buckets"]
            types |= {name: "double" if counts[name]["doc_count"] else "long" for name, _ in numbers}
        if fields.hides_unmapped:  # only the documents themselves show such fields
            source = {"excludes": [self.index.content_field, "embedding", KEPT]}
            documents = yield from fetch_query(self.index, ALL, source)
            unmapped = metadata_types(documents)
            types = {name: _SERVER_TYPES.get(rule["type"], rule["type"]) for name, rule in unmapped.items()} | types
        return {name: {"type": kind} for name, kind in types.items()}

    def get_metadata_field_min_max(self, metadata_field: str) -> Program[JsonObject]:
        """Return the ``min`` and ``max`` of the numbers or strings under a field, or None without
        any.

        :param metadata_field: with or without ``meta.``; it may be nested (``author.name``).
        """
        fields = yield from self.index.fields([metadata_field])
        field = fields.get(metadata_field)
        values = yield from self._read_uncounted(fields, metadata_field, None)
        if field.aggregation_path is not None:
            orders = {"asc": {"_key": "asc"}, "desc": {"_key": "desc"}}
            path = field.aggregation_path
            answer = yield from self._aggregate(
                {name: {"terms": {"field": path, "size": 1, "order": order}} for name, order in orders.items()}
            )
            values += [_to_value(bucket["key"], field) for name in orders for bucket in answer[name]["buckets"]]
        return min_max([Document(meta={"v": value}) for value in values], "v")

    def count_unique_metadata_by_filter(self, filters: Filters, metadata_fields: list[str]) -> Program[dict[str, int]]:
        """Return the number of distinct values under each field, among the documents that match a
        filter.

        Counts above 40,000 are estimates.

        :param filters: an empty filter matches all.
        :param metadata_fields: with or without ``meta.``; a field may be nested (``author.name``).
        """
        query = yield from filter_to_query(self.index, filters)
        fields = yield from self.index.fields(metadata_fields)
        paths = {name.removeprefix("meta."): fields.get(name).aggregation_path for name in metadata_fields}
        aggregations = {
            f"c{place}": {"cardinality": {"field": path, "precision_threshold": _MAX_PRECISION}}
            for place, path in enumerate(paths.values())
            if path is not None
        }
        answer = (yield from self._aggregate(aggregations, query)) if aggregations else {}
        counts = {}
        for place, name in enumerate(paths):
            uncounted = yield from self._read_uncounted(fields, name, query)
            counts[name] = int(answer.get(f"c{place}", {}).get("value", 0)) + len(uncounted)
        return counts

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> Program[tuple[list[Json], int]]:
        """Return a page of the distinct values under a field, ordered by their text, and their
        total.

        All distinct values are read, ten thousand per request, so that order and total are exact.

        :param metadata_field: with or without ``meta.``; it may be nested (``author.name``).
        :param search_term: a text that a value must contain, in any case.
        :param from_: number of values before the page.
        :param size: number of values per page.
        :param filters: restricts the documents.
        :raises ValueError: `from_` or `size` is negative.
        """
        start, length = validate_count("from_", from_), validate_count("size", size)
        query = yield from filter_to_query(self.index, filters)
        fields = yield from self.index.fields([metadata_field])
        values = yield from self._read_uncounted(fields, metadata_field, query)
        field = fields.get(metadata_field)
        if field.aggregation_path is not None:
            buckets = yield from self._read_buckets(field.aggregation_path, query)
            values += [_to_value(bucket["key"]["v"], field) for bucket in buckets]
        ordered = sorted(values, key=lambda value: (str(value), type(value).__name__))
        if search_term:
            ordered = [value for value in ordered if search_term.lower() in str(value).lower()]
        return ordered[start : start + length], len(ordered)

    def count_by_value(self, key: str) -> Program[dict[str, int]]:
        """Return the number of documents per text under a metadata key.

        :param key: with or without ``meta.``.
        """
        fields = yield from self.index.fields([key])
        if (path := fields.get(key).aggregation_path) is None:
            return {}
        buckets = yield from self._read_buckets(path, None)
        return {str(bucket["key"]["v"]): int(bucket["doc_count"]) for bucket in buckets}

    def _read_buckets(self, path: str, query: Query | None) -> Program[list[JsonObject]]:
        buckets: list[JsonObject] = []
        source: JsonObject = {"size": _BUCKETS, "sources": [{"v": {"terms": {"field": path}}}]}
        while True:
            answer = (yield from self._aggregate({"v": {"composite": source}}, query))["v"]
            buckets += answer["buckets"]
            if len(answer["buckets"]) < _BUCKETS:
                return buckets
            source["after"] = answer["after_key"]

    def _read_uncounted(self, fields: Fields, name: str, query: Query | None) -> Program[list[Json]]:
        """Return the distinct values of a field that no aggregation counts, from the documents."""
        field = fields.get(name)
        hidden = all_of([query or ALL, field.query_uncounted()])
        if hidden == NONE:
            return []
        path = field_path(f"meta.{name.removeprefix('meta.')}")
        documents = yield from fetch_query(self.index, hidden, ["id", "meta", field.path])
        values = (plain(field_value(document, path)) for document in documents)
        elements = [element for value in values for element in (value if isinstance(value, list) else [value])]
        if field.aggregation_path is not None and field.max_length is not None:
            elements = [each for each in elements if isinstance(each, str) and utf16_length(each) > field.max_length]
        return unique_values([Document(meta={"v": each}) for each in elements], "v", None)

    def _aggregate(self, aggregations: JsonObject, query: Query | None = None) -> Program[JsonObject]:
        body = {"aggs": aggregations, "size": 0, **({"query": query} if query else {})}
        result: JsonObject = (yield from self.index.search(body))["aggregations"]
        return result


def _to_value(key: Json, field: Field) -> Json:
    if field.kind == "boolean":
        return key in (True, "true")
    return int(key) if field.has_exact_integers and float(key).is_integer() else key
