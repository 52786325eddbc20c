"""Mean reciprocal rank."""

from spaniel.components.evaluators.document_evaluator import DocumentEvaluator, Documents
from spaniel.core.component import component


@component
class DocumentMRREvaluator(DocumentEvaluator):
    """Computes the mean reciprocal rank: 1 / rank of the first relevant document, else 0.

    :param document_comparison_field: two documents are the same if they have the same value of this
        field: ``content``, ``id``, or ``meta.`` and a key; dots lead into nested values. Documents
        without a value are ignored.

    >>> from spaniel import Document
    >>> relevant = [[Document(content="Paris")], [Document(content="Rome")]]
    >>> retrieved = [[Document(content="Paris")], [Document(content="Oslo"), Document(content="Rome")]]
    >>> DocumentMRREvaluator().run(relevant, retrieved)
    {'score': 0.75, 'individual_scores': [1.0, 0.5]}
    """

    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        relevant_values = set(self._values(relevant)) - {None}
        ranks = (rank for rank, value in enumerate(self._values(retrieved), 1) if value in relevant_values)
        return next((1 / rank for rank in ranks), 0.0)
