"""The column of a field, and the bounds of matching slots that it returns."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from itertools import repeat
from operator import and_, contains, or_

from spaniel._engine import Postings, SlotSet
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.columns.values import ODD_DATE, Values, is_regular, limit_kind
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.filters import Comparison, Filter
from spaniel.filters.equality import SCALARS, Operand, operand
from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Json

_MAX_LIST_LENGTH = 64  # longer lists, such as vectors, are compared: they need more memory than they save time
_LIMITS = (">", ">=", "<", "<=")
_EQUALITIES = ("==", "!=", "in", "not in")
_CONTAINERS = (list, tuple, dict)

_TextTest = Callable[[list[str]], Iterable[object]]


@dataclass(frozen=True)
class Bounds:
    """Bounds of the matching slots: those in `sure` match, those outside of `may` do not."""

    sure: SlotSet
    may: SlotSet

    def unsure(self) -> SlotSet:
        """Return the slots that only a comparison of the document decides."""
        return self.may - self.sure

    def decide(self, documents: NumberedDocuments, test: Callable[[Document], bool]) -> NumberedDocuments:
        """Return those documents within the bounds that match; test the unsure ones."""
        if len(self.may) == len(self.sure):
            return documents
        return [(slot, document) for slot, document in documents if slot in self.sure or test(document)]

    def negate(self, everything: SlotSet) -> "Bounds":
        """Return the bounds of the opposite."""
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

    def find_bounds(self, comparison: Comparison, strict: bool, everything: SlotSet) -> Bounds:
        """Return the bounds of a comparison."""
        if not _has_indexable_value(comparison):
            return Bounds(SlotSet(), everything)
        if comparison.operator in _EQUALITIES:
            bounds = self._bounds_of_equality(comparison, strict)
        else:
            bounds = self._bounds(self._find(comparison, strict))
        return bounds.negate(everything) if OPERATORS[comparison.operator].negated else bounds

    def _bounds_of_equality(self, comparison: Comparison, strict: bool) -> Bounds:
        is_list = comparison.operator.endswith("in")
        others = [operand(value) for value in comparison.value] if is_list else [comparison.prepared]
        bounds = self._bounds(_find_equal(self._whole, others, strict))
        if any(type(other.value) in _CONTAINERS for other in others):
            return Bounds(bounds.sure, bounds.may | self._lists.union([0]))
        return bounds

    def find_within(self, limits: Sequence[Comparison], strict: bool) -> Bounds:
        """Return the bounds of all of several comparisons with the same `range_key`."""
        return self._bounds(self._find_within([(limit.operator, limit.prepared) for limit in limits], strict))

    def find_holders(self, values: Sequence[Json], everything: SlotSet) -> Bounds:
        """Return the bounds of holding any of the values, itself or as an element of a list."""
        if not all(map(_is_indexable, values)):
            return Bounds(SlotSet(), everything)
        others = [operand(value) for value in values]
        return self._bounds(_find_equal(self._whole, others, False) | _find_equal(self._elements, others, False))

    def _bounds(self, sure: SlotSet) -> Bounds:
        return Bounds(sure, sure | self._irregular.union([0]))

    def _find(self, comparison: Comparison, strict: bool) -> SlotSet:
        """Return the slots whose regular value, or regular elements of a list, match."""
        prepared = comparison.prepared
        match comparison.operator:
            case "contains" | "not contains":
                found = self._find_containing(prepared, strict)
            case "contains any":
                found = reduce(or_, [self._find_containing(part, strict) for part in prepared], SlotSet())
            case "contains all" if prepared:
                found = reduce(and_, [self._find_containing(part, strict) for part in prepared])
            case "contains all":  # of an empty list: all strings and lists
                found = self._find_text(lambda texts: repeat(True, len(texts))) | self._lists.union([0])
            case "starts with" if isinstance(prepared, str):
                found = self._find_any_text(lambda texts: map(str.startswith, texts, repeat(prepared)))
            case "like" | "not like" if prepared is not None:
                found = self._find_any_text(lambda texts: map(prepared.fullmatch, texts))
            case "starts with" | "like" | "not like":  # the filter's value is not a string
                found = SlotSet()
            case limit:
                found = self._find_within([(limit, prepared)], strict)
        return found

    def _find_within(self, limits: Sequence[tuple[str, Operand]], strict: bool) -> SlotSet:
        return self._whole.get_slots(self._whole.find_within(limits, strict))

    def _find_containing(self, part: Operand, strict: bool) -> SlotSet:
        found = _find_equal(self._elements, [part], strict)
        if not isinstance(part.value, str):
            return found
        return found | self._find_text(lambda texts: map(contains, texts, repeat(part.value)))

    def _find_text(self, test: _TextTest) -> SlotSet:
        return self._whole.get_slots(self._whole.find_texts(test))

    def _find_any_text(self, test: _TextTest) -> SlotSet:
        return self._find_text(test) | self._elements.get_slots(self._elements.find_texts(test))


def _find_equal(values: Values, others: Iterable[Operand], strict: bool) -> SlotSet:
    codes = array("I")
    for other in others:
        codes += values.find_equal(other, strict)
    return values.get_slots(codes)
