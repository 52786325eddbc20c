"""The difference of two traces: documents that entered, left or moved, and at which stage."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.tracing.events import short_id
from spaniel.tracing.stage import Stage, TraceData

_Places = dict[str, tuple[int | None, float | None]]


@dataclass(frozen=True)
class Change:
    """A document with another rank or score in the result.

    :param id: the id of the document.
    :param before: the rank in the first trace, from 1; None: absent.
    :param after: the rank in the second trace.
    :param score_before: the score in the first trace.
    :param score_after: the score in the second trace.
    :param stage: the name of the first stage with another rank or score.
    """

    id: str
    before: int | None
    after: int | None
    score_before: float | None
    score_after: float | None
    stage: str

    def __str__(self) -> str:
        at = f" (first differs at {self.stage})" if self.stage else ""
        if self.before is None:
            return f"{short_id(self.id)} entered at rank {self.after}{at}"
        if self.after is None:
            return f"{short_id(self.id)} left; it was at rank {self.before}{at}"
        rank = f"rank {self.before}" if self.before == self.after else f"rank {self.before} -> {self.after}"
        scores = [f"{score:.3f}" if score is not None else "none" for score in (self.score_before, self.score_after)]
        score = "" if self.score_before == self.score_after else f", score {scores[0]} -> {scores[1]}"
        return f"{short_id(self.id)} {rank}{score}{at}"


@dataclass(frozen=True)
class Diff:
    """The differences of a second result.

    :param entered: documents of the second result only, in its order.
    :param left: documents of the first result only, in its order.
    :param moved: documents with another rank or score, in the order of the second result.
    """

    entered: tuple[Change, ...]
    left: tuple[Change, ...]
    moved: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.entered or self.left or self.moved)

    def __str__(self) -> str:
        return "\n".join(str(change) for change in (*self.entered, *self.left, *self.moved)) or "The results are equal."


def compare(before: TraceData, after: TraceData) -> Diff:
    """Return the differences in the result of a second trace."""
    old, new = _find_places(before.results), _find_places(after.results)
    old_stages, new_stages = _index_stages(before.stages), _index_stages(after.stages)
    stages = [
        (key[0], _find_places(old_stages.get(key, ())), _find_places(new_stages.get(key, ())))
        for key in dict.fromkeys([*new_stages, *old_stages])
    ]

    def make_change(id: str) -> Change:
        (rank, score), (new_rank, new_score) = old.get(id, (None, None)), new.get(id, (None, None))
        stage = next((name for name, first, second in stages if first.get(id) != second.get(id)), "")
        return Change(id, rank, new_rank, score, new_score, stage)

    return Diff(
        tuple(make_change(id) for id in new if id not in old),
        tuple(make_change(id) for id in old if id not in new),
        tuple(make_change(id) for id in new if id in old and old[id] != new[id]),
    )


def _find_places(documents: Sequence[Document]) -> _Places:
    places: _Places = {}
    for rank, document in enumerate(documents, 1):
        places.setdefault(document.id, (rank, document.score))
    return places


def _index_stages(stages: Sequence[Stage]) -> dict[tuple[str, int], list[Document]]:
    counts: Counter[str] = Counter()
    results = {}
    for stage in stages:
        results[stage.name, counts[stage.name]] = stage.results
        counts[stage.name] += 1
    return results
