"""Orders over distinct values, in which a range is a slice."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Generic, TypeAlias, TypeVar

from spaniel.json_types import Json

T = TypeVar("T")

Codes: TypeAlias = "array[int]"
"""Numbers of distinct values."""
Pairs = Iterable[tuple[Json, int]]
"""Values with their codes."""

_MIN_TAIL, _TAIL_SHARE = 64, 8
_EPOCH, _MICROSECOND = datetime(1, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 (of moments without a zone)

_SLICES: Mapping[str, Callable[[list[Json], Json], tuple[int, int]]] = {
    "==": lambda keys, key: (bisect_left(keys, key), bisect_right(keys, key)),
    ">": lambda keys, key: (bisect_right(keys, key), len(keys)),
    ">=": lambda keys, key: (bisect_left(keys, key), len(keys)),
    "<": lambda keys, key: (0, bisect_left(keys, key)),
    "<=": lambda keys, key: (0, bisect_right(keys, key)),
}


class LazyOrder(Generic[T]):
    """An order that is built at its first use, and again when many values have been appended."""

    def __init__(self, values: list[Json], build: Callable[[Pairs], T]) -> None:
        self._values = values
        self._build = build
        self._covered = 0
        self._order = build(())

    def get_order(self) -> tuple[T, Codes]:
        """Return the order, and the codes of the few values that it does not cover yet."""
        if len(self._values) - self._covered > _MIN_TAIL + self._covered // _TAIL_SHARE:
            self._order = self._build((value, code) for code, value in enumerate(self._values))
            self._covered = len(self._values)
        return self._order, array("I", range(self._covered, len(self._values)))


class SortedKeys:
    """Comparable keys in order, each with a code."""

    def __init__(self, pairs: Pairs) -> None:
        ordered = sorted(pairs)
        self._keys = [key for key, _ in ordered]
        self._codes = array("I", [code for _, code in ordered])

    def find_codes(self, limits: Iterable[tuple[str, Json]]) -> Codes:
        """Return the codes of the keys within all limits, none of which is NaN."""
        first, end = 0, len(self._keys)
        for operator, key in limits:
            low, high = _SLICES[operator](self._keys, key)
            first, end = max(first, low), min(end, high)
        return self._codes[first:end]


def is_fixed(moment: datetime) -> bool:
    """Return if a moment is naive, or in a zone of a fixed offset; others may not be in order."""
    return moment.tzinfo is None or type(moment.tzinfo) is timezone


class Dates:
    """The dates among values: those of fixed zones in order, the others by code only.

    Zoned moments are in order both as instants and by wall clock, which naive ones are compared to.
    """

    def __init__(self, parse: Callable[[Json], datetime | None], pairs: Pairs) -> None:
        found = [(moment, code) for value, code in pairs if (moment := parse(value)) is not None]
        fixed = [(moment, code) for moment, code in found if is_fixed(moment)]
        zoned = [(moment, code) for moment, code in fixed if moment.tzinfo is not None]
        self._naive = SortedKeys((_clock(moment), code) for moment, code in fixed if moment.tzinfo is None)
        self._instants = SortedKeys((_instant(moment), code) for moment, code in zoned)
        self._clocks = SortedKeys((_clock(moment), code) for moment, code in zoned)
        self._all = array("I", [code for _, code in found])
        self._odd = array("I", [code for moment, code in found if not is_fixed(moment)])

    def find_codes(self, limits: Sequence[tuple[str, datetime]], strict: bool) -> tuple[Codes, Codes]:
        """Return the codes of the values within all limits, and of those that have to be compared.

        The limits all have a zone, or all lack one; a moment that is not fixed is the only limit.
        """
        if not all(is_fixed(moment) for _, moment in limits):
            return array("I"), self._all
        clocks = [(operator, _clock(moment)) for operator, moment in limits]
        if limits[0][1].tzinfo is None:
            found, others = self._naive.find_codes(clocks), self._clocks
        else:
            found = self._instants.find_codes((operator, _instant(moment)) for operator, moment in limits)
            others = self._naive
        return found if strict else found + others.find_codes(clocks), self._odd


def _clock(moment: datetime) -> int:
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def _instant(moment: datetime) -> int:
    offset = moment.utcoffset()
    return _clock(moment) - (0 if offset is None else offset // _MICROSECOND)
