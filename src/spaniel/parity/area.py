"""An area: how its inputs are drawn, what each library makes of one, and which differences are meant."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spaniel.parity.chance import Chance

Given = dict[str, Any]
"""One input, as plain data, so that it can be shown and made smaller."""

TOLERANCE = 1e-9
"""What scores may differ by."""


@dataclass(frozen=True)
class Outcome:
    """What came of an input: a value, or an error.

    :param value: plain data.
    :param error: what was raised instead.
    """

    value: Any = None
    error: Exception | None = None

    def __str__(self) -> str:
        return repr(self.value) if self.error is None else f"{type(self.error).__name__}: {self.error}"


def outcome_of(run: Callable[..., Any], *arguments: Any) -> Outcome:
    """Return what comes of a call, be it an error."""
    try:
        return Outcome(run(*arguments))
    except Exception as error:  # noqa: BLE001 (which errors are raised is what is compared)
        return Outcome(error=error)


def same(one: Any, other: Any) -> bool:
    """Return whether plain data is equal, floats to within `TOLERANCE`.

    >>> same([{"score": 0.1 + 0.2}], [{"score": 0.3}]), same([1], [True])
    (True, False)
    """
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) < TOLERANCE or (one != one and other != other)  # noqa: PLR0124 (NaN)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def agree(ours: Outcome, theirs: Outcome) -> bool:
    """Return whether two outcomes are equal; an error is, if whoever catches Haystack's catches ours."""
    if ours.error is None or theirs.error is None:
        return ours.error is theirs.error and same(ours.value, theirs.value)
    return type(theirs.error).__name__ in {kind.__name__ for kind in type(ours.error).__mro__}


@dataclass(frozen=True)
class Area:
    """A part of the API that is compared.

    :param name: on the command line.
    :param draw: makes one input from chance.
    :param ours: gives Spaniel's result for it, as plain data.
    :param theirs: gives Haystack's.
    :param explain: names the entry of `ENTRIES` that a difference is explained by *wholly*; None if none does.
    """

    name: str
    draw: Callable[[Chance], Given]
    ours: Callable[[Given], Any]
    theirs: Callable[[Given], Any]
    explain: Callable[[Given, Outcome, Outcome], str | None] = lambda _given, _ours, _theirs: None
