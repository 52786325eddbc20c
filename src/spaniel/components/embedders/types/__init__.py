"""Protocols of embedders."""

from spaniel.components.embedders.types.protocol import BatchTextEmbedder, DocumentEmbedder, TextEmbedder

__all__ = ["BatchTextEmbedder", "DocumentEmbedder", "TextEmbedder"]
