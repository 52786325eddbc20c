"""Which documents hold a value under a key, and which pass a filter: columns of the fields that were asked for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from spaniel._engine import Postings, SlotSet
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.columns import Bounds, Column, joined, limit_of
from spaniel.filters import Comparison, Filter, Logic
from spaniel.filters.dates import iso_instant
from spaniel.filters.equality import Members, is_member, plain
from spaniel.filters.field import FieldPath, field_value
from spaniel.filters.operators import OPERATORS

MOST_COLUMNS = 64
"""How many fields have a column at most: whoever asks must not be able to fill the memory."""
_ID = ("id",)
_POSITIVE = {"!=": "==", "not in": "in"}


def value_of(document: Document, path: FieldPath) -> Any:
    """Return the value of a field, as a column takes it."""
    try:
        return plain(field_value(document, path))
    except RecursionError:
        return ...  # irregular: the comparison decides


class FieldIndex(ABC):
    """Answers filters by the columns of their fields.

    What it returns are bounds: the documents that match for sure, and those of which only a comparison can tell. Not
    thread-safe: the store calls it under its lock.
    """

    @abstractmethod
    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        """Return the bounds of having one of these ids."""

    @abstractmethod
    def _everything(self) -> SlotSet:
        """Return the slots of all documents."""

    @abstractmethod
    def _column(self, path: FieldPath) -> Column:
        """Return the column of a field, filled."""

    def holding(self, path: FieldPath, values: Sequence[Any]) -> Bounds:
        """Return the bounds of holding one of `values`: itself, or as an element of a list."""
        if path == _ID and all(map(_is_plain_text, values)):
            return self._of_ids(values)
        return self._column(path).holding(values, self._everything())

    def holding_any(self, wanted: Sequence[tuple[FieldPath, Sequence[Any]]]) -> Bounds:
        """Return the bounds of holding a value of any of several fields."""
        return joined("OR", [self.holding(path, values) for path, values in wanted], self._everything())

    def bounds(self, filter: Filter, *, strict: bool) -> Bounds:
        """Return the bounds of a filter.

        :param strict: strict comparison of dates.
        """
        if not isinstance(filter, Comparison):
            return joined(filter.operator, self._parts(filter, strict), self._everything())
        ids = {"==": [filter.value], "in": filter.value}.get(_POSITIVE.get(filter.operator, filter.operator))
        if filter.path == _ID and ids is not None and all(map(_is_plain_text, ids)):
            found = self._of_ids(ids)
            return found.negated(self._everything()) if OPERATORS[filter.operator].negated else found
        return self._column(filter.path).bounds(filter, strict, self._everything())

    def _parts(self, filter: Logic, strict: bool) -> list[Bounds]:
        if filter.operator == "OR":
            return [self.bounds(condition, strict=strict) for condition in filter.conditions]
        # Both ends of a range meet in the order of values: each alone may be passed by half of the documents.
        ranges: dict[tuple[FieldPath, str], list[Comparison]] = {}
        others = []
        for condition in filter.conditions:
            if isinstance(condition, Comparison) and (limit := limit_of(condition)):
                ranges.setdefault(limit, []).append(condition)
            else:
                others.append(self.bounds(condition, strict=strict))
        return others + [self._column(path).within(limits, strict) for (path, _), limits in ranges.items()]


class KeyIndex(FieldIndex):
    """The columns of a store. A field's is built at its first use, and kept up to date from then on.

    :param documents: the store's documents by slot, in store order; read at a column's first use.
    :param slot_of: their slots by id.
    """

    def __init__(self, documents: Mapping[int, Document], slot_of: Mapping[str, int]) -> None:
        self._documents = documents
        self._slot_of = slot_of
        self._columns: dict[FieldPath, Column] = {}
        self._stored = Postings()

    def add(self, documents: Mapping[int, Document]) -> None:
        """Take up documents by slot."""
        self._stored.add([0] * len(documents), list(documents))
        for path, column in self._columns.items():
            column.add((slot, value_of(document, path)) for slot, document in documents.items())

    def remove(self, documents: Mapping[int, Document]) -> None:
        """Forget documents."""
        self._stored.remove([0] * len(documents), list(documents))
        for path, column in self._columns.items():
            column.remove((slot, value_of(document, path)) for slot, document in documents.items())

    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        found = SlotSet([self._slot_of[id] for id in ids if id in self._slot_of])
        return Bounds(found, found)

    def _everything(self) -> SlotSet:
        return self._stored.union([0])

    def _column(self, path: FieldPath) -> Column:
        column = self._columns.get(path)
        if column is None:
            if len(self._columns) >= MOST_COLUMNS:
                del self._columns[next(iter(self._columns))]
            column = self._columns[path] = Column()
            column.add((slot, value_of(document, path)) for slot, document in self._documents.items())
        return column


def _is_plain_text(value: Any) -> bool:
    return type(value) is str and iso_instant(value) is None


def holds(value: Any, wanted: Members) -> bool:
    """Return whether a value is one of those wanted, or a list with such an element."""
    value = plain(value)
    elements = value if isinstance(value, (list, tuple)) else [value]
    return any(is_member(element, wanted, strict=False) for element in elements)
