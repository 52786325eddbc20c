"""What a document store must do, and what it may do besides."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.document_stores.types.policy import DuplicatePolicy


@runtime_checkable
class SyncDocumentStore(Protocol):
    """Keeps documents and finds them by filter: what every store can do.

    Components take such a store too; where they need an async method that it lacks, they call the plain one in a thread.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the store's settings, not its documents, as plain data."""
        ...

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return a store with the settings that `to_dict` wrote."""
        ...

    def count_documents(self) -> int:
        """Return how many documents the store holds."""
        ...

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""
        ...

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Return how many documents were written: all of them, or an error and none."""
        ...

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids; ids that the store does not hold are ignored."""
        ...


@runtime_checkable
class DocumentStore(SyncDocumentStore, Protocol):
    """A store whose every method has an async twin of the same meaning."""

    async def count_documents_async(self) -> int:
        """Return how many documents the store holds."""
        ...

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""
        ...

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Return how many documents were written: all of them, or an error and none."""
        ...

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids; ids that the store does not hold are ignored."""
        ...


@runtime_checkable
class FindsById(Protocol):
    """A store that finds documents by id faster than by a filter."""

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in store order; ids that the store does not hold are left out."""
        ...


@runtime_checkable
class FindsByKey(Protocol):
    """A store that finds documents by one metadata value, be it a scalar or an element of a list."""

    def get_documents_by_key(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents whose value under `key` is one of `values` or, if a list, holds one, in store order."""
        ...


@runtime_checkable
class FindsByKeys(Protocol):
    """A store that finds documents by the values of several metadata keys in one call."""

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Any]], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents that `get_documents_by_key` finds for any of the keys, each once, in store order."""
        ...


@runtime_checkable
class FindsInRanges(Protocol):
    """A store that finds the documents of several ranges of numbers faster than by a filter."""

    def get_documents_in_ranges(
        self, source_fields: Sequence[str], number_field: str, ranges: Sequence[tuple[Sequence[Any], Any, Any]]
    ) -> list[Document]:
        """Return the documents whose number lies in one of the ranges, in store order.

        :param source_fields: the metadata fields that say which source a document is of.
        :param number_field: the metadata field with its number there.
        :param ranges: for each range the values of the source fields, its first and its last number.
        """
        ...


@runtime_checkable
class SearchesByWords(Protocol):
    """A store that ranks documents by the words of a query."""

    def bm25_retrieval(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the best documents, each with its score, best first."""
        ...


@runtime_checkable
class SearchesByVector(Protocol):
    """A store that ranks documents by how similar their embeddings are to a vector."""

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the most similar documents, each with its score, best first."""
        ...
