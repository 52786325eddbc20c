"""The protocols of document stores; those of optional methods are in `spaniel.store_methods`."""

from typing import Protocol, Self, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.json_types import Filters, JsonObject
from spaniel.store_methods import FiltersDocuments


@runtime_checkable
class SyncDocumentStore(FiltersDocuments, Protocol):
    """The methods of every store; async components call them in a thread."""

    def to_dict(self) -> JsonObject:
        """Return the settings of the store, without its documents, as plain data."""

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return a store with the settings that `to_dict` wrote."""

    def count_documents(self) -> int:
        """Return the number of documents."""

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write documents, and return their number: all of them, or an error and none."""

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""


@runtime_checkable
class DocumentStore(SyncDocumentStore, Protocol):
    """A store with an async counterpart of every method."""

    async def count_documents_async(self) -> int:
        """Return the number of documents."""

    async def filter_documents_async(self, filters: Filters | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Write documents, and return their number: all of them, or an error and none."""

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
