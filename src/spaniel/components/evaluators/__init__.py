"""Measures of retrieval quality, for queries whose relevant documents are known."""

from spaniel.components.evaluators.document_map import DocumentMAPEvaluator
from spaniel.components.evaluators.document_mrr import DocumentMRREvaluator
from spaniel.components.evaluators.document_ndcg import DocumentNDCGEvaluator
from spaniel.components.evaluators.document_recall import DocumentRecallEvaluator, RecallMode

__all__ = [
    "DocumentMAPEvaluator",
    "DocumentMRREvaluator",
    "DocumentNDCGEvaluator",
    "DocumentRecallEvaluator",
    "RecallMode",
]
