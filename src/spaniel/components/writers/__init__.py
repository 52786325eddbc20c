"""From documents into a store."""

from spaniel.components.writers.document_writer import DocumentWriter

__all__ = ["DocumentWriter"]
