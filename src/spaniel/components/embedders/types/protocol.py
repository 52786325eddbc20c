"""What a component must do to be used as an embedder by another one."""

from typing import Any, Protocol, runtime_checkable

from spaniel.dataclasses import Document


class TextEmbedder(Protocol):
    """Anything that gives a text a vector; its ``run`` may take more."""

    def run(self, text: str) -> dict[str, Any]:
        """Return the vector under ``embedding``."""
        ...


@runtime_checkable
class BatchTextEmbedder(Protocol):
    """A text embedder that also takes many texts at once, which is faster with most models.

    It may have a ``run_batch_async``, too.
    """

    def run(self, text: str) -> dict[str, Any]:
        """Return the vector under ``embedding``."""
        ...

    def run_batch(self, texts: list[str]) -> dict[str, Any]:
        """Return one vector a text under ``embeddings``."""
        ...


class DocumentEmbedder(Protocol):
    """Anything that gives documents their vectors; its ``run`` may take more."""

    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Return the documents with their vectors under ``documents``."""
        ...
