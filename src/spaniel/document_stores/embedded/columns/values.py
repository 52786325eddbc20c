"""The distinct values of a field, and the slots of each."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date, datetime
from functools import partial
from itertools import compress

from spaniel._engine import Postings, SlotSet
from spaniel.document_stores.embedded.columns.orders import Codes, Dates, LazyOrder, SortedKeys, is_fixed
from spaniel.filters.dates import parse_instant, parse_iso_instant
from spaniel.filters.equality import SCALARS, Operand, equal
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Json

_NUMBERS = (int, float, bool)
_MIN_DEAD = 16  # fewer values without a slot are not worth a compaction
_NUMBER, _CLOCK, _INSTANT, ODD_DATE = "number", "clock", "instant", "odd date"


def is_regular(value: Json) -> bool:
    """Return if a value is text, a number, None, a date or a datetime of a fixed zone."""
    kind = type(value)
    return kind in SCALARS or kind is date or (kind is datetime and is_fixed(value))


class Values:
    """Regular values, numbered by codes, each with its slots; 1, 1.0 and True are equal.

    Values without slots are dropped when they outnumber the others, so that deletions free memory.
    """

    def __init__(self) -> None:
        self._postings = Postings()
        self._start([], array("Q"))

    def _start(self, values: list[Json], uses: "array[int]") -> None:
        self._values = values
        self._uses = uses  # number of additions minus removals, per value
        self._dead = 0
        self._codes: dict[Hashable, int] = {_key(value): code for code, value in enumerate(values)}
        self._text_codes = array("I", [code for code, value in enumerate(values) if type(value) is str])
        self._texts: list[str] = [values[code] for code in self._text_codes]
        self._numbers = LazyOrder(values, _sort_numbers)
        self._instants = LazyOrder(values, partial(Dates, parse_instant))
        self._iso_instants = LazyOrder(values, partial(Dates, parse_iso_instant))

    def __len__(self) -> int:
        """Return the number of values, including those without a slot."""
        return len(self._values)

    def add(self, pairs: Iterable[tuple[int, Json]]) -> None:
        """Add slots with their values, without NaN, which equals and precedes nothing."""
        codes, slots = array("I"), array("Q")
        for slot, value in pairs:
            if value == value:  # noqa: PLR0124 (not NaN)
                code = self._code(value)
                if not self._uses[code]:
                    self._dead -= 1
                self._uses[code] += 1
                codes.append(code)
                slots.append(slot)
        self._postings.add(codes, slots)

    def remove(self, pairs: Iterable[tuple[int, Json]]) -> None:
        """Remove slots from the values that they were added with."""
        codes, slots = array("I"), array("Q")
        for slot, value in pairs:
            if (code := self._codes.get(_key(value))) is not None:
                self._uses[code] -= 1
                if not self._uses[code]:
                    self._dead += 1
                codes.append(code)
                slots.append(slot)
        self._postings.remove(codes, slots)
        if self._dead > max(_MIN_DEAD, len(self._values) - self._dead):
            self._compact()

    def _compact(self) -> None:
        kept = array("I", compress(range(len(self._values)), self._uses))
        self._postings.keep(kept)
        self._start([self._values[code] for code in kept], array("Q", [self._uses[code] for code in kept]))

    def _code(self, value: Json) -> int:
        key = _key(value)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self._values)
            self._values.append(value)
            self._uses.append(0)
            self._dead += 1
            if type(value) is str:
                self._texts.append(value)
                self._text_codes.append(code)
        return code

    def get_slots(self, codes: Codes) -> SlotSet:
        """Return the slots of any of the values."""
        return self._postings.union(codes)

    def find_equal(self, other: Operand, strict: bool) -> Codes:
        """Return the values that `equal` a filter's; an irregular one equals none."""
        found = self._codes.get(other.value) if _is_hashed(other.value) else None
        exact = array("I", [] if found is None else [found])
        if other.instant is None:
            return exact
        dates, tail = self._iso_instants.get_order()
        same, odd = dates.find_codes([("==", other.instant)], strict)
        return exact + same + self._select(tail + odd, lambda value: equal(value, other, strict))

    def find_within(self, limits: Sequence[tuple[str, Operand]], strict: bool) -> Codes:
        """Return the values within all limits, which have the same `limit_kind`."""

        def is_within(value: Json) -> bool:
            return all(OPERATORS[operator].test(value, other, strict) for operator, other in limits)

        kind = limit_kind(limits[0][1])
        if kind is None:
            return array("I")
        if kind == _NUMBER:
            numbers, tail = self._numbers.get_order()
            return numbers.find_codes((operator, other.value) for operator, other in limits) + self._select(
                tail, is_within
            )
        dates, tail = self._instants.get_order()
        moments = [(operator, other.instant) for operator, other in limits if other.instant is not None]
        codes, odd = dates.find_codes(moments, strict)
        return codes + self._select(tail + odd, is_within)

    def find_texts(self, test: Callable[[list[str]], Iterable[object]]) -> Codes:
        """Return the texts that pass a test, which returns a truth value per text."""
        return array("I", compress(self._text_codes, test(self._texts)))

    def _select(self, codes: Codes, test: Callable[[Json], bool]) -> Codes:
        return array("I", [code for code in codes if test(self._values[code])])


def limit_kind(limit: Operand) -> str | None:
    """Return the kind of values that a limit orders; limits of equal kinds share an order."""
    if limit.instant is not None:
        if not is_fixed(limit.instant):
            return ODD_DATE
        return _CLOCK if limit.instant.tzinfo is None else _INSTANT
    return _NUMBER if type(limit.value) in _NUMBERS and limit.value == limit.value else None


def _key(value: Json) -> Hashable:
    # Equal datetimes may differ in their wall clock, which naive datetimes are compared to.
    return value if type(value) in SCALARS else (type(value), value.isoformat())


def _is_hashed(value: Json) -> bool:
    return type(value) in SCALARS and bool(value == value)  # noqa: PLR0124 (not NaN)


def _sort_numbers(pairs: Iterable[tuple[Json, int]]) -> SortedKeys:
    return SortedKeys((value, code) for value, code in pairs if type(value) in _NUMBERS)
