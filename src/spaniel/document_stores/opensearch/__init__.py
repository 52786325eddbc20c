"""Documents in an OpenSearch cluster."""

from spaniel.document_stores.opensearch.document_store import OpenSearchDocumentStore

__all__ = ["OpenSearchDocumentStore"]
