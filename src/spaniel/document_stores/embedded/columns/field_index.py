"""Filters answered by columns: sets of slots instead of a comparison per document."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from spaniel._engine import SlotSet
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.columns.column import Bounds, Column, range_key
from spaniel.filters import Comparison, Filter, Logic
from spaniel.filters.dates import parse_iso_instant
from spaniel.filters.equality import Members, is_member, plain
from spaniel.filters.field import FieldPath, field_value
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Json

MAX_COLUMNS = 64
"""Maximum number of columns, so that filters on arbitrary fields can't fill the memory."""
_ID = ("id",)
_POSITIVE = {"!=": "==", "not in": "in"}


def column_value(document: Document, path: FieldPath) -> Json:
    """Return the value of a field in the form that a column indexes."""
    try:
        return plain(field_value(document, path))
    except RecursionError:
        return ...  # irregular: the comparison decides


def holds_any(value: Json, wanted: Members) -> bool:
    """Return if a value is wanted, or is a list with a wanted element."""
    value = plain(value)
    elements = value if isinstance(value, (list, tuple)) else [value]
    return any(is_member(element, wanted, strict=False) for element in elements)


class FieldIndex(ABC):
    """Answers filters from the columns of their fields, as bounds of the matching documents.

    Not thread-safe: the store calls it under its lock.
    """

    @abstractmethod
    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        """Return the bounds of having any of these ids."""

    @abstractmethod
    def _everything(self) -> SlotSet:
        """Return the slots of all documents."""

    @abstractmethod
    def _column(self, path: FieldPath) -> Column:
        """Return the column of a field, filled."""

    def find_holders(self, path: FieldPath, values: Sequence[Json]) -> Bounds:
        """Return the bounds of holding any of `values`, itself or as an element of a list."""
        if path == _ID and all(map(_is_plain_text, values)):
            return self._of_ids(values)
        return self._column(path).find_holders(values, self._everything())

    def find_holders_of_any(self, wanted: Sequence[tuple[FieldPath, Sequence[Json]]]) -> Bounds:
        """Return the bounds of holding a value of any of several fields."""
        return Bounds.combine("OR", [self.find_holders(path, values) for path, values in wanted], self._everything())

    def find_bounds(self, filter: Filter, *, strict: bool) -> Bounds:
        """Return the bounds of a filter."""
        if not isinstance(filter, Comparison):
            return Bounds.combine(filter.operator, self._parts(filter, strict), self._everything())
        ids = {"==": [filter.value], "in": filter.value}.get(_POSITIVE.get(filter.operator, filter.operator))
        if filter.path == _ID and ids is not None and all(map(_is_plain_text, ids)):
            found = self._of_ids(ids)
            return found.negate(self._everything()) if OPERATORS[filter.operator].negated else found
        return self._column(filter.path).find_bounds(filter, strict, self._everything())

    def _parts(self, filter: Logic, strict: bool) -> list[Bounds]:
        if filter.operator == "OR":
            return [self.find_bounds(condition, strict=strict) for condition in filter.conditions]
        # Both ends of a range are looked up together: half of the documents may match each of them.
        ranges: dict[tuple[FieldPath, str], list[Comparison]] = {}
        others = []
        for condition in filter.conditions:
            if isinstance(condition, Comparison) and (key := range_key(condition)):
                ranges.setdefault(key, []).append(condition)
            else:
                others.append(self.find_bounds(condition, strict=strict))
        return others + [self._column(path).find_within(limits, strict) for (path, _), limits in ranges.items()]


def _is_plain_text(value: Json) -> bool:
    return type(value) is str and parse_iso_instant(value) is None
