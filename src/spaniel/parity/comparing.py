"""Inputs drawn, given to both libraries, and counted."""

import copy
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas import AREAS
from spaniel.parity.chance import Chance
from spaniel.parity.reference import check_reference
from spaniel.parity.shrinking import shrunk


@dataclass(frozen=True)
class Example:
    """An input for which the libraries differ without an explanation."""

    given: Given
    ours: Outcome
    theirs: Outcome


@dataclass
class Comparison:
    """What came of the inputs of one area.

    :param area: its name.
    :param equal: how many were equal.
    :param corrected: how many differ as an entry of docs/parity.md says, by its anchor.
    :param different: how many differ otherwise.
    :param example: a small one of these.
    """

    area: str
    equal: int = 0
    corrected: Counter[str] = field(default_factory=Counter)
    different: int = 0
    example: Example | None = None

    @property
    def cases(self) -> int:
        """How many inputs there were."""
        return self.equal + self.corrected.total() + self.different


def compare(
    names: Sequence[str] = (), *, cases: int = 200, seed: int = 0, tell: Callable[[str], None] | None = None
) -> list[Comparison]:
    """Return what came of random inputs, area by area.

    :param names: the areas; none: all of them.
    :param cases: how many inputs an area.
    :param seed: the same seed draws the same inputs.
    :param tell: is called with the area's name after each input.
    :raises ReferenceMissingError: Haystack is not installed, or is another version.
    :raises ValueError: there is no area of a name.
    """
    if unknown := sorted(set(names) - AREAS.keys()):
        raise ValueError(f"There is no area {unknown[0]!r}. There are: {', '.join(AREAS)}.")
    check_reference()
    with _quiet():
        return [_compared(AREAS[name], cases, seed, tell) for name in names or AREAS]


def _compared(area: Area, cases: int, seed: int, tell: Callable[[str], None] | None) -> Comparison:
    comparison = Comparison(area.name)
    for number in range(cases):
        given = area.draw(Chance(f"{seed}/{area.name}/{number}"))
        verdict, ours, theirs = _judged(area, given)
        if verdict == "":
            comparison.equal += 1
        elif verdict is not None:
            comparison.corrected[verdict] += 1
        else:
            comparison.different += 1
            if comparison.example is None:
                comparison.example = _small_example(area, Example(given, ours, theirs))
        if tell is not None:
            tell(area.name)
    return comparison


def _judged(area: Area, given: Given) -> tuple[str | None, Outcome, Outcome]:
    """Return ``""`` for equal, else the entry that explains the difference or None; and both outcomes."""
    ours, theirs = (outcome_of(run, copy.deepcopy(given)) for run in (area.ours, area.theirs))
    verdict = "" if agree(ours, theirs) else area.explain(copy.deepcopy(given), ours, theirs)
    return verdict, ours, theirs


def _small_example(area: Area, example: Example) -> Example:
    errors = type(example.ours.error), type(example.theirs.error)

    def differs(given: Given) -> bool:
        try:
            verdict, ours, theirs = _judged(area, given)
        except Exception:  # noqa: BLE001 (something was left out that the explanation needs)
            return False
        return verdict is None and (type(ours.error), type(theirs.error)) == errors

    given = shrunk(example.given, differs)
    return Example(given, *_judged(area, given)[1:])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what either library logs and warns of to itself: the inputs are odd on purpose."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def as_data(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return comparisons as plain data."""
    return [
        {
            "area": each.area,
            "cases": each.cases,
            "equal": each.equal,
            "corrected": dict(each.corrected),
            "different": each.different,
            "example": each.example
            and {"given": each.example.given, "ours": str(each.example.ours), "haystack": str(each.example.theirs)},
        }
        for each in comparisons
    ]
