"""Orders over distinct values: a range of values is a slice."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")

Codes: TypeAlias = "array[int]"
"""Numbers of distinct values."""

_EPOCH, _MICROSECOND = datetime(1, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 (of moments without a zone)

_SLICES: Mapping[str, Callable[[list[Any], Any], tuple[int, int]]] = {
    "==": lambda keys, key: (bisect_left(keys, key), bisect_right(keys, key)),
    ">": lambda keys, key: (bisect_right(keys, key), len(keys)),
    ">=": lambda keys, key: (bisect_left(keys, key), len(keys)),
    "<": lambda keys, key: (0, bisect_left(keys, key)),
    "<=": lambda keys, key: (0, bisect_right(keys, key)),
}


class Range:
    """Keys in order, each with the number of its value.

    :param pairs: key and number; the keys have an order among themselves.
    """

    def __init__(self, pairs: Iterable[tuple[Any, int]]) -> None:
        ordered = sorted(pairs)
        self._keys = [key for key, _ in ordered]
        self._codes = array("I", [code for _, code in ordered])

    def codes(self, limits: Iterable[tuple[str, Any]]) -> Codes:
        """Return the numbers of the values that are within all limits.

        :param limits: operators with keys; these have an order too, so none is NaN.
        """
        first, end = 0, len(self._keys)
        for operator, key in limits:
            low, high = _SLICES[operator](self._keys, key)
            first, end = max(first, low), min(end, high)
        return self._codes[first:end]


def is_fixed(moment: datetime) -> bool:
    """Return whether a moment is without a zone or in one of a fixed offset; others may not be in order."""
    return moment.tzinfo is None or type(moment.tzinfo) is timezone


class Moments:
    """Moments in order: those without a zone, and those with one both as instants and as their clocks show them.

    :param moments: fixed moments (see `is_fixed`) with the numbers of their values.
    """

    def __init__(self, moments: Iterable[tuple[datetime, int]]) -> None:
        naive: list[tuple[int, int]] = []
        instants: list[tuple[int, int]] = []
        clocks: list[tuple[int, int]] = []
        for moment, code in moments:
            if moment.tzinfo is None:
                naive.append((_clock(moment), code))
            else:
                instants.append((_instant(moment), code))
                clocks.append((_clock(moment), code))
        self._naive, self._instants, self._clocks = Range(naive), Range(instants), Range(clocks)

    def codes(self, limits: Sequence[tuple[str, datetime]], strict: bool) -> Codes:
        """Return the numbers of the values that are within all limits, by the rules of `spaniel.filters.dates.align`.

        :param limits: operators with fixed moments: all with a zone, or all without.
        :param strict: whether those with a zone and those without never compare; else the zone is the other's.
        """
        clocks = [(operator, _clock(moment)) for operator, moment in limits]
        if limits[0][1].tzinfo is None:
            found, others = self._naive.codes(clocks), self._clocks
        else:
            found = self._instants.codes((operator, _instant(moment)) for operator, moment in limits)
            others = self._naive
        return found if strict else found + others.codes(clocks)


def _clock(moment: datetime) -> int:
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def _instant(moment: datetime) -> int:
    offset = moment.utcoffset()
    return _clock(moment) - (0 if offset is None else offset // _MICROSECOND)


Pairs = Iterable[tuple[Any, int]]
"""Values with their numbers."""

_FEW, _PART = 64, 8


class Ordered(Generic[T]):
    """An order over the first of a growing list of values, and a tail of those that came since.

    :param values: the list; it only grows.
    :param build: values with their numbers to an order over them.
    """

    def __init__(self, values: list[Any], build: Callable[[Pairs], T]) -> None:
        self._values = values
        self._build = build
        self._covered = 0
        self._order = build(())

    def view(self) -> tuple[T, Codes]:
        """Return the order, and the numbers of the values that are not in it: a few, to be looked at one by one."""
        if len(self._values) - self._covered > _FEW + self._covered // _PART:
            self._order = self._build((value, code) for code, value in enumerate(self._values))
            self._covered = len(self._values)
        return self._order, array("I", range(self._covered, len(self._values)))


class Dates:
    """The dates among values: those of fixed zones in order, the others as numbers.

    :param parse: a value to the moment it stands for, or None.
    """

    def __init__(self, parse: Callable[[Any], datetime | None], pairs: Pairs) -> None:
        found = [(moment, code) for value, code in pairs if (moment := parse(value)) is not None]
        fixed = [(moment, code) for moment, code in found if is_fixed(moment)]
        self._moments = Moments(fixed)
        self._all = array("I", [code for _, code in found])
        self._odd = array("I", [code for moment, code in found if not is_fixed(moment)])

    def codes(self, limits: Sequence[tuple[str, datetime]], strict: bool) -> tuple[Codes, Codes]:
        """Return the numbers of the values that are within all limits, and of those that must be compared to tell.

        :param limits: as `Moments.codes` takes them, or a single one that is not fixed.
        """
        if all(is_fixed(moment) for _, moment in limits):
            return self._moments.codes(limits, strict), self._odd
        return array("I"), self._all
