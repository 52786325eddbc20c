"""Recall."""

import logging
from collections.abc import Sequence
from enum import Enum
from typing import Any

from spaniel.components.evaluators.document_evaluator import ComparesDocuments
from spaniel.core.component import component
from spaniel.dataclasses import Document

logger = logging.getLogger(__name__)


class RecallMode(Enum):
    """What `DocumentRecallEvaluator` counts: whether one right document was found, or how many of them."""

    SINGLE_HIT = "single_hit"
    MULTI_HIT = "multi_hit"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "RecallMode":
        """Return the mode of this name.

        :raises ValueError: there is none.

        >>> RecallMode.from_str("multi_hit")
        <RecallMode.MULTI_HIT: 'multi_hit'>
        """
        try:
            return RecallMode(string)
        except ValueError:
            modes = [mode.value for mode in RecallMode]
            raise ValueError(f"Unknown recall mode '{string}'. Supported modes are: {modes}") from None


@component
class DocumentRecallEvaluator(ComparesDocuments):
    """Returns the recall: which share of the right documents was found, wherever they stand.

    :param mode: a `RecallMode` or its name. ``single_hit``: a question scores 1 if one right document was found, else 0.
        ``multi_hit``: it scores the share of the right documents that were found.
    :param document_comparison_field: what makes two documents the same: ``content``, ``id``, or ``meta.`` and a key; dots
        lead into nested values. A document without a value, or with an empty text, is left out.
    :raises ValueError: the mode is unknown.

    >>> truths = [[Document(content="Paris"), Document(content="Rome")]]
    >>> found = [[Document(content="Rome"), Document(content="Oslo")]]
    >>> DocumentRecallEvaluator(mode="multi_hit").run(truths, found)["score"]
    0.5
    """

    def __init__(
        self, mode: str | RecallMode = RecallMode.SINGLE_HIT, document_comparison_field: str = "content"
    ) -> None:
        super().__init__(document_comparison_field)
        self.mode = mode if isinstance(mode, RecallMode) else RecallMode.from_str(mode)

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """Return the mean under ``score`` and each question's recall under ``individual_scores``.

        :param ground_truth_documents: the right documents, one list a question.
        :param retrieved_documents: what was found, one list a question.
        :raises ValueError: there are no questions, not as many lists of one kind as of the other, or the field is unknown.
        """
        return self._evaluate(ground_truth_documents, retrieved_documents, self._recall)

    def _recall(self, truths: Sequence[Document], retrieved: Sequence[Document]) -> float:
        right = self._told_values(truths, "ground truth")
        found = right & self._told_values(retrieved, "retrieved")
        return float(bool(found)) if self.mode is RecallMode.SINGLE_HIT else len(found) / max(len(right), 1)

    def _told_values(self, documents: Sequence[Document], kind: str) -> set[Any]:
        values = set(self._values(documents)) - {None, ""}
        if not values:
            logger.warning(
                "There are no %s documents with a value under '%s': the question scores 0.",
                kind,
                self.document_comparison_field,
            )
        return values
