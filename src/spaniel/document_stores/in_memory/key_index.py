"""Which documents hold a value under a key: hash look-ups that spare a filter most of its documents."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters import Comparison, Filter
from spaniel.filters.dates import iso_instant
from spaniel.filters.equality import SCALARS, plain
from spaniel.filters.field import FieldPath, field_value

_MOST_COLUMNS = 64

Slots = dict[int, None]
"""A set that keeps its order."""


def can_look_up(value: Any) -> bool:
    """Return whether equality with `value` is a hash look-up: text that is no date, or a number."""
    return _is_hashable(value) and iso_instant(value) is None


def _is_hashable(value: Any) -> bool:
    # Of these very types: a subclass may hash otherwise than what it equals. NaN equals nothing.
    return value is not None and type(value) in SCALARS and value == value  # noqa: PLR0124


def _is_regular(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(type(element) in SCALARS for element in value)
    return type(value) in SCALARS


class _Column:
    """The slots of one key's values: by scalar, by element of a list, and those where only a comparison can tell."""

    def __init__(self) -> None:
        self.scalars: dict[Any, Slots] = {}
        self.elements: dict[Any, Slots] = {}
        self.irregular: Slots = {}

    def add(self, slot: int, value: Any) -> None:
        for places, key in self._places(value):
            places.setdefault(key, {})[slot] = None
        if not _is_regular(value):
            self.irregular[slot] = None

    def remove(self, slot: int, value: Any) -> None:
        self.irregular.pop(slot, None)
        for places, key in self._places(value):
            slots = places.get(key, {})
            slots.pop(slot, None)
            if not slots:
                places.pop(key, None)

    def _places(self, value: Any) -> list[tuple[dict[Any, Slots], Any]]:
        if isinstance(value, (list, tuple)):
            return [(self.elements, element) for element in value if _is_hashable(element)]
        return [(self.scalars, value)] if _is_hashable(value) else []


def _value(document: Document, path: FieldPath) -> Any:
    try:
        return plain(field_value(document, path))
    except RecursionError:
        return ...  # irregular: the comparison decides


class KeyIndex:
    """Look-ups by value for the keys that were asked for; a key's column is built at its first use.

    What it returns are candidates: every document that fits is among them. Not thread-safe: the store calls it under its
    lock.

    :param documents: the store's documents by slot, in store order; read at a column's first use.
    :param slot_of: their slots by id.
    """

    def __init__(self, documents: Mapping[int, Document], slot_of: Mapping[str, int]) -> None:
        self._documents = documents
        self._slot_of = slot_of
        self._columns: dict[FieldPath, _Column] = {}

    def add(self, slot: int, document: Document) -> None:
        """Take up a document."""
        self.add_all({slot: document})

    def add_all(self, documents: Mapping[int, Document]) -> None:
        """Take up documents by slot."""
        for path, column in self._columns.items():
            for slot, document in documents.items():
                column.add(slot, _value(document, path))

    def remove(self, slot: int, document: Document) -> None:
        """Forget a document."""
        for path, column in self._columns.items():
            column.remove(slot, _value(document, path))

    def holding(self, path: FieldPath, values: Sequence[Any]) -> Collection[int] | None:
        """Return slots among which are all whose value equals one of `values`, or is a list with such an element.

        :returns: None if only a scan can tell.
        """
        if not all(can_look_up(value) for value in values):
            return None
        if path == ("id",):
            return {self._slot_of[value] for value in values if value in self._slot_of}
        column = self._column(path)
        found = set(column.irregular)
        for value in values:
            found.update(column.scalars.get(value, ()), column.elements.get(value, ()))
        return found

    def candidates(self, filter: Filter) -> Collection[int] | None:
        """Return slots among which all matches of a filter are, or None if only a scan can tell."""
        if isinstance(filter, Comparison):
            values = {"==": [filter.value], "in": filter.value}.get(filter.operator)
            return None if values is None else self.holding(filter.path, values)
        parts = [self.candidates(condition) for condition in filter.conditions]
        known = [part for part in parts if part is not None]
        if filter.operator == "AND":
            return min(known, key=len, default=None)
        if filter.operator == "OR" and len(known) == len(parts):
            return set[int]().union(*known)
        return None

    def _column(self, path: FieldPath) -> _Column:
        column = self._columns.get(path)
        if column is None:
            if len(self._columns) >= _MOST_COLUMNS:  # whoever asks must not be able to fill the memory
                del self._columns[next(iter(self._columns))]
            column = self._columns[path] = _Column()
            for slot, document in self._documents.items():
                column.add(slot, _value(document, path))
        return column
