"""The fusion of ranked lists: formulas that count a document once per list, and strategies."""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.scores import RANK_CONSTANT, deduplicate, drop_low_scores, is_nan, limit_to_top_k, sort_by_score
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Fused

logger = logging.getLogger(__name__)

FusionMode = Literal["concatenate", "merge", "reciprocal_rank_fusion", "distribution_based_rank_fusion"]
"""A fusion formula, by Haystack's name."""

BlendMode = Literal["reciprocal_rank_fusion", "linear_score"]
"""A formula to blend two orders of the same documents."""

RRF: FusionMode = "reciprocal_rank_fusion"

Rankings = Sequence[Sequence[Document]]


def concatenate(rankings: Rankings) -> list[Document]:
    """Return each document once, at its first position: the copy with the highest score.

    :param rankings: lists of documents. No score ranks below any score; of equal copies the first
        is kept.

    >>> first, second = [Document(id="a", score=0.5)], [Document(id="b"), Document(id="a", score=0.9)]
    >>> [(document.id, document.score) for document in concatenate([first, second])]
    [('a', 0.9), ('b', None)]
    """
    return deduplicate(list(chain.from_iterable(rankings)))


def merge(rankings: Rankings, weights: Sequence[float] | None = None) -> list[Document]:
    """Return each document once, at its first position, with the weighted sum of its scores.

    Keeps the first copy with the highest score. A missing score adds 0. NaN adds nothing, and the
    sum is NaN if there is no other score.

    :param rankings: lists of documents.
    :param weights: the weights of the lists; by default equal, with sum 1.
    :raises ValueError: the number of weights differs from the number of lists.

    >>> lists = [[Document(id="a", score=0.5)], [Document(id="a", score=1.0)]]
    >>> [document.score for document in merge(lists, weights=[0.8, 0.2])]
    [0.6000000000000001]
    """
    distinct = [deduplicate(ranking) for ranking in rankings]
    sums: dict[str, float] = {}
    for ranking, weight in zip(distinct, _find_weights(weights, len(distinct)), strict=True):
        for document in ranking:
            if not is_nan(document.score):
                part = (document.score or 0.0) * weight if weight else 0.0
                sums[document.id] = sums.get(document.id, 0.0) + part
    return [replace(document, score=sums.get(document.id, math.nan)) for document in concatenate(distinct)]


def rrf(rankings: Rankings, weights: Sequence[float] | None = None, *, k: int = RANK_CONSTANT) -> list[Document]:
    """Return each document once, at its first position, scored by its ranks.

    The score is `k` times the sum of weight / (k + rank), so a document that is first in every list
    scores 1, if the weights sum to 1. Keeps the first copy with the best rank, and ignores scores.

    :param rankings: lists of documents, best first.
    :param weights: the weights of the lists; by default equal, with sum 1.
    :param k: added to each rank; ranks start at 0.
    :raises ValueError: the number of weights differs from the number of lists.

    Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, *Reciprocal Rank Fusion outperforms
    Condorcet and individual Rank Learning Methods*, SIGIR 2009.

    >>> a, b = Document(id="a"), Document(id="b")
    >>> [(document.id, round(document.score, 3)) for document in rrf([[a, b], [a]])]
    [('a', 1.0), ('b', 0.492)]
    """
    count = len(rankings)
    sums: dict[str, float] = {}
    best: dict[str, tuple[int, Document]] = {}
    for ranking, weight in zip(rankings, _find_weights(weights, count), strict=True):
        firsts = {document.id: document for document in reversed(ranking)}
        for rank, id in enumerate(dict.fromkeys(document.id for document in ranking)):
            sums[id] = sums.get(id, 0.0) + (weight * count) / (k + rank)
            if id not in best or rank < best[id][0]:
                best[id] = (rank, firsts[id])
    return [replace(document, score=sums[id] / (count / k)) for id, (_, document) in best.items()]


def dbsf(rankings: Rankings) -> list[Document]:
    """Return each document once, at its first position, with the best of its rescaled scores.

    Rescaling maps the mean of a list minus three standard deviations to 0, plus three to 1. A list
    of equal scores is not rescaled. A missing score counts as 0; NaN and infinity are unchanged.

    :param rankings: lists of documents.

    Source: M. Mazzeschi, *Distribution-Based Score Fusion (DBSF), a new approach to vector search
    ranking*, 2023.

    >>> lists = [[Document(id="a", score=3.0), Document(id="b", score=1.0)], [Document(id="b", score=0.9)]]
    >>> [(document.id, round(document.score, 3)) for document in dbsf(lists)]
    [('a', 0.667), ('b', 0.9)]
    """
    return concatenate([_rescale(deduplicate(ranking)) for ranking in rankings])


FUSIONS: Mapping[str, Callable[[Rankings, Sequence[float] | None], list[Document]]] = {
    "concatenate": lambda rankings, _: concatenate(rankings),
    "merge": merge,
    "reciprocal_rank_fusion": rrf,
    "distribution_based_rank_fusion": lambda rankings, _: dbsf(rankings),
}


def fuse(
    *rankings: Sequence[Document],
    join_mode: FusionMode = RRF,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the documents of ranked lists by falling score; ``concatenate`` keeps their order.

    Concatenated lists have no common order to cut by, so `top_k` implies reciprocal rank fusion.
    """
    yield from ()
    mode = join_mode if top_k is None else RRF
    fused = FUSIONS[mode](rankings, None)
    ordered = fused if mode == "concatenate" else sort_by_score(fused)
    if record is not None:
        record(trace_fusion(rankings, ordered))
    return limit_to_top_k(drop_low_scores(ordered, min_score, record), top_k, record)


def pool(
    *found: Sequence[Document], min_score: float | None = None, record: Recorder | None = None
) -> StrategyRun[list[Document]]:
    """Return the documents of lists with comparable scores, best first; no score counts as 0."""
    yield from ()
    distinct = deduplicate([document for documents in found for document in documents], record)
    ordered = sort_by_score(distinct, missing=0.0)
    if record is not None:
        record(trace_fusion(found, ordered))
    return drop_low_scores(ordered, min_score, record)


def cut(
    documents: Sequence[Document],
    *,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the first `top_k` documents of those that score enough or have no score."""
    yield from ()
    return limit_to_top_k(drop_low_scores(list(documents), min_score, record), top_k, record)


def trace_fusion(rankings: Rankings, fused: Sequence[Document]) -> Iterator[Fused]:
    """Yield the event of each fused document: its ranks in the lists that went in."""
    ranks_per_list: list[dict[str, int]] = []
    for ranking in rankings:
        ranks: dict[str, int] = {}
        for rank, document in enumerate(ranking, 1):
            ranks.setdefault(document.id, rank)
        ranks_per_list.append(ranks)
    for document in fused:
        yield Fused(document.id, tuple(ranks.get(document.id) for ranks in ranks_per_list), document.score)


def blend(
    documents: Sequence[Document],
    reordered: Sequence[Document],
    *,
    weight: float,
    mode: BlendMode = "reciprocal_rank_fusion",
) -> list[Document]:
    """Return distinct documents by falling score, blended from their order and a second one.

    `weight` is the share of the second order. By ``reciprocal_rank_fusion`` both orders count as
    1 / (61 + rank). By ``linear_score`` the first counts by the documents' scores, which must be
    between 0 and 1 (else they count as 0), the second as (n - rank) / n.

    >>> two = [Document(id="a"), Document(id="b")]
    >>> [document.id for document in blend(two, two[::-1], weight=0.9)]
    ['b', 'a']
    """
    linear, count = mode == "linear_score", len(documents)
    scores = {
        document.id: (_validate_unit_score(document) if linear else 1 / (RANK_CONSTANT + rank)) * (1 - weight)
        for rank, document in enumerate(documents)
    }
    for rank, document in enumerate(reordered):
        scores[document.id] += ((count - rank) / count if linear else 1 / (RANK_CONSTANT + rank)) * weight
    return sort_by_score([replace(document, score=scores[document.id]) for document in documents])


def _validate_unit_score(document: Document) -> float:
    id, score = document.id, document.score
    if score is None:
        logger.warning("The score wasn't provided; defaulting to 0. The document is %s.", id)
    elif 0 <= score <= 1:
        return score
    else:
        logger.warning("The score %s for Document %s is outside the [0,1] range; defaulting to 0.", score, id)
    return 0.0


def _find_weights(weights: Sequence[float] | None, count: int) -> Sequence[float]:
    if weights is None or not count:
        return [1 / count] * count if count else []
    if len(weights) != count:
        raise ValueError(f"There are {count} lists of documents but {len(weights)} weights: pass one weight per list.")
    return weights


def _rescale(documents: Sequence[Document]) -> list[Document]:
    scores = [document.score or 0.0 for document in documents]
    finite = [score for score in scores if math.isfinite(score)]
    if finite and min(finite) != max(finite):
        mean = sum(finite) / len(finite)
        deviation = (sum((score - mean) ** 2 for score in finite) / len(finite)) ** 0.5
        low, high = mean - 3 * deviation, mean + 3 * deviation
        if high != low:  # scores can be so close that their deviation rounds to 0
            scores = [(score - low) / (high - low) for score in scores]
    return [replace(document, score=score) for document, score in zip(documents, scores, strict=True)]
