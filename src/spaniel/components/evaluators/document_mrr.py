"""Mean reciprocal rank."""

from collections.abc import Sequence
from typing import Any

from spaniel.components.evaluators.document_evaluator import ComparesDocuments
from spaniel.core.component import component
from spaniel.dataclasses import Document


@component
class DocumentMRREvaluator(ComparesDocuments):
    """Returns the mean reciprocal rank: how high the first right document stands.

    :param document_comparison_field: what makes two documents the same: ``content``, ``id``, or ``meta.`` and a key; dots
        lead into nested values. A document without a value is no hit.

    >>> truths = [[Document(content="Paris")], [Document(content="Rome")]]
    >>> found = [[Document(content="Paris")], [Document(content="Oslo"), Document(content="Rome")]]
    >>> DocumentMRREvaluator().run(truths, found)
    {'score': 0.75, 'individual_scores': [1.0, 0.5]}
    """

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """Return the mean under ``score`` and each question's 1 / rank, 0 without a hit, under ``individual_scores``.

        :param ground_truth_documents: the right documents, one list a question.
        :param retrieved_documents: what was found, best first, one list a question.
        :raises ValueError: there are no questions, not as many lists of one kind as of the other, or the field is unknown.
        """
        return self._evaluate(ground_truth_documents, retrieved_documents, self._reciprocal_rank)

    def _reciprocal_rank(self, truths: Sequence[Document], retrieved: Sequence[Document]) -> float:
        right = set(self._values(truths)) - {None}
        ranks = (rank for rank, value in enumerate(self._values(retrieved), 1) if value in right)
        return next((1 / rank for rank in ranks), 0.0)
