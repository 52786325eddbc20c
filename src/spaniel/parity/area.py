"""A compared part of the API: random inputs, runs on both libraries, intended differences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData

Given = JsonObject  # one input, as plain data, so that it can be printed and shrunk
TOLERANCE = 1e-9  # maximum difference of equal scores


@dataclass(frozen=True)
class Outcome:
    """The result of a run as plain data, or its error."""

    value: Json = None
    error: Exception | None = None

    def __str__(self) -> str:
        return repr(self.value) if self.error is None else f"{type(self.error).__name__}: {self.error}"


def outcome_of(run: Callable[..., Json], *arguments: Any) -> Outcome:
    """Call a function, and return its outcome."""
    try:
        return Outcome(run(*arguments))
    except Exception as error:  # noqa: BLE001 (errors are compared, too)
        return Outcome(error=error)


def same(one: Json, other: Json) -> bool:
    """Return if plain data is equal, floats to within `TOLERANCE`.

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
    """Return if two outcomes are equal; our error must be caught by a handler of Haystack's."""
    if ours.error is None or theirs.error is None:
        return ours.error is theirs.error and same(ours.value, theirs.value)
    return type(theirs.error).__name__ in {kind.__name__ for kind in type(ours.error).__mro__}


@dataclass(frozen=True)
class Area:
    """A part of the API that is compared.

    :param explain: returns the anchor of the correction that explains a difference *completely*, or
        None.
    """

    name: str
    draw: Callable[[RandomData], Given]
    run: Callable[[Given, Library], Json]
    explain: Callable[[Given, Outcome, Outcome], str | None] = lambda _given, _ours, _theirs: None
