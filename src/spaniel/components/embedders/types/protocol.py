"""Protocols of the embedders that other components call."""

from typing import Any, Protocol, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject


class TextEmbedder(Protocol):
    """A component that turns a text into a vector; its ``run`` may have more parameters."""

    def run(self, text: str) -> JsonObject:
        """Return the vector under ``embedding``."""
        ...


@runtime_checkable
class BatchTextEmbedder(TextEmbedder, Protocol):
    """A text embedder that also takes several texts per call, which is faster with most models.

    It may also have a ``run_batch_async``.
    """

    def run_batch(self, texts: list[str]) -> JsonObject:
        """Return the vectors, in the order of the texts, under ``embeddings``."""
        ...


class DocumentEmbedder(Protocol):
    """A component that turns documents into vectors; its ``run`` may have more parameters."""

    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Return the documents with their vectors under ``documents``."""
        ...
