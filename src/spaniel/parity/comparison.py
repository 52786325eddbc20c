"""The comparison: random inputs through both libraries, and their differences counted by area."""

import copy
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas import AREAS
from spaniel.parity.library import HAYSTACK, SPANIEL, validate_reference
from spaniel.parity.random_data import RandomData

_MAX_TRIES = 400


@dataclass(frozen=True)
class Example:
    """An input with an unexplained difference."""

    given: Given
    ours: Outcome
    theirs: Outcome


@dataclass
class AreaResult:
    """The comparison of one area.

    :param corrected: number of intended differences, by the anchor of their row in docs/parity.md.
    """

    area: str
    equal: int = 0
    corrected: Counter[str] = field(default_factory=Counter)
    different: int = 0
    example: Example | None = None

    @property
    def cases(self) -> int:
        """The number of inputs."""
        return self.equal + self.corrected.total() + self.different


def compare(
    names: Sequence[str] = (), *, cases: int = 200, seed: int = 0, progress: Callable[[str], None] | None = None
) -> list[AreaResult]:
    """Compare both libraries on random inputs, area by area.

    :param progress: called with the area's name after each input.
    """
    if unknown := sorted(set(names) - AREAS.keys()):
        raise ValueError(f"There is no area {unknown[0]!r}. There are: {', '.join(AREAS)}.")
    validate_reference()
    with _quiet():
        return [_compare_area(AREAS[name], cases, seed, progress) for name in names or AREAS]


def _compare_area(area: Area, cases: int, seed: int, progress: Callable[[str], None] | None) -> AreaResult:
    result = AreaResult(area.name)
    for number in range(cases):
        given = area.draw(RandomData(f"{seed}/{area.name}/{number}"))
        correction, ours, theirs = _explain(area, given)
        if correction == "":
            result.equal += 1
        elif correction is not None:
            result.corrected[correction] += 1
        else:
            result.different += 1
            if result.example is None:
                result.example = _small_example(area, Example(given, ours, theirs))
        if progress is not None:
            progress(area.name)
    return result


def _explain(area: Area, given: Given) -> tuple[str | None, Outcome, Outcome]:
    """Return ``""`` for equal outcomes, else the correction or None; and both outcomes."""
    ours, theirs = (outcome_of(area.run, copy.deepcopy(given), library) for library in (SPANIEL, HAYSTACK))
    correction = "" if agree(ours, theirs) else area.explain(copy.deepcopy(given), ours, theirs)
    return correction, ours, theirs


def _small_example(area: Area, example: Example) -> Example:
    errors = type(example.ours.error), type(example.theirs.error)

    def differs(given: Given) -> bool:
        try:
            correction, ours, theirs = _explain(area, given)
        except Exception:  # noqa: BLE001 (the explanation needs a part that was removed)
            return False
        return correction is None and (type(ours.error), type(theirs.error)) == errors

    given = shrink(example.given, differs)
    return Example(given, *_explain(area, given)[1:])


def shrink(given: JsonObject, still_fails: Callable[[JsonObject], bool]) -> JsonObject:
    """Remove items of lists and mappings, and parts of texts, while the input still fails.

    >>> shrink({"numbers": [1, 2, 3]}, lambda given: 2 in given["numbers"])
    {'numbers': [2]}
    """
    tries, found_smaller = 0, True
    while found_smaller:
        found_smaller = False
        for smaller in ({**given, key: less} for key, value in given.items() for less in _less(value)):
            tries += 1
            if tries > _MAX_TRIES:
                return given
            if still_fails(copy.deepcopy(smaller)):
                given, found_smaller = smaller, True
                break
    return given


def _less(value: Json) -> Iterator[Json]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield value[:place] + value[place + 1 :]
            yield from ([*value[:place], less, *value[place + 1 :]] for less in _less(item))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: less} for less in _less(item))
    elif isinstance(value, str) and value:
        yield value[: len(value) // 2]
        yield value[1:]


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence logging and warnings: the inputs are unusual on purpose."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def as_data(results: Sequence[AreaResult]) -> list[JsonObject]:
    """Return results as plain data."""
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
        for each in results
    ]
