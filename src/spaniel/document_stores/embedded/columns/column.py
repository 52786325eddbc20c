"""The column of one field."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import reduce
from itertools import repeat
from operator import and_, contains, or_
from typing import Any

from spaniel._engine import Postings, SlotSet
from spaniel.document_stores.embedded.columns.bounds import Bounds
from spaniel.document_stores.embedded.columns.values import ODD_DATE, Values, is_regular, kind_of_limit
from spaniel.filters import Comparison, Filter
from spaniel.filters.equality import SCALARS, Operand, operand
from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS

_LONGEST_LIST = 64  # the elements of longer ones, such as vectors, would take more room than they save time
_LIMITS = (">", ">=", "<", "<=")
_OF_LISTS = (list, tuple, dict)

_TextTest = Callable[[list[str]], Iterable[object]]

Found = tuple[SlotSet, bool]
"""The slots whose regular values pass, and whether lists have to be compared to tell."""


def _is_known(value: Any) -> bool:
    """Return whether it is known how a filter's value compares; it is not of objects that have methods of their own."""
    kind = type(value)
    return kind in SCALARS or kind in _OF_LISTS or kind is date or kind is datetime


def _are_known(comparison: Comparison) -> bool:
    values = comparison.value if isinstance(comparison.value, list) else [comparison.value]
    return _is_known(comparison.value) and all(map(_is_known, values))


def range_key(filter: Filter) -> tuple[FieldPath, str] | None:
    """Return what tells limits apart that can be laid on one order of values; None of other filters."""
    if not isinstance(filter, Comparison) or filter.operator not in _LIMITS or not _are_known(filter):
        return None
    kind = kind_of_limit(filter.prepared)
    return None if kind is None or kind == ODD_DATE else (filter.path, kind)


class Column:
    """Regular values, the regular elements of lists, and the slots of what only a comparison can tell."""

    def __init__(self) -> None:
        self._whole = Values()
        self._elements = Values()
        self._lists = Postings()  # of one value, 0
        self._irregular = Postings()  # of one value, 0

    def add(self, pairs: Iterable[tuple[int, Any]]) -> None:
        """Take up slots with a value each."""
        self._change(pairs, Values.add, Postings.add)

    def remove(self, pairs: Iterable[tuple[int, Any]]) -> None:
        """Take out slots with the values that they were taken up with."""
        self._change(pairs, Values.remove, Postings.remove)

    def _change(
        self,
        pairs: Iterable[tuple[int, Any]],
        change: Callable[[Values, list[tuple[int, Any]]], None],
        mark: Callable[[Postings, Sequence[int], Sequence[int]], None],
    ) -> None:
        whole: list[tuple[int, Any]] = []
        elements: list[tuple[int, Any]] = []
        lists, irregular = array("Q"), array("Q")
        for slot, value in pairs:
            if is_regular(value):
                whole.append((slot, value))
            elif type(value) is list and len(value) <= _LONGEST_LIST and all(map(is_regular, value)):
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
        if not _are_known(comparison):
            return Bounds(SlotSet(), everything)
        find = _FINDERS[comparison.operator.removeprefix("not ").replace("!=", "==")]
        sure, lists = find(self, comparison, strict)
        unsure = self._irregular.union([0]) | self._lists.union([0]) if lists else self._irregular.union([0])
        bounds = Bounds(sure, sure | unsure)
        return bounds.negate(everything) if OPERATORS[comparison.operator].negated else bounds

    def within(self, limits: Sequence[Comparison], strict: bool) -> Bounds:
        """Return the bounds of several comparisons that share a `range_key`: all of them hold."""
        codes = self._whole.ordered([(limit.operator, limit.prepared) for limit in limits], strict)
        sure = self._whole.slots(codes)
        return Bounds(sure, sure | self._irregular.union([0]))

    def holding(self, values: Sequence[Any], everything: SlotSet) -> Bounds:
        """Return the bounds of holding one of some values, itself or as an element of a list."""
        if not all(map(_is_known, values)):
            return Bounds(SlotSet(), everything)
        others = [operand(value) for value in values]
        sure = self._equal(others, False) | self._with_element(others, False)
        return Bounds(sure, sure | self._irregular.union([0]))

    def _equal(self, others: Iterable[Operand], strict: bool) -> SlotSet:
        return _slots_of_any(self._whole, others, strict)

    def _with_element(self, others: Iterable[Operand], strict: bool) -> SlotSet:
        return _slots_of_any(self._elements, others, strict)

    def _with_text(self, test: _TextTest) -> SlotSet:
        return self._whole.slots(self._whole.texts(test))

    def _equals(self, comparison: Comparison, strict: bool) -> Found:
        return self._among([comparison.prepared], strict)

    def _is_in(self, comparison: Comparison, strict: bool) -> Found:
        return self._among([operand(value) for value in comparison.value], strict)

    def _among(self, others: list[Operand], strict: bool) -> Found:
        return self._equal(others, strict), any(type(other.value) in _OF_LISTS for other in others)

    def _ordered(self, comparison: Comparison, strict: bool) -> Found:
        return self._whole.slots(self._whole.ordered([(comparison.operator, comparison.prepared)], strict)), False

    def _contains_part(self, part: Operand, strict: bool) -> SlotSet:
        elements = self._with_element([part], strict)
        if not isinstance(part.value, str):
            return elements
        return elements | self._with_text(lambda texts: map(contains, texts, repeat(part.value)))

    def _contains(self, comparison: Comparison, strict: bool) -> Found:
        return self._contains_part(comparison.prepared, strict), False

    def _contains_any(self, comparison: Comparison, strict: bool) -> Found:
        parts = [self._contains_part(part, strict) for part in comparison.prepared]
        return reduce(or_, parts, SlotSet()), False

    def _contains_all(self, comparison: Comparison, strict: bool) -> Found:
        parts = [self._contains_part(part, strict) for part in comparison.prepared]
        return reduce(and_, parts) if parts else self._with_text(
            lambda texts: repeat(True, len(texts))
        ) | self._lists.union([0]), False

    def _starts_with(self, comparison: Comparison, _strict: bool) -> Found:
        prefix = comparison.prepared
        if not isinstance(prefix, str):
            return SlotSet(), False
        return self._any_text(lambda texts: map(str.startswith, texts, repeat(prefix)))

    def _like(self, comparison: Comparison, _strict: bool) -> Found:
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
    "==": Column._equals,  # noqa: SLF001 (of this module)
    "in": Column._is_in,  # noqa: SLF001
    **dict.fromkeys(_LIMITS, Column._ordered),  # noqa: SLF001
    "contains": Column._contains,  # noqa: SLF001
    "contains any": Column._contains_any,  # noqa: SLF001
    "contains all": Column._contains_all,  # noqa: SLF001
    "starts with": Column._starts_with,  # noqa: SLF001
    "like": Column._like,  # noqa: SLF001
}
