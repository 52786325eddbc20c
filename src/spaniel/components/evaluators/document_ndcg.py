"""Normalised discounted cumulative gain."""

from collections.abc import Sequence
from math import log2
from typing import Any

from spaniel.components.evaluators.document_evaluator import ComparesDocuments, check_lengths
from spaniel.core.component import component
from spaniel.dataclasses import Document


@component
class DocumentNDCGEvaluator(ComparesDocuments):
    """Returns the normalised discounted cumulative gain: how near the order found is to the best one.

    A right document gains its score, or 1 where the right documents have none. Each counts once, where it is found first.

    :param document_comparison_field: what makes two documents the same: ``content``, ``id``, or ``meta.`` and a key; dots
        lead into nested values. A document without a value is left out.

    Source: K. Järvelin, J. Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, 2002.

    >>> truths = [[Document(content="Paris", score=1.0), Document(content="Rome", score=0.5)]]
    >>> found = [[Document(content="Paris"), Document(content="Oslo"), Document(content="Rome")]]
    >>> round(DocumentNDCGEvaluator().run(truths, found)["score"], 4)
    0.9502
    """

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """Return the mean under ``score`` and each question's gain, 0 to 1, under ``individual_scores``.

        :param ground_truth_documents: the right documents, one list a question.
        :param retrieved_documents: what was found, best first, one list a question.
        :raises ValueError: there are no questions, not as many lists of one kind as of the other, the right documents of a
            question have scores in part, or the field is unknown.
        """
        self.validate_inputs(ground_truth_documents, retrieved_documents)
        return self._evaluate(ground_truth_documents, retrieved_documents, self._normalised)

    @staticmethod
    def validate_inputs(gt_docs: list[list[Document]], ret_docs: list[list[Document]]) -> None:
        """Check what `run` is given.

        :param gt_docs: the right documents, one list a question.
        :param ret_docs: what was found, one list a question.
        :raises ValueError: as in `run`.
        """
        check_lengths(gt_docs, ret_docs)
        for number, documents in enumerate(gt_docs):
            if len({document.score is None for document in documents}) > 1:
                raise ValueError(
                    "Either none or all documents in each list of ground_truth_documents must have a score. "
                    f"In the list number {number} only some have one."
                )

    def calculate_dcg(self, gt_docs: list[Document], ret_docs: list[Document]) -> float:
        """Return the discounted cumulative gain of one question: the sum of gain / log2(rank + 1).

        :param gt_docs: the right documents.
        :param ret_docs: what was found, best first.
        """
        gains = self._gains(gt_docs)
        return _discounted([gains.pop(value, 0.0) for value in self._values(ret_docs)])

    def calculate_idcg(self, gt_docs: list[Document]) -> float:
        """Return the discounted cumulative gain of the right documents in the best order.

        :param gt_docs: the right documents.
        """
        return _discounted(sorted(self._gains(gt_docs).values(), reverse=True))

    def _normalised(self, truths: Sequence[Document], retrieved: Sequence[Document]) -> float:
        ideal = self.calculate_idcg(list(truths))
        return self.calculate_dcg(list(truths), list(retrieved)) / ideal if ideal > 0 else 0.0

    def _gains(self, documents: Sequence[Document]) -> dict[Any, float]:
        gains: dict[Any, float] = {}
        for document, value in zip(documents, self._values(documents), strict=True):
            if value is not None:
                gain = 1.0 if document.score is None else document.score
                gains[value] = max(gains.get(value, gain), gain)
        return gains


def _discounted(gains: Sequence[float]) -> float:
    total = 0.0
    for rank, gain in enumerate(gains, 1):
        total += gain / log2(rank + 1)
    return total
