"""Normalised discounted cumulative gain."""

from collections.abc import Hashable, Sequence
from math import log2

from spaniel.components.evaluators.document_evaluator import DocumentEvaluator, Documents, validate_lengths
from spaniel.core.component import component
from spaniel.dataclasses import Document


@component
class DocumentNDCGEvaluator(DocumentEvaluator):
    """Computes the normalised discounted cumulative gain, 0 to 1.

    It is the gain of a ranking relative to that of the ideal ranking. The gain of a relevant
    document is its score, or 1 if the relevant documents have no scores. A document counts once, at
    its first rank.

    :param document_comparison_field: two documents are the same if they have the same value of this
        field: ``content``, ``id``, or ``meta.`` and a key; dots lead into nested values. Documents
        without a value are ignored.

    Source: K. Järvelin, J. Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, 2002.

    >>> relevant = [[Document(content="Paris", score=1.0), Document(content="Rome", score=0.5)]]
    >>> retrieved = [[Document(content="Paris"), Document(content="Oslo"), Document(content="Rome")]]
    >>> round(DocumentNDCGEvaluator().run(relevant, retrieved)["score"], 4)
    0.9502
    """

    @staticmethod
    def validate_inputs(gt_docs: list[list[Document]], ret_docs: list[list[Document]]) -> None:
        """Validate the inputs of `run`.

        :param gt_docs: the relevant documents of each query.
        :param ret_docs: the retrieved documents of each query.
        :raises ValueError: there are no queries, the lists differ in length, or only some of the
            relevant documents of a query have a score.
        """
        validate_lengths(gt_docs, ret_docs)
        for index, documents in enumerate(gt_docs):
            if len({document.score is None for document in documents}) > 1:
                raise ValueError(
                    "Either none or all documents in each list of ground_truth_documents must have a score. "
                    f"In the list number {index} only some have one."
                )

    def calculate_dcg(self, gt_docs: Documents, ret_docs: Documents) -> float:
        """Return the discounted cumulative gain of a query: the sum of gain / log2(rank + 1).

        :param gt_docs: the relevant documents.
        :param ret_docs: the retrieved documents, best first.
        """
        gains = self._gains(gt_docs)
        return _sum_discounted([gains.pop(value, 0.0) for value in self._values(ret_docs)])

    def calculate_idcg(self, gt_docs: Documents) -> float:
        """Return the discounted cumulative gain of the ideal ranking.

        :param gt_docs: the relevant documents.
        """
        return _sum_discounted(sorted(self._gains(gt_docs).values(), reverse=True))

    def _validate(self, relevant: Sequence[Documents], retrieved: Sequence[Documents]) -> None:
        super()._validate(relevant, retrieved)
        self.validate_inputs([list(each) for each in relevant], [list(each) for each in retrieved])

    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        ideal = self.calculate_idcg(relevant)
        return self.calculate_dcg(relevant, retrieved) / ideal if ideal > 0 else 0.0

    def _gains(self, documents: Documents) -> dict[Hashable, float]:
        gains: dict[Hashable, float] = {}
        for document, value in zip(documents, self._values(documents), strict=True):
            if value is not None:
                gain = 1.0 if document.score is None else document.score
                gains[value] = max(gains.get(value, gain), gain)
        return gains


def _sum_discounted(gains: Sequence[float]) -> float:
    total = 0.0  # not by `sum`, which rounds differently from Python 3.12 on
    for rank, gain in enumerate(gains, 1):
        total += gain / log2(rank + 1)
    return total
