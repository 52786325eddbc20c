"""The store that lives in memory, and can be saved to a file."""

from spaniel.document_stores.in_memory.document_store import InMemoryDocumentStore

__all__ = ["InMemoryDocumentStore"]
