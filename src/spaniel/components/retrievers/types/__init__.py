"""What counts as a retriever."""

from spaniel.components.retrievers.types.protocol import EmbeddingRetriever, TextRetriever

__all__ = ["EmbeddingRetriever", "TextRetriever"]
