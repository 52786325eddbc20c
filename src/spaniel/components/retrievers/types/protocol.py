"""What a component must do to be used as a retriever by another one."""

from typing import Any, Protocol


class TextRetriever(Protocol):
    """Anything that finds documents for a text, such as `InMemoryBM25Retriever`; its ``run`` may take more."""

    def run(self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None) -> dict[str, Any]:
        """Return the documents under ``documents``, best first."""
        ...


class EmbeddingRetriever(Protocol):
    """Anything that finds documents for a vector, such as `InMemoryEmbeddingRetriever`; its ``run`` may take more."""

    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, Any]:
        """Return the documents under ``documents``, best first."""
        ...
