"""Mean average precision."""

from collections.abc import Sequence
from typing import Any

from spaniel.components.evaluators.document_evaluator import ComparesDocuments
from spaniel.core.component import component
from spaniel.dataclasses import Document


@component
class DocumentMAPEvaluator(ComparesDocuments):
    """Returns the mean average precision: how high all the right documents stand.

    Each right document counts once, where it is found first. Right documents that are not found count as 0.

    :param document_comparison_field: what makes two documents the same: ``content``, ``id``, or ``meta.`` and a key; dots
        lead into nested values. A document without a value is left out.

    >>> truths = [[Document(content="Paris"), Document(content="Rome")]]
    >>> found = [[Document(content="Paris"), Document(content="Oslo"), Document(content="Rome")]]
    >>> round(DocumentMAPEvaluator().run(truths, found)["score"], 4)
    0.8333
    """

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """Return the mean under ``score`` and each question's average precision under ``individual_scores``.

        :param ground_truth_documents: the right documents, one list a question.
        :param retrieved_documents: what was found, best first, one list a question.
        :raises ValueError: there are no questions, not as many lists of one kind as of the other, or the field is unknown.
        """
        return self._evaluate(ground_truth_documents, retrieved_documents, self._average_precision)

    def _average_precision(self, truths: Sequence[Document], retrieved: Sequence[Document]) -> float:
        right = set(self._values(truths)) - {None}
        found: set[Any] = set()
        precisions = 0.0
        for rank, value in enumerate(self._values(retrieved), 1):
            if value in right and value not in found:
                found.add(value)
                precisions += len(found) / rank
        return precisions / len(right) if right else 0.0
