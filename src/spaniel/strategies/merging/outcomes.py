"""The outcome of a merge and its events: a scored parent that replaces hits, or kept hits."""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.strategies.merging.ancestry import Ancestry, count_children
from spaniel.strategies.scores import is_nan
from spaniel.tracing import Recorder
from spaniel.tracing.events import GaveWay, KeptApart, Merged, ParentMissing

ParentScore = Literal["max", "mean", "sum", "top_k_mean"]
"""The way to compute the score of a parent from the scores of its merged children."""

# The sums do not depend on the order of the scores, so results do not either.
SCORES: Mapping[str | None, Callable[[Sequence[float], int], float | None]] = {
    "max": lambda scores, _: max(scores),
    "mean": lambda scores, _: _sum(scores) / len(scores),
    "sum": lambda scores, _: _sum(scores),
    "top_k_mean": lambda scores, k: _sum(best := heapq.nlargest(k, scores)) / len(best),
    None: lambda *_: None,
}
"""The function of each `ParentScore`; None: parents have no score."""


def _sum(scores: Sequence[float]) -> float:
    try:
        return math.fsum(scores)
    except (OverflowError, ValueError):  # beyond the largest number, or infinity minus infinity
        return sum(scores)


def score_parent(documents: Sequence[Document], name: ParentScore | None, k: int) -> float | None:
    """Return the score of a parent; None without any score. NaN counts if all are NaN.

    >>> documents = [Document(content=str(score), score=score) for score in (1.0, 4.0, 2.0)]
    >>> [score_parent(documents, name, 2) for name in ("max", "sum", "top_k_mean", None)]
    [4.0, 7.0, 3.0, None]
    """
    scores = [document.score for document in documents if document.score is not None]
    comparable = [score for score in scores if not is_nan(score)] or scores
    return SCORES[name](comparable, k) if scores else None


@dataclass(frozen=True)
class Outcomes:
    """Applies the outcome of a rule to hits and their parent, and records the events."""

    score: ParentScore | None
    score_k: int
    record: Recorder | None

    def merge(
        self, parent: Document, children: Sequence[Document], *, threshold: float, why: Callable[[], str]
    ) -> Document:
        """Return the scored parent that replaces hits, its children or further descendants."""
        merged = replace(parent, score=score_parent(children, self.score, self.score_k))
        if self.record is not None:

            def list_events() -> Iterator[Merged | GaveWay]:
                ids = tuple(child.id for child in children if child.meta.get(PARENT) == parent.id)
                yield Merged(parent.id, ids, count_children(parent), threshold, merged.score, why())
                for child in children:
                    yield GaveWay(child.id, parent.id)

            self.record(list_events())
        return merged

    def keep_apart(
        self, parent: Document, children: Sequence[Document], *, threshold: float, why: Callable[[], str]
    ) -> None:
        """Record that hits are kept."""
        if self.record is not None:

            def list_events() -> Iterator[KeptApart]:
                num_children, reason = count_children(parent), why()
                for child in children:
                    yield KeptApart(child.id, parent.id, len(children), num_children, threshold, reason)

            self.record(list_events())

    def keep_without_parent(self, parent_id: str, children: Sequence[Document]) -> None:
        """Record that hits are kept since their parent is not stored."""
        if self.record is not None:
            self.record(ParentMissing(child.id, parent_id) for child in children)

    def drop_nested(self, documents: Sequence[Document], ancestry: Ancestry) -> list[Document]:
        """Return the documents without those inside another, which adds their scores to its own."""
        ids = {document.id for document in documents}
        nested: dict[str, list[Document]] = {}
        kept = []
        for document in documents:
            outermost = ancestry.find_outermost(document.id, ids)
            if outermost is None:
                kept.append(document)
                continue
            nested.setdefault(outermost, []).append(document)
            if self.record is not None:
                self.record(GaveWay(document.id, outermost))
        for at, whole in enumerate(kept):
            parts = nested.get(whole.id)
            if parts and (score := score_parent([whole, *parts], self.score, self.score_k)) is not None:
                kept[at] = replace(whole, score=score)
        return kept
