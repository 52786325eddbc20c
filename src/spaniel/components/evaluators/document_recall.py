"""Recall."""

import logging
from collections.abc import Hashable
from enum import Enum
from typing import Literal

from spaniel.components.evaluators.document_evaluator import DocumentEvaluator, Documents
from spaniel.core.component import component

logger = logging.getLogger(__name__)


class RecallMode(Enum):
    """Score of a query: 1 for any relevant document, or the share of the relevant documents."""

    SINGLE_HIT = "single_hit"
    MULTI_HIT = "multi_hit"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "RecallMode":
        """Return the mode of this name.

        :raises ValueError: the name is unknown.

        >>> RecallMode.from_str("multi_hit")
        <RecallMode.MULTI_HIT: 'multi_hit'>
        """
        try:
            return RecallMode(string)
        except ValueError:
            modes = [mode.value for mode in RecallMode]
            raise ValueError(f"Unknown recall mode '{string}'. Supported modes are: {modes}") from None


@component
class DocumentRecallEvaluator(DocumentEvaluator):
    """Computes the recall: the share of the relevant documents among the retrieved ones, at any rank.

    :param mode: a `RecallMode` or its name. ``single_hit``: a query scores 1 if one relevant document is retrieved, else
        0. ``multi_hit``: it scores the share of the relevant documents that are retrieved.
    :param document_comparison_field: two documents are the same if they have the same value of this field: ``content``,
        ``id``, or ``meta.`` and a key; dots lead into nested values. Documents without a value, or with an empty text,
        are ignored.
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
        self.mode = mode if isinstance(mode, RecallMode) else RecallMode.from_str(mode)

    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        relevant_values = self._collect_values(relevant, "ground truth")
        hits = relevant_values & self._collect_values(retrieved, "retrieved")
        return float(bool(hits)) if self.mode is RecallMode.SINGLE_HIT else len(hits) / max(len(relevant_values), 1)

    def _collect_values(self, documents: Documents, kind: str) -> set[Hashable]:
        values = set(self._values(documents)) - {None, ""}
        if not values:
            logger.warning(
                "There are no %s documents with a value under '%s': the query scores 0.",
                kind,
                self.document_comparison_field,
            )
        return values
