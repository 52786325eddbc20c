"""Recall."""

import logging
from collections.abc import Hashable
from typing import Literal

from spaniel.components.evaluators.document_evaluator import DocumentEvaluator, Documents
from spaniel.components.option_enum import OptionEnum
from spaniel.core.component import component

logger = logging.getLogger(__name__)


class RecallMode(OptionEnum):
    """Score of a query: 1 for any relevant document, or the share of the relevant documents."""

    SINGLE_HIT = "single_hit"
    MULTI_HIT = "multi_hit"


@component
class DocumentRecallEvaluator(DocumentEvaluator):
    """Computes the recall: the share of the relevant documents that are retrieved.

    :param mode: a `RecallMode` or its name. ``single_hit``: a query scores 1 if one relevant
        document is retrieved, else 0. ``multi_hit``: it scores the share of the relevant documents
        that are retrieved.
    :param document_comparison_field: two documents are the same if they have the same value of this
        field: ``content``, ``id``, or ``meta.`` and a key; dots lead into nested values. Documents
        without a value, or with an empty text, are ignored.
    :raises ValueError: the mode is unknown.

    >>> from spaniel import Document
    >>> relevant = [[Document(content="Paris"), Document(content="Rome")]]
    >>> retrieved = [[Document(content="Rome"), Document(content="Oslo")]]
    >>> DocumentRecallEvaluator(mode="multi_hit").run(relevant, retrieved)["score"]
    0.5
    """

    def __init__(
        self,
        mode: Literal["single_hit", "multi_hit"] | RecallMode = RecallMode.SINGLE_HIT,
        document_comparison_field: str = "content",
    ) -> None:
        super().__init__(document_comparison_field)
        self.mode = RecallMode.from_str(mode)

    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        relevant_values = self._collect_values(relevant, "ground truth")
        hits = relevant_values & self._collect_values(retrieved, "retrieved")
        return float(bool(hits)) if self.mode is RecallMode.SINGLE_HIT else len(hits) / max(len(relevant_values), 1)

    def _collect_values(self, documents: Documents, kind: str) -> set[Hashable]:
        values = set(self._values(documents)) - {None, ""}
        if not values:
            message = "There are no %s documents with a value under '%s': the query scores 0."
            logger.warning(message, kind, self.document_comparison_field)
        return values
