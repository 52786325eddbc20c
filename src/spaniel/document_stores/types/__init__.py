"""The protocols of document stores, and the policies of writing and filtering."""

from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.types.protocol import AsyncDocumentStore, DocumentStore, FindsById, FindsByKey
from spaniel.filters.policy import FilterPolicy, apply_filter_policy

__all__ = [
    "AsyncDocumentStore",
    "DocumentStore",
    "DuplicatePolicy",
    "FilterPolicy",
    "FindsById",
    "FindsByKey",
    "apply_filter_policy",
]
