"""The protocols of document stores; those of their optional methods are in `spaniel.store_methods`."""

from typing import Any, Protocol, Self, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.store_methods import FiltersDocuments


@runtime_checkable
class SyncDocumentStore(FiltersDocuments, Protocol):
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
