"""The errors of document stores, under Haystack's module path."""

from spaniel.errors import DocumentStoreError, DuplicateDocumentError, MissingDocumentError

__all__ = ["DocumentStoreError", "DuplicateDocumentError", "MissingDocumentError"]
