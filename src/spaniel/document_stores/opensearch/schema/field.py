"""One field of an index: its place, its kind, and the queries for the documents that have a value in it."""

from dataclasses import dataclass
from typing import Literal

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Bounds,
    Query,
    all_of,
    any_of,
    between,
    exact,
    none_of,
    term,
    terms,
)
from spaniel.document_stores.opensearch.schema.mapping import MARKS, kept_mark, list_mark, long_mark

Kind = Literal["missing", "string", "text", "number", "boolean", "date", "object", "other"]
"""``text`` is known by its words only; ``other`` is anything whose values no filter can be asked for."""

Presence = Literal["shown", "partly", "hidden"]
"""Whether the index shows the documents that have a value: all of them, some of them, or none."""

_LARGEST = 1.7976931348623157e308
_LONGEST_DATE = 64  # characters of a date in any spelling


@dataclass(frozen=True)
class Numbers:
    """A field that holds numbers.

    :param path: where it lies.
    :param smallest: what a query may name at least.
    :param largest: and at most.
    """

    path: str
    smallest: float
    largest: float


@dataclass(frozen=True)
class Field:
    """One field of an index.

    :param path: where it lies.
    :param kind: of what kind its values are.
    :param presence: whether the index shows which documents have a value.
    :param mapped: whether the mapping names it.
    :param nested: the list of objects that it lies in, where that is mapped as ``nested``.
    :param keyword: where its strings lie whole.
    :param longest: the longest string there; None: any.
    :param values: whether a script or an aggregation can read its values.
    :param dates: where those of its strings that are dates lie as such.
    :param integers: where its integers lie to the last digit.
    :param reals: where all its numbers lie.
    :param marked: whether each document says which of its values are lists, or too long.
    :param ignores: where values lie that are left out if they are no such values.
    :param leaves: for an object: the fields inside.
    :param apart: for an object: whether each is a document of its own.
    :param finds_empty: whether the empty string is found like every other.
    :param drops_long: whether a string that is too long may be in no index, and nothing else shows the document.
    """

    path: str
    kind: Kind
    presence: Presence = "shown"
    mapped: bool = True
    nested: str | None = None
    keyword: str | None = None
    longest: int | None = None
    values: bool = True
    dates: str | None = None
    integers: Numbers | None = None
    reals: Numbers | None = None
    marked: bool = False
    ignores: str | None = None
    leaves: tuple["Field", ...] = ()
    apart: bool = False
    finds_empty: bool = True
    drops_long: bool = False

    @property
    def distinct(self) -> str | None:
        """Where its values can be counted and put in order; None: nowhere."""
        if self.nested or "*" in self.path or not self.values:
            return None
        if self.kind == "string":
            return self.keyword
        if self.kind == "number":
            numbers = self.reals or self.integers
            return None if numbers is None else numbers.path
        return self.path if self.kind in {"boolean", "date"} else None

    @property
    def exact(self) -> bool:
        """Whether integers and fractions lie side by side, so that the server can tell which of both there are."""
        return self.integers is not None and self.reals is not None

    @property
    def hides_dates(self) -> bool:
        """Whether a string that is a date may be too long for the index."""
        return self.longest is not None and self.longest < _LONGEST_DATE

    def has_value(self) -> Bounds:
        """Return the condition that a document has a value."""
        if self.presence == "hidden":
            return Bounds(NONE, ALL, f"'{self.path}': the index does not show which documents have it")
        found = self.found()
        return exact(found) if self.presence == "shown" else Bounds(found, ALL)

    def found(self) -> Query:
        """Return the query for the documents of which the index shows that they have a value."""
        if self.kind == "missing" or self.presence == "hidden":
            return NONE
        if self.keyword == "_id":
            return ALL
        parts = [self._indexed()]
        if self.ignores and not self.nested:
            parts.append(term("_ignored", self.ignores))
        if self.marked:
            parts.append(terms(MARKS, [long_mark(self.path), kept_mark(self.path)]))
        if self.kind == "object" and not self.nested:
            parts.append({"prefix": {"_ignored": {"value": f"{self.path}."}}})
            parts += [{"prefix": {MARKS: {"value": long_mark(f"{self.path}.")}}}] if self.marked else []
        return any_of(parts)

    def is_list(self) -> Query:
        """Return the query for the documents whose value is a list; meaningless where no document says so."""
        return term(MARKS, list_mark(self.path))

    def uncounted(self) -> Query:
        """Return the query for the documents whose values the server can't count."""
        if self.kind == "missing" or self.nested:
            return NONE
        if self.distinct is None:
            return self.has_value().may
        return self.unseen() if self.kind == "string" else NONE

    def unseen(self) -> Query:
        """Return the query for the documents that may have a string of which the server knows nothing."""
        parts = [terms(MARKS, [long_mark(self.path), kept_mark(self.path)])] if self.marked else []
        if self.keyword and self.longest is not None:
            lacks = none_of(self._has(self.keyword))
            if self.drops_long:
                parts.append(lacks)
            elif self.keyword != self.path:
                parts.append(all_of([self._has(self.path), lacks]))
        if self.keyword and not self.finds_empty:
            parts.append(none_of(self._has(self.keyword)))
        return any_of(parts)

    def _indexed(self) -> Query:
        if self.kind == "number":
            return self._has((self.reals or self.integers or Numbers(self.path, 0, 0)).path)
        if self.apart:
            return {"nested": {"path": self.path, "query": ALL}}
        if self.kind == "object" and "*" in self.path:
            return any_of(leaf.found() for leaf in self.leaves)
        return self._has(self.path)

    def _has(self, path: str) -> Query:
        if (
            not self.finds_empty and path == self.keyword
        ):  # a server counts the empty string in one way and finds it in another
            return {"wildcard": {path: {"value": "?*"}}}
        if "*" not in path:
            return {"exists": {"field": path}}
        # There the star would stand for other fields too.
        if self.kind == "boolean":
            return terms(path, [True, False])
        if self.kind == "number":
            return between(path, gte=-_LARGEST)
        if self.kind == "date":
            return between(path, gte="0000-01-01", format="strict_date")
        return {"wildcard": {path: {"value": "*"}}}
