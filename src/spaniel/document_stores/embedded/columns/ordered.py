"""Orders over distinct values, made when they are asked for, and made anew when many values came since."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from spaniel.document_stores.embedded.columns.ranges import Codes, Moments, is_fixed

T = TypeVar("T")
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
