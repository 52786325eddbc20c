"""The store that keeps documents in a folder: durable, open at once, readable by many processes."""

from spaniel.document_stores.local.document_store import LocalDocumentStore

__all__ = ["LocalDocumentStore"]
