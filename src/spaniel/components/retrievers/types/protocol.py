"""The protocols of retrievers that other components call."""

from typing import Any, Protocol

from spaniel.json_types import Filters


class TextRetriever(Protocol):
    """A component that finds documents for a text; its ``run`` may take more."""

    def run(self, query: str, filters: Filters | None = None, top_k: int | None = None) -> dict[str, Any]:
        """Return the documents under ``documents``, best first."""
        ...


class EmbeddingRetriever(Protocol):
    """A component that finds documents for a vector; its ``run`` may take more."""

    def run(
        self, query_embedding: list[float], filters: Filters | None = None, top_k: int | None = None
    ) -> dict[str, Any]:
        """Return the documents under ``documents``, best first."""
        ...
