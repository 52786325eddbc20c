"""Mean average precision."""

from spaniel.components.evaluators.document_evaluator import DocumentEvaluator, Documents
from spaniel.core.component import component


@component
class DocumentMAPEvaluator(DocumentEvaluator):
    """Computes the mean average precision.

    The average precision of a query is the mean of the precisions at the ranks of its relevant
    documents. A relevant document counts once, at its first rank; if it is not retrieved, as 0.

    :param document_comparison_field: two documents are the same if they have the same value of this
        field: ``content``, ``id``, or ``meta.`` and a key; dots lead into nested values. Documents
        without a value are ignored.

    >>> from spaniel import Document
    >>> relevant = [[Document(content="Paris"), Document(content="Rome")]]
    >>> retrieved = [[Document(content="Paris"), Document(content="Oslo"), Document(content="Rome")]]
    >>> round(DocumentMAPEvaluator().run(relevant, retrieved)["score"], 4)
    0.8333
    """

    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        remaining = set(self._values(relevant)) - {None}
        num_relevant, num_hits, precisions = len(remaining), 0, 0.0
        for rank, value in enumerate(self._values(retrieved), 1):
            if value in remaining:
                remaining.remove(value)
                num_hits += 1
                precisions += num_hits / rank
        return precisions / num_relevant if num_relevant else 0.0
