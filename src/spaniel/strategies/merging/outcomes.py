"""What happens to hits and their parent, and the event that tells it."""

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

# Sums that don't depend on the order, so that a result does not either.
SCORES: Mapping[str | None, Callable[[Sequence[float], int], float | None]] = {
    "max": lambda scores, _: max(scores),
    "mean": lambda scores, _: _sum(scores) / len(scores),
    "sum": lambda scores, _: _sum(scores),
    "top_k_mean": lambda scores, k: _sum(best := heapq.nlargest(k, scores)) / len(best),
    None: lambda *_: None,
}
"""How the scores of merged children become their parent's."""


def _sum(scores: Sequence[float]) -> float:
    try:
        return math.fsum(scores)
    except (OverflowError, ValueError):  # beyond the largest number, or infinity less infinity
        return sum(scores)


@dataclass(frozen=True)
class ParentScoring:
    """A way to score parents.

    :param name: a key of `SCORES`.
    :param k: how many of the best scores ``top_k_mean`` takes the mean of; all if there are fewer.
    """

    name: str | None
    k: int

    def of(self, documents: Sequence[Document]) -> float | None:
        """Return the score of a parent of these documents; None if none of them has one. NaN counts if all are NaN.

        >>> documents = [Document(content=str(score), score=score) for score in (1.0, 4.0, 2.0)]
        >>> [ParentScoring(name, 2).of(documents) for name in ("max", "sum", "top_k_mean", None)]
        [4.0, 7.0, 3.0, None]
        """
        scores = [document.score for document in documents if document.score is not None]
        comparable = [score for score in scores if not is_nan(score)] or scores
        return SCORES[self.name](comparable, self.k) if scores else None

    def lifted(self, document: Document, inside: Sequence[Document]) -> Document:
        """Return a document whose score comes from its own and from those inside it too."""
        score = self.of([document, *inside]) if inside else None
        return document if score is None else replace(document, score=score)


def merged(
    parent: Document,
    children: Sequence[Document],
    scoring: ParentScoring,
    record: Recorder | None,
    *,
    threshold: float,
    why: Callable[[], str] = str,
) -> Document:
    """Return the parent that takes the place of hits, with its score.

    :param children: all that stands in the parent, such as children of its children too.
    :param threshold: what their share exceeded.
    :param why: tells figures that say more than the number of children.
    """
    found = replace(parent, score=scoring.of(children))
    if record is not None:
        record(_taken_over(found, children, threshold, why))
    return found


def _taken_over(
    parent: Document, children: Sequence[Document], threshold: float, why: Callable[[], str]
) -> Iterator[Merged | GaveWay]:
    ids = tuple(child.id for child in children if child.meta.get(PARENT) == parent.id)
    yield Merged(parent.id, ids, count_children(parent), threshold, parent.score, why())
    for child in children:
        yield GaveWay(child.id, parent.id)


def kept_apart(
    parent: Document,
    children: Sequence[Document],
    record: Recorder | None,
    *,
    threshold: float,
    why: Callable[[], str] = str,
) -> None:
    """Record that hits stay."""
    if record is not None:
        record(_stayed(parent, children, threshold, why))


def _stayed(
    parent: Document, children: Sequence[Document], threshold: float, why: Callable[[], str]
) -> Iterator[KeptApart]:
    hits, siblings, told = len(children), count_children(parent), why()
    for child in children:
        yield KeptApart(child.id, parent.id, hits, siblings, threshold, told)


def without_parent(parent_id: str, children: Sequence[Document], record: Recorder | None) -> None:
    """Record that hits stay as their parent is not stored."""
    if record is not None:
        record(ParentMissing(child.id, parent_id) for child in children)


def drop_nested(
    documents: Sequence[Document], ancestry: Ancestry, scoring: ParentScoring, record: Recorder | None
) -> list[Document]:
    """Return the documents without those that stand inside another; its score then comes from theirs too."""
    ids = {document.id for document in documents}
    inside: dict[str, list[Document]] = {}
    gone = set()
    for document in documents:
        outermost = ancestry.outermost(document.id, ids)
        if outermost is not None:
            inside.setdefault(outermost, []).append(document)
            gone.add(document.id)
            if record is not None:
                record(GaveWay(document.id, outermost))
    return [scoring.lifted(document, inside.get(document.id, ())) for document in documents if document.id not in gone]
