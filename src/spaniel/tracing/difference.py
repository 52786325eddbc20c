"""What two traces have not in common: which documents entered, left or moved, and at which stage."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spaniel.tracing.events import short_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spaniel.dataclasses import Document
    from spaniel.tracing.stage import Stage
    from spaniel.tracing.trace import Trace

_Place = tuple[int | None, float | None]


@dataclass(frozen=True)
class Change:
    """A document whose place or score in the result is another one.

    :param id: its id.
    :param before: its rank in the first trace, from 1; None: it is not there.
    :param after: its rank in the second one.
    :param score_before: its score in the first trace.
    :param score_after: its score in the second one.
    :param stage: the name of the first stage whose results differ in it.
    """

    id: str
    before: int | None
    after: int | None
    score_before: float | None
    score_after: float | None
    stage: str

    def __str__(self) -> str:
        scores = [f"{score:.3f}" if score is not None else "none" for score in (self.score_before, self.score_after)]
        at = f" (first differs at {self.stage})" if self.stage else ""
        if self.before is None:
            return f"{short_id(self.id)} entered at rank {self.after}{at}"
        if self.after is None:
            return f"{short_id(self.id)} left; it was at rank {self.before}{at}"
        rank = f"rank {self.before}" if self.before == self.after else f"rank {self.before} -> {self.after}"
        score = "" if self.score_before == self.score_after else f", score {scores[0]} -> {scores[1]}"
        return f"{short_id(self.id)} {rank}{score}{at}"


@dataclass(frozen=True)
class Diff:
    """What is different in the result of a second trace.

    :param entered: what is only in the second result, in its order.
    :param left: what is only in the first result, in its order.
    :param moved: what has another rank or score in the second result, in its order.
    """

    entered: tuple[Change, ...]
    left: tuple[Change, ...]
    moved: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.entered or self.left or self.moved)

    def __str__(self) -> str:
        return "\n".join(str(change) for change in (*self.entered, *self.left, *self.moved)) or "The results are equal."


def difference(before: Trace, after: Trace) -> Diff:
    """Return what is different in the result of a second trace."""
    old, new = _places(before.results), _places(after.results)
    pairs = [
        (name, _places(first.results) if first else {}, _places(second.results) if second else {})
        for name, first, second in _paired(before.stages, after.stages)
    ]

    def change(id: str) -> Change:
        (rank, score), (new_rank, new_score) = old.get(id, (None, None)), new.get(id, (None, None))
        stage = next((name for name, first, second in pairs if first.get(id) != second.get(id)), "")
        return Change(id, rank, new_rank, score, new_score, stage)

    return Diff(
        tuple(change(id) for id in new if id not in old),
        tuple(change(id) for id in old if id not in new),
        tuple(change(id) for id in new if id in old and old[id] != new[id]),
    )


def _places(documents: Sequence[Document]) -> dict[str, _Place]:
    places: dict[str, _Place] = {}
    for rank, document in enumerate(documents, 1):
        places.setdefault(document.id, (rank, document.score))
    return places


def _paired(before: Sequence[Stage], after: Sequence[Stage]) -> Iterator[tuple[str, Stage | None, Stage | None]]:
    """Yield the stages of one name, the first with the first and so on, in the order of the second trace; lone ones too."""
    old, new = _numbered(before), _numbered(after)
    for key in dict.fromkeys([*new, *old]):
        yield key[0], old.get(key), new.get(key)


def _numbered(stages: Sequence[Stage]) -> dict[tuple[str, int], Stage]:
    counts: Counter[str] = Counter()
    numbered = {}
    for stage in stages:
        numbered[stage.name, counts[stage.name]] = stage
        counts[stage.name] += 1
    return numbered
