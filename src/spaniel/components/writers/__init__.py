"""Components that write documents to a store."""

from spaniel.components.writers.document_writer import DocumentWriter

__all__ = ["DocumentWriter"]
