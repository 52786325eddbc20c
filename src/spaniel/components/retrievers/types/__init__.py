"""The protocols of retrievers."""

from spaniel.components.retrievers.types.protocol import EmbeddingRetriever, TextRetriever

__all__ = ["EmbeddingRetriever", "TextRetriever"]
