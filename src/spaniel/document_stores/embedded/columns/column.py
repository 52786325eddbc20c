"""The column of a field, and the bounds of matching slots that it returns."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from itertools import repeat
from operator import and_, contains, or_

from spaniel._engine import Postings, SlotSet
from spaniel.document_stores.embedded.columns.values import ODD_DATE, Values, is_regular, limit_kind
from spaniel.filters import Comparison, Filter
from spaniel.filters.equality import SCALARS, Operand, operand
from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Json

_MAX_LIST_LENGTH = 64  # longer lists, such as vectors, are compared: they need more memory than they save time
_LIMITS = (">", ">=", "<", "<=")
_CONTAINERS = (list, tuple, dict)

_TextTest = Callable[[list[str]], Iterable[object]]

Found = tuple[SlotSet, bool]
"""The slots of matching regular values, and if lists have to be compared."""


@dataclass(frozen=True)
class Bounds:
    """Bounds of the matching slots: those in `sure` match, those outside of `may` do not."""

    sure: SlotSet
    may: SlotSet

    def unsure(self) -> SlotSet:
        """Return the slots that only a comparison of the document decides."""
        return self.may - self.sure

    def negate(self, everything: SlotSet) -> "Bounds":
        """Return the bounds of the opposite.

        :param everything: the slots of all documents.
        """
        return Bounds(everything - self.may, everything - self.sure)

    @staticmethod
    def combine(operator: str, parts: Sequence["Bounds"], everything: SlotSet) -> "Bounds":
        """Return the bounds of filters under ``AND``, ``OR`` or ``NOT`` (not all of them)."""
        sure, may = [part.sure for part in parts], [part.may for part in parts]
        if operator == "OR":
            return Bounds(reduce(or_, sure, SlotSet()), reduce(or_, may, SlotSet()))
        every = Bounds(reduce(and_, sure), reduce(and_, may)) if parts else Bounds(everything, everything)
        return every.negate(everything) if operator == "NOT" else every


def _is_indexable(value: object) -> bool:
    """Return if a filter's value compares in a known way: not an object with methods of its own."""
    kind = type(value)
    return kind in SCALARS or kind in _CONTAINERS or kind is date or kind is datetime


def _has_indexable_value(comparison: Comparison) -> bool:
    values = comparison.value if isinstance(comparison.value, list) else [comparison.value]
    return _is_indexable(comparison.value) and all(map(_is_indexable, values))


def range_key(filter: Filter) -> tuple[FieldPath, str] | None:
    """Return the key of limits that are looked up together; None if not a limit."""
    if not isinstance(filter, Comparison) or filter.operator not in _LIMITS or not _has_indexable_value(filter):
        return None
    kind = limit_kind(filter.prepared)
    return None if kind is None or kind == ODD_DATE else (filter.path, kind)


class Column:
    """The slots by regular value and by regular element of a list; other values are compared."""

    def __init__(self) -> None:
        self._whole = Values()
        self._elements = Values()
        self._lists = Postings()  # of a single value, 0
        self._irregular = Postings()  # of a single value, 0

    def add(self, pairs: Iterable[tuple[int, Json]]) -> None:
        """Add slots with their values."""
        self._change(pairs, Values.add, Postings.add)

    def remove(self, pairs: Iterable[tuple[int, Json]]) -> None:
        """Remove slots with the values that they were added with."""
        self._change(pairs, Values.remove, Postings.remove)

    def _change(
        self,
        pairs: Iterable[tuple[int, Json]],
        change: Callable[[Values, list[tuple[int, Json]]], None],
        mark: Callable[[Postings, Sequence[int], Sequence[int]], None],
    ) -> None:
        whole: list[tuple[int, Json]] = []
        elements: list[tuple[int, Json]] = []
        lists, irregular = array("Q"), array("Q")
        for slot, value in pairs:
            if is_regular(value):
                whole.append((slot, value))
            elif type(value) is list and len(value) <= _MAX_LIST_LENGTH and all(map(is_regular, value)):
                elements += [(slot, element) for element in value]
                lists.append(slot)
            else:
                irregular.append(slot)
        change(self._whole, whole)
        change(self._elements, elements)
        mark(self._lists, [0] * len(lists), lists)
        mark(self._irregular, [0] * len(irregular), irregular)

    def bounds(self, comparison: Comparison, strict: bool, everything: SlotSet) -> Bounds:
        """Return the bounds of a comparison.

        :param strict: strict comparison of dates.
        :param everything: the slots of all documents.
        """
        if not _has_indexable_value(comparison):
            return Bounds(SlotSet(), everything)
        find = _FINDERS[comparison.operator.removeprefix("not ").replace("!=", "==")]
        sure, lists = find(self, comparison, strict)
        unsure = self._irregular.union([0]) | self._lists.union([0]) if lists else self._irregular.union([0])
        bounds = Bounds(sure, sure | unsure)
        return bounds.negate(everything) if OPERATORS[comparison.operator].negated else bounds

    def within(self, limits: Sequence[Comparison], strict: bool) -> Bounds:
        """Return the bounds of all of several comparisons with the same `range_key`."""
        codes = self._whole.within([(limit.operator, limit.prepared) for limit in limits], strict)
        return self._bounds(self._whole.slots(codes))

    def holding(self, values: Sequence[Json], everything: SlotSet) -> Bounds:
        """Return the bounds of holding any of the values, itself or as an element of a list."""
        if not all(map(_is_indexable, values)):
            return Bounds(SlotSet(), everything)
        others = [operand(value) for value in values]
        return self._bounds(_slots_of_any(self._whole, others, False) | _slots_of_any(self._elements, others, False))

    def _bounds(self, sure: SlotSet) -> Bounds:
        return Bounds(sure, sure | self._irregular.union([0]))

    def _with_text(self, test: _TextTest) -> SlotSet:
        return self._whole.slots(self._whole.texts(test))

    def _find_equal(self, comparison: Comparison, strict: bool) -> Found:
        return self._find_any([comparison.prepared], strict)

    def _find_in(self, comparison: Comparison, strict: bool) -> Found:
        return self._find_any([operand(value) for value in comparison.value], strict)

    def _find_any(self, others: list[Operand], strict: bool) -> Found:
        return _slots_of_any(self._whole, others, strict), any(type(other.value) in _CONTAINERS for other in others)

    def _find_within(self, comparison: Comparison, strict: bool) -> Found:
        return self._whole.slots(self._whole.within([(comparison.operator, comparison.prepared)], strict)), False

    def _containing(self, part: Operand, strict: bool) -> SlotSet:
        elements = _slots_of_any(self._elements, [part], strict)
        if not isinstance(part.value, str):
            return elements
        return elements | self._with_text(lambda texts: map(contains, texts, repeat(part.value)))

    def _find_containing(self, comparison: Comparison, strict: bool) -> Found:
        return self._containing(comparison.prepared, strict), False

    def _find_containing_any(self, comparison: Comparison, strict: bool) -> Found:
        parts = [self._containing(part, strict) for part in comparison.prepared]
        return reduce(or_, parts, SlotSet()), False

    def _find_containing_all(self, comparison: Comparison, strict: bool) -> Found:
        parts = [self._containing(part, strict) for part in comparison.prepared]
        if parts:
            return reduce(and_, parts), False
        return self._with_text(lambda texts: repeat(True, len(texts))) | self._lists.union([0]), False

    def _find_prefix(self, comparison: Comparison, _strict: bool) -> Found:
        prefix = comparison.prepared
        if not isinstance(prefix, str):
            return SlotSet(), False
        return self._any_text(lambda texts: map(str.startswith, texts, repeat(prefix)))

    def _find_like(self, comparison: Comparison, _strict: bool) -> Found:
        pattern = comparison.prepared
        return (SlotSet(), False) if pattern is None else self._any_text(lambda texts: map(pattern.fullmatch, texts))

    def _any_text(self, test: _TextTest) -> Found:
        return self._with_text(test) | self._elements.slots(self._elements.texts(test)), False


def _slots_of_any(values: Values, others: Iterable[Operand], strict: bool) -> SlotSet:
    codes = array("I")
    for other in others:
        codes += values.equal_to(other, strict)
    return values.slots(codes)


_FINDERS: Mapping[str, Callable[[Column, Comparison, bool], Found]] = {
    "==": Column._find_equal,  # noqa: SLF001 (of this module)
    "in": Column._find_in,  # noqa: SLF001
    **dict.fromkeys(_LIMITS, Column._find_within),  # noqa: SLF001
    "contains": Column._find_containing,  # noqa: SLF001
    "contains any": Column._find_containing_any,  # noqa: SLF001
    "contains all": Column._find_containing_all,  # noqa: SLF001
    "starts with": Column._find_prefix,  # noqa: SLF001
    "like": Column._find_like,  # noqa: SLF001
}
