"""A field of an index: its path, its kind, and the queries for documents with a value."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Query,
    QueryBounds,
    all_of,
    any_of,
    between,
    exact,
    none_of,
    term,
    terms,
)
from spaniel.document_stores.opensearch.schema.mapping import MARKS, list_mark, long_mark, unsearchable_mark

Kind: TypeAlias = Literal["missing", "string", "text", "number", "boolean", "date", "object", "other"]
"""``text`` is searchable by words only; the server can't compare values of ``other``."""

Presence: TypeAlias = Literal["shown", "partly", "hidden"]
"""The documents with a value that the index can find: all, some or none."""

_MAX_DOUBLE = 1.7976931348623157e308
_MAX_DATE_LENGTH = 64  # characters of a date in any spelling


@dataclass(frozen=True)
class Numbers:
    """A field that holds numbers, with the limits of queries."""

    path: str
    smallest: float
    largest: float


@dataclass(frozen=True)
class Field:
    """A field of an index."""

    path: str
    kind: Kind
    presence: Presence = "shown"
    mapped: bool = True
    nested_path: str | None = None  # the list of objects around it
    keyword: str | None = None  # the path of its whole strings
    max_length: int | None = None
    readable: bool = True  # by scripts and aggregations
    dates: str | None = None  # the path of those of its strings that are dates
    integers: Numbers | None = None
    reals: Numbers | None = None
    marked: bool = False  # documents have marks for lists and overlong strings
    ignored_path: str | None = None  # by which ``_ignored`` records malformed values
    children: tuple["Field", ...] = ()
    is_nested: bool = False  # each object is a document of its own
    indexes_empty: bool = True  # the empty string is found like every other
    may_drop_long: bool = False  # an overlong string may leave no trace

    @property
    def aggregation_path(self) -> str | None:
        """The path for aggregations over its values, or None."""
        if self.nested_path or "*" in self.path or not self.readable:
            return None
        if self.kind == "string":
            return self.keyword
        if self.kind == "number":
            numbers = self.reals or self.integers
            return None if numbers is None else numbers.path
        return self.path if self.kind in {"boolean", "date"} else None

    @property
    def has_exact_integers(self) -> bool:
        """True if integers and fractions are indexed separately, and so distinguished."""
        return self.integers is not None and self.reals is not None

    @property
    def may_hide_dates(self) -> bool:
        """True if a string that is a date may be too long for the index."""
        return self.max_length is not None and self.max_length < _MAX_DATE_LENGTH

    def has_value(self) -> QueryBounds:
        """Return the bounds of the documents with a value."""
        if self.presence == "hidden":
            return QueryBounds(NONE, ALL)
        visible = self.visible()
        return exact(visible) if self.presence == "shown" else QueryBounds(visible, ALL)

    def verify_all(self) -> QueryBounds:
        """Return the bounds of a condition that needs every document with the field to be fetched."""
        return QueryBounds(NONE, self.has_value().upper)

    def visible(self) -> Query:
        """Return the query for the documents whose value the index shows."""
        if self.kind == "missing" or self.presence == "hidden":
            return NONE
        if self.keyword == "_id":
            return ALL
        parts = [self._query_indexed()]
        if self.ignored_path and not self.nested_path:
            parts.append(term("_ignored", self.ignored_path))
        if self.marked:
            parts.append(terms(MARKS, [long_mark(self.path), unsearchable_mark(self.path)]))
        if self.kind == "object" and not self.nested_path:
            parts.append({"prefix": {"_ignored": {"value": f"{self.path}."}}})
            parts += [{"prefix": {MARKS: {"value": long_mark(f"{self.path}.")}}}] if self.marked else []
        return any_of(parts)

    def is_list(self) -> Query:
        """Return the query for the documents whose value is a list; requires `marked`."""
        return term(MARKS, list_mark(self.path))

    def query_uncounted(self) -> Query:
        """Return the query for the documents with values that no aggregation counts."""
        if self.kind == "missing" or self.nested_path:
            return NONE
        if self.aggregation_path is None:
            return self.has_value().upper
        return self.query_unindexed_strings() if self.kind == "string" else NONE

    def query_unindexed_strings(self) -> Query:
        """Return the query for the documents that may have a string outside the index."""
        parts = [terms(MARKS, [long_mark(self.path), unsearchable_mark(self.path)])] if self.marked else []
        if self.keyword and self.max_length is not None:
            lacks = none_of(self._exists(self.keyword))
            if self.may_drop_long:
                parts.append(lacks)
            elif self.keyword != self.path:
                parts.append(all_of([self._exists(self.path), lacks]))
        if self.keyword and not self.indexes_empty:
            parts.append(none_of(self._exists(self.keyword)))
        return any_of(parts)

    def _query_indexed(self) -> Query:
        if self.kind == "number":
            return self._exists((self.reals or self.integers or Numbers(self.path, 0, 0)).path)
        if self.is_nested:
            return {"nested": {"path": self.path, "query": ALL}}
        if self.kind == "object" and "*" in self.path:
            return any_of(child.visible() for child in self.children)
        return self._exists(self.path)

    def _exists(self, path: str) -> Query:
        if not self.indexes_empty and path == self.keyword:  # `exists` and `term` disagree on the empty string
            return {"wildcard": {path: {"value": "?*"}}}
        if "*" not in path:
            return {"exists": {"field": path}}
        # `exists` would expand the star to other fields.
        if self.kind == "boolean":
            return terms(path, [True, False])
        if self.kind == "number":
            return between(path, gte=-_MAX_DOUBLE)
        if self.kind == "date":
            return between(path, gte="0000-01-01", format="strict_date")
        return {"wildcard": {path: {"value": "*"}}}
