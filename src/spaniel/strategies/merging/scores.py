"""How the scores of what was merged become its parent's."""

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from spaniel.dataclasses import Document
from spaniel.strategies.scores import is_nan

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
class Scoring:
    """A way to score parents.

    :param name: a key of `SCORES`.
    :param k: how many of the best scores ``top_k_mean`` takes the mean of; all if there are fewer.
    """

    name: str | None
    k: int

    def of(self, documents: Sequence[Document]) -> float | None:
        """Return the score of a parent of these documents; None if none of them has one. NaN counts if all are NaN.

        >>> documents = [Document(content=str(score), score=score) for score in (1.0, 4.0, 2.0)]
        >>> [Scoring(name, 2).of(documents) for name in ("max", "sum", "top_k_mean", None)]
        [4.0, 7.0, 3.0, None]
        """
        scores = [document.score for document in documents if document.score is not None]
        comparable = [score for score in scores if not is_nan(score)] or scores
        return SCORES[self.name](comparable, self.k) if scores else None

    def lifted(self, document: Document, inside: Sequence[Document]) -> Document:
        """Return a document whose score comes from its own and from those inside it too."""
        score = self.of([document, *inside]) if inside else None
        return document if score is None else replace(document, score=score)
