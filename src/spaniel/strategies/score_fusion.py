"""The fusion of searches with scores of different scales: rescaled scores are added up."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.fusion import Rankings, trace_fusion
from spaniel.strategies.scores import RANK_CONSTANT, deduplicate, drop_low_scores, limit_to_top_k, sort_by_score
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Fused

FusionMethod = Literal["dbsf", "min_max", "rrf"]
"""The scores that are added up: by mean and deviation, by range, or by rank."""

_DEVIATIONS = 3


def rescale_by_deviation(scores: Sequence[float]) -> list[float]:
    """Return scores, with their mean minus three standard deviations as 0, and plus three as 1.

    :returns: 0.5 for all if they are equal.

    Source: M. Mazzeschi, *Distribution-Based Score Fusion (DBSF), a new approach to vector search
    ranking*, 2023.

    >>> [round(score, 3) for score in rescale_by_deviation([3.0, 1.0])]
    [0.667, 0.333]
    """
    mean = math.fsum(scores) / len(scores)
    width = 2 * _DEVIATIONS * math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))
    return [0.5 + (score - mean) / width if width else 0.5 for score in scores]


def rescale_by_range(scores: Sequence[float]) -> list[float]:
    """Return scores, with the lowest as 0 and the highest as 1.

    :returns: 1 for all if they are equal.

    >>> rescale_by_range([4.0, 3.0, 2.0])
    [1.0, 0.5, 0.0]
    """
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def rescale_by_rank(scores: Sequence[float]) -> list[float]:
    """Return 61 / (60 + rank) for scores in the order of their ranks, which begin at 1.

    Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, *Reciprocal Rank Fusion outperforms
    Condorcet and individual Rank Learning Methods*, SIGIR 2009.

    >>> rescale_by_rank([0.9, 0.1])[0]
    1.0
    """
    return [RANK_CONSTANT / (RANK_CONSTANT + rank) for rank in range(len(scores))]


RESCALINGS: Mapping[FusionMethod, Callable[[Sequence[float]], list[float]]] = {
    "dbsf": rescale_by_deviation,
    "min_max": rescale_by_range,
    "rrf": rescale_by_rank,
}


def add_scores(
    rankings: Rankings, weights: Sequence[float] | None = None, *, method: FusionMethod = "dbsf"
) -> list[Document]:
    """Return each document once, best first, with the weighted sum of its rescaled scores.

    A document that a list lacks gets nothing from it. Without a score, it counts as 0.

    :param rankings: lists of documents, best first.
    :param weights: the weights of the lists, normalized to the sum 1; by default equal.
    :param method: the rescaling; ``rrf`` scores a document by its rank in a list instead.
    :raises ValueError: the number of weights differs from the number of lists.

    >>> words = [Document(id="a", score=12.0), Document(id="b", score=8.0)]
    >>> vectors = [Document(id="b", score=0.9), Document(id="c", score=0.4)]
    >>> [(document.id, round(document.score, 3)) for document in add_scores([words, vectors])]
    [('b', 0.5), ('a', 0.333), ('c', 0.167)]
    """
    parts = rescale_rankings(rankings, weights, method=method)
    first: dict[str, Document] = {}
    for ranking in rankings:
        for document in deduplicate(ranking):
            first.setdefault(document.id, document)
    return sort_by_score(
        [replace(document, score=math.fsum(part.get(id, 0.0) for part in parts)) for id, document in first.items()]
    )


def rescale_rankings(
    rankings: Rankings, weights: Sequence[float] | None = None, *, method: FusionMethod = "dbsf"
) -> list[dict[str, float]]:
    """Return by list the part of the score of each of its documents, by id.

    :param rankings, weights, method: as in `add_scores`.
    """
    found: list[dict[str, float]] = []
    for ranking, weight in zip(rankings, normalize_weights(weights, len(rankings)), strict=True):
        distinct = deduplicate(ranking)
        scores = RESCALINGS[method]([document.score or 0.0 for document in distinct]) if distinct else []
        found.append({document.id: weight * score for document, score in zip(distinct, scores, strict=True)})
    return found


def fuse_searches(
    *rankings: Sequence[Document],
    names: Sequence[str] = (),
    method: FusionMethod = "dbsf",
    weights: Sequence[float] | None = None,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the documents of several searches, best first, by the sum of their rescaled scores.

    `names` of the searches are for the trace.
    """
    yield from ()
    ordered = add_scores(rankings, weights, method=method)
    if record is not None:
        record(_trace_sums(rankings, rescale_rankings(rankings, weights, method=method), ordered, tuple(names)))
    return limit_to_top_k(drop_low_scores(ordered, min_score, record), top_k, record)


def _trace_sums(
    rankings: Rankings, parts: Sequence[Mapping[str, float]], fused: Sequence[Document], names: tuple[str, ...]
) -> Iterator[Fused]:
    for event in trace_fusion(rankings, fused):
        own = tuple(part.get(event.about, 0.0) for part in parts)
        yield Fused(event.about, event.ranks, event.score, own, names)


def normalize_weights(weights: Sequence[float] | None, count: int) -> list[float]:
    """Return the weights of lists with the sum 1; equal ones by default.

    :raises ValueError: there is another number of them, one is negative or not finite, or all are
        0.
    """
    if weights is None:
        return [1 / count] * count if count else []
    if len(weights) != count:
        raise ValueError(f"There are {count} searches but {len(weights)} weights: pass one weight per search.")
    total = math.fsum(weights)
    if not all(0 <= weight < math.inf for weight in weights) or not total:
        raise ValueError(f"The weights must not be negative, infinite, NaN or all 0, got {list(weights)}.")
    return [weight / total for weight in weights]
