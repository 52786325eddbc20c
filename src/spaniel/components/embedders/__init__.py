"""Components that turn texts into vectors."""

from spaniel.components.embedders.mock_document_embedder import MockDocumentEmbedder
from spaniel.components.embedders.mock_text_embedder import MockTextEmbedder

__all__ = ["MockDocumentEmbedder", "MockTextEmbedder"]
