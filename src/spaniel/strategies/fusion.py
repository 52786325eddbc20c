"""Several ranked lists become one: by copies, by scores, by ranks, or by scores made comparable.

In every list a document counts once. So a list with doubles gives what it gives without them.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.scores import best, deduplicate, drop_low_scores, is_nan, sort_by_score
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Fused

logger = logging.getLogger(__name__)

JoinMode = Literal["concatenate", "merge", "reciprocal_rank_fusion", "distribution_based_rank_fusion"]
"""A way to fuse ranked lists, by the name that Haystack gave it."""

BlendMode = Literal["reciprocal_rank_fusion", "linear_score"]
"""A way to blend two orders of the same documents."""

Rankings = Sequence[Sequence[Document]]

RANK_CONSTANT = 61
"""The paper's 60, and 1 as ranks start at 0 here."""


def concatenate(rankings: Rankings) -> list[Document]:
    """Return each document once, at its first place; of several copies the one with the highest score.

    :param rankings: lists of documents. A document without a score is below every other; the first of equals stays.

    >>> first, second = [Document(id="a", score=0.5)], [Document(id="b"), Document(id="a", score=0.9)]
    >>> [(document.id, document.score) for document in concatenate([first, second])]
    [('a', 0.9), ('b', None)]
    """
    return deduplicate(list(chain.from_iterable(rankings)))


def merge(rankings: Rankings, weights: Sequence[float] | None = None) -> list[Document]:
    """Return each document once, at its first place, with the weighted sum of its scores.

    The copy with the highest score stays, the first of equals. A document without a score adds 0; one whose score is NaN
    adds nothing, and the sum is NaN if there is no other.

    :param rankings: lists of documents.
    :param weights: one a list; by default all are equal and sum to 1.
    :raises ValueError: there are more or fewer weights than lists.

    >>> lists = [[Document(id="a", score=0.5)], [Document(id="a", score=1.0)]]
    >>> [document.score for document in merge(lists, weights=[0.8, 0.2])]
    [0.6000000000000001]
    """
    distinct = [deduplicate(ranking) for ranking in rankings]
    sums: dict[str, float] = {}
    for ranking, weight in _weighted(distinct, weights):
        for document in ranking:
            if not is_nan(document.score):
                part = _score(document) * weight if weight else 0.0
                sums[document.id] = sums.get(document.id, 0.0) + part
    return [replace(document, score=sums.get(document.id, math.nan)) for document in concatenate(distinct)]


def rrf(rankings: Rankings, weights: Sequence[float] | None = None, *, k: int = RANK_CONSTANT) -> list[Document]:
    """Return each document once, at its first place, scored by its ranks: `k` times the sum of weight / (k + rank).

    So a document that is first in every list scores 1, if the weights sum to 1. The copy with the best rank stays, the
    first of equals; scores are not looked at.

    :param rankings: lists of documents, best first.
    :param weights: one a list; by default all are equal and sum to 1.
    :param k: what is added to a rank, which starts at 0.
    :raises ValueError: there are more or fewer weights than lists.

    Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods*, SIGIR 2009.

    >>> a, b = Document(id="a"), Document(id="b")
    >>> [(document.id, round(document.score, 3)) for document in rrf([[a, b], [a]])]
    [('a', 1.0), ('b', 0.492)]
    """
    count = len(rankings)
    sums: dict[str, float] = {}
    best: dict[str, tuple[int, Document]] = {}
    for ranking, weight in _weighted(rankings, weights):
        for rank, document in enumerate(_firsts(ranking)):
            sums[document.id] = sums.get(document.id, 0.0) + (weight * count) / (k + rank)
            if document.id not in best or rank < best[document.id][0]:
                best[document.id] = (rank, document)
    return [replace(document, score=sums[id] / (count / k)) for id, (_, document) in best.items()]


def dbsf(rankings: Rankings) -> list[Document]:
    """Return each document once, at its first place, with the best of its scores as rescaled within its list.

    The mean less three standard deviations becomes 0, the mean and three more 1. A list whose scores are all the same
    keeps them. A missing score counts as 0; NaN and infinity stay what they are.

    :param rankings: lists of documents.

    Source: M. Mazzeschi, *Distribution-Based Score Fusion (DBSF), a new approach to vector search ranking*, 2023.

    >>> lists = [[Document(id="a", score=3.0), Document(id="b", score=1.0)], [Document(id="b", score=0.9)]]
    >>> [(document.id, round(document.score, 3)) for document in dbsf(lists)]
    [('a', 0.667), ('b', 0.9)]
    """
    return concatenate([_rescaled(deduplicate(ranking)) for ranking in rankings])


FUSIONS: Mapping[str, Callable[[Rankings, Sequence[float] | None], list[Document]]] = {
    "concatenate": lambda rankings, _: concatenate(rankings),
    "merge": merge,
    "reciprocal_rank_fusion": rrf,
    "distribution_based_rank_fusion": lambda rankings, _: dbsf(rankings),
}
"""The ways to fuse lists, by the names that Haystack gave them."""


def blend(
    documents: Sequence[Document], reordered: Sequence[Document], *, weight: float, mode: str = "reciprocal_rank_fusion"
) -> list[Document]:
    """Return documents by falling score, mixed from the order they came in and another one.

    :param documents: distinct documents in the first order.
    :param reordered: the same documents in the second order.
    :param weight: the share of the second order, 0 to 1.
    :param mode: ``reciprocal_rank_fusion``: both orders count as 1 / (61 + rank); ``linear_score``: the first counts by
        the documents' scores, which must be between 0 and 1 (else they count as 0), the second as (n - rank) / n.

    >>> two = [Document(id="a"), Document(id="b")]
    >>> [document.id for document in blend(two, two[::-1], weight=0.9)]
    ['b', 'a']
    """
    first, second = _BLENDS[mode]
    count = len(documents)
    own = {document.id: first(document, rank) * (1 - weight) for rank, document in enumerate(documents)}
    new = {document.id: second(rank, count) * weight for rank, document in enumerate(reordered)}
    return sort_by_score([replace(document, score=own[document.id] + new[document.id]) for document in documents])


def _weighted(rankings: Rankings, weights: Sequence[float] | None) -> Iterator[tuple[Sequence[Document], float]]:
    if weights is None and rankings:
        weights = [1 / len(rankings)] * len(rankings)
    if rankings and len(weights or ()) != len(rankings):
        raise ValueError(
            f"There are {len(rankings)} lists of documents but {len(weights or ())} weights: give one weight a list."
        )
    return zip(rankings, weights or (), strict=False)


def _firsts(ranking: Sequence[Document]) -> list[Document]:
    firsts: dict[str, Document] = {}
    for document in ranking:
        firsts.setdefault(document.id, document)
    return list(firsts.values())


def _score(document: Document) -> float:
    return 0.0 if document.score is None else document.score


def _rescaled(documents: Sequence[Document]) -> list[Document]:
    scores = [_score(document) for document in documents]
    finite = [score for score in scores if math.isfinite(score)]
    if finite and min(finite) != max(finite):
        mean = sum(finite) / len(finite)
        deviation = (sum((score - mean) ** 2 for score in finite) / len(finite)) ** 0.5
        low, high = mean - 3 * deviation, mean + 3 * deviation
        if high != low:  # scores can be too close for their deviation to be told from 0
            scores = [(score - low) / (high - low) for score in scores]
    return [replace(document, score=score) for document, score in zip(documents, scores, strict=True)]


def _reciprocal(rank: int) -> float:
    return 1 / (RANK_CONSTANT + rank)


def _unit_score(document: Document) -> float:
    if document.score is None:
        logger.warning("The score wasn't provided; defaulting to 0. The document is %s.", document.id)
    elif 0 <= document.score <= 1:
        return document.score
    else:
        logger.warning(
            "The score %s for Document %s is outside the [0,1] range; defaulting to 0.", document.score, document.id
        )
    return 0.0


_BLENDS: Mapping[str, tuple[Callable[[Document, int], float], Callable[[int, int], float]]] = {
    "reciprocal_rank_fusion": (lambda _, rank: _reciprocal(rank), lambda rank, _: _reciprocal(rank)),
    "linear_score": (lambda document, _: _unit_score(document), lambda rank, count: (count - rank) / count),
}
"""How much a document's place counts in the first order, and in the second."""


RRF = "reciprocal_rank_fusion"


def fuse(
    *rankings: Sequence[Document],
    join_mode: str = RRF,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the documents of several lists as one list.

    :param rankings: lists of documents, best first.
    :param join_mode: one of `FUSIONS`. Only ``concatenate`` leaves the documents in the order they came.
    :param top_k: how many documents at most. Lists that are just concatenated have no common order to cut by, so it
        means reciprocal rank fusion.
    :param min_score: what a document must score after the fusion.
    """
    yield from ()
    mode = join_mode if top_k is None else RRF
    fused = FUSIONS[mode](rankings, None)
    ordered = fused if mode == "concatenate" else sort_by_score(fused)
    if record is not None:
        record(trace_fusion(rankings, ordered))
    return best(drop_low_scores(ordered, min_score, record), top_k, record)


def pool(
    *found: Sequence[Document], min_score: float | None = None, record: Recorder | None = None
) -> StrategyRun[list[Document]]:
    """Return the documents of lists whose scores can be compared, best first; no score counts as 0.

    :param found: lists of documents. Of several copies the one with the highest score stays, the first of equals.
    :param min_score: what a document must score.
    """
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
    """Return the documents that score enough, as many of the first as are wanted.

    :param top_k: how many at most; None: all.
    :param min_score: what a document must score; one without a score stays.
    """
    yield from ()
    return best(drop_low_scores(list(documents), min_score, record), top_k, record)


def trace_fusion(rankings: Sequence[Sequence[Document]], fused: Sequence[Document]) -> Iterator[Fused]:
    """Yield for each document of a fused list where it stood in the lists that went in."""
    places: list[dict[str, int]] = []
    for ranking in rankings:
        ranks: dict[str, int] = {}
        for rank, document in enumerate(ranking, 1):
            ranks.setdefault(document.id, rank)
        places.append(ranks)
    for document in fused:
        yield Fused(document.id, tuple(ranks.get(document.id) for ranks in places), document.score)
