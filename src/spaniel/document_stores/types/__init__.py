"""The protocols of document stores, and the policies of writing and filtering."""

from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.types.protocol import DocumentStore, SyncDocumentStore
from spaniel.filters.policy import FilterPolicy, apply_filter_policy
from spaniel.store_methods import FindsById, FindsByKey, FindsByKeys, FindsInRanges, SupportsBM25, SupportsVectorSearch

__all__ = [
    "DocumentStore",
    "DuplicatePolicy",
    "FilterPolicy",
    "FindsById",
    "FindsByKey",
    "FindsByKeys",
    "FindsInRanges",
    "SupportsBM25",
    "SupportsVectorSearch",
    "SyncDocumentStore",
    "apply_filter_policy",
]
