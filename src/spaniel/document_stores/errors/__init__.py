"""Haystack's path of the errors of document stores (see `spaniel.core.haystack_names`)."""

from spaniel.errors import DocumentStoreError, DuplicateDocumentError, MissingDocumentError

__all__ = ["DocumentStoreError", "DuplicateDocumentError", "MissingDocumentError"]
