"""Which documents hold a value under a key: hash look-ups that spare a filter most of its documents."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters import Comparison, Filter, Logic
from spaniel.filters.dates import iso_instant
from spaniel.filters.field import FieldPath, field_path, field_value

_HASHABLE = (str, int, float)  # bool is an int; equal numbers of any of these types hash alike


def can_look_up(value: Any) -> bool:
    """Return whether equality with `value` is a hash look-up: text that is no date, or a number."""
    return isinstance(value, _HASHABLE) and iso_instant(value) is None


class _Column:
    """The values of one key: by scalar, by element of a list, and the slots of values that can't be hashed."""

    def __init__(self) -> None:
        self.scalars: dict[Any, dict[int, None]] = {}
        self.elements: dict[Any, dict[int, None]] = {}
        self.irregular: dict[int, None] = {}

    def add(self, slot: int, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, _HASHABLE):
            self.scalars.setdefault(value, {})[slot] = None
            return
        self.irregular[slot] = None
        if isinstance(value, (list, tuple)):
            for element in value:
                if isinstance(element, _HASHABLE):
                    self.elements.setdefault(element, {})[slot] = None

    def remove(self, slot: int, value: Any) -> None:
        self.irregular.pop(slot, None)
        keys = value if isinstance(value, (list, tuple)) else [value]
        for key in keys:
            if isinstance(key, _HASHABLE):
                for places in (self.scalars, self.elements):
                    slots = places.get(key, {})
                    slots.pop(slot, None)
                    if not slots:
                        places.pop(key, None)


class KeyIndex:
    """Look-ups by value for the keys that were asked for; a key's column is built at its first use.

    Not thread-safe: the store calls it under its lock.

    :param documents: the store's documents by slot, in store order; read at a column's first use.
    """

    def __init__(self, documents: Mapping[int, Document], slot_of: Mapping[str, int]) -> None:
        self._documents = documents
        self._slot_of = slot_of
        self._columns: dict[FieldPath, _Column] = {}

    def add(self, slot: int, document: Document) -> None:
        """Take up a document."""
        for path, column in self._columns.items():
            column.add(slot, field_value(document, path))

    def remove(self, slot: int, document: Document) -> None:
        """Forget a document."""
        for path, column in self._columns.items():
            column.remove(slot, field_value(document, path))

    def holding(self, key: str, values: Sequence[Any]) -> set[int]:
        """Return the slots whose value under `key` equals one of `values`, or is a list with such an element.

        :param values: text and numbers, each as `can_look_up` wants it.
        """
        if key == "id":
            return {self._slot_of[value] for value in values if value in self._slot_of}
        column = self._column(field_path(key))
        found: set[int] = set()
        for value in values:
            found.update(column.scalars.get(value, ()))
            found.update(column.elements.get(value, ()))
        return found

    def candidates(self, filter: Filter) -> Collection[int] | None:
        """Return slots among which all matches of a filter are, or None if only a scan can tell."""
        if isinstance(filter, Comparison):
            return self._candidates_of_comparison(filter)
        if isinstance(filter, Logic) and filter.operator in ("AND", "OR"):
            parts = [self.candidates(condition) for condition in filter.conditions]
            if filter.operator == "AND":
                return min((part for part in parts if part is not None), key=len, default=None)
            if all(part is not None for part in parts):
                return set().union(*(part for part in parts if part is not None))
        return None

    def _candidates_of_comparison(self, comparison: Comparison) -> Collection[int] | None:
        values = {"==": [comparison.value], "in": comparison.value}.get(comparison.operator)
        if not isinstance(values, list) or not all(can_look_up(value) for value in values):
            return None
        if comparison.path == ("id",):
            return self.holding("id", values)
        column = self._column(comparison.path)
        return set(column.irregular).union(*(column.scalars.get(value, ()) for value in values))

    def _column(self, path: FieldPath) -> _Column:
        column = self._columns.get(path)
        if column is None:
            column = self._columns[path] = _Column()
            for slot, document in self._documents.items():
                column.add(slot, field_value(document, path))
        return column
