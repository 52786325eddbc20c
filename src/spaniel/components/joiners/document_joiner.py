"""Joined lists of documents."""

import logging
import math
from collections.abc import Sequence

from spaniel.components.option_enum import OptionEnum
from spaniel.core.component import Variadic, component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.strategies.fusion import FUSIONS, FusionMode, trace_fusion
from spaniel.strategies.scores import sort_by_score
from spaniel.tracing import note

logger = logging.getLogger(__name__)


class JoinMode(OptionEnum):
    """Score and order of the joined documents."""

    CONCATENATE = "concatenate"
    MERGE = "merge"
    RECIPROCAL_RANK_FUSION = "reciprocal_rank_fusion"
    DISTRIBUTION_BASED_RANK_FUSION = "distribution_based_rank_fusion"


@component
class DocumentJoiner(Serializable):
    """Joins lists of documents without duplicates.

    :param join_mode: a `JoinMode` or its name. ``concatenate`` keeps the copy with the highest
        score. ``merge`` adds the weighted scores. ``reciprocal_rank_fusion`` uses ranks alone, for
        lists whose scores are not comparable. ``distribution_based_rank_fusion`` rescales the
        scores of each list, then concatenates.
    :param weights: the weight of each list in ``merge`` and ``reciprocal_rank_fusion``, normalised
        to a sum of 1.
    :param top_k: the maximum number of documents; None returns all.
    :param sort_by_score: sort by falling score, with documents without a score last; else keep the
        order of arrival.
    :raises ValueError: the mode is unknown, `top_k` is not greater than 0, or the weights are
        negative or sum to 0.

    >>> keywords = [Document(id="a", score=12.5), Document(id="b", score=7.0)]
    >>> vectors = [Document(id="b", score=0.9), Document(id="c", score=0.4)]
    >>> joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=2)
    >>> [document.id for document in joiner.run([keywords, vectors])["documents"]]
    ['b', 'a']
    """

    def __init__(
        self,
        join_mode: FusionMode | JoinMode = JoinMode.CONCATENATE,
        weights: list[float] | None = None,
        top_k: int | None = None,
        sort_by_score: bool = True,
    ) -> None:
        if top_k is not None and top_k <= 0:
            raise ValueError(f"top_k must be greater than 0, got {top_k}.")
        self.join_mode = JoinMode.from_str(join_mode)
        self.weights = _normalize_weights(weights) if weights else None
        self.top_k = top_k
        self.sort_by_score = sort_by_score

    @component.output_types(documents=list[Document])
    def run(self, documents: Variadic[list[Document]], top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the joined documents under ``documents``.

        :param documents: the lists.
        :param top_k: overrides the constructor's; 0 returns no documents.
        :raises ValueError: `top_k` is negative, or the number of weights is not the number of
            lists.
        """
        if top_k is not None and top_k < 0:
            raise ValueError(f"top_k must not be negative, got {top_k}.")
        top_k = self.top_k if top_k is None else top_k
        lists = list(documents)
        joined = FUSIONS[self.join_mode.value](lists, self.weights)
        if self.sort_by_score:
            if any(document.score is None for document in joined):
                logger.info(
                    "Some documents have no score: those with score=None were sorted as if they had a score of -infinity."
                )
            joined = sort_by_score(joined)
        kept = joined[:top_k]
        settings = {"join_mode": self.join_mode.value, "weights": self.weights, "top_k": top_k}
        note(type(self).__name__, lists, kept, events=trace_fusion(lists, joined), **settings)
        return {"documents": kept}


def _normalize_weights(weights: Sequence[float]) -> list[float]:
    if not all(0 <= weight < math.inf for weight in weights):
        raise ValueError(f"The weights must not be negative, infinite or NaN, got {weights}.")
    total = sum(weights)
    if total == 0:
        raise ValueError(f"The weights must not sum to zero, got {weights}.")
    return [weight / total for weight in weights]
