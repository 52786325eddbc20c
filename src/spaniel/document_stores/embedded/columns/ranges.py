"""Distinct values in order, so that a range is a slice of them."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias

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
