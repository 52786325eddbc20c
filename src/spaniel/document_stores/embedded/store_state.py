"""Protocols of the state behind a store, in memory or in a folder."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from spaniel._engine import KeywordIndex, SlotSet, VectorIndex
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.embedded.writer import AsyncWriter
from spaniel.errors import DocumentStoreError
from spaniel.filters import Filter
from spaniel.json_types import Json, Meta

T = TypeVar("T")
NumberedDocuments = list[tuple[int, Document]]
"""Documents with their slots, in store order."""


class StaleReadError(DocumentStoreError):
    """The store has been written to since the start of a read that needs more of its state."""


class StoreState(Protocol):
    """Documents and their indexes for reading. Every method is atomic for all threads.

    A slot is the number of a document in the order of writing, so ties resolve by slot.
    """

    @property
    def indexing(self) -> IndexSettings:
        """The settings of the indexes."""

    @property
    def keywords(self) -> KeywordIndex:
        """The keyword index."""

    def vectors(self) -> VectorIndex:
        """Return the index of the vectors."""

    def read_consistently(self, read: Callable[[], T]) -> T:
        """Return the result of `read`, computed on one state of the store; it may be called again."""

    def count(self) -> int:
        """Return the number of documents."""

    def all(self) -> NumberedDocuments:
        """Return every document."""

    def ids(self) -> list[str]:
        """Return the ids of all documents, in store order."""

    def get_by_id(self, ids: Collection[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""

    def get_by_slot(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of these slots, in the order given."""

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the slots of the stored documents among these ids."""

    def find_matching(self, filter: Filter, *, strict_dates: bool) -> NumberedDocuments:
        """Return the documents that match a filter."""

    def find_matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        """Return the slots of the documents that match a filter."""

    def find_holding(self, wanted: Mapping[str, Sequence[Json]]) -> NumberedDocuments:
        """Return the documents that hold a value wanted under a key, or a list with it."""


class WritableStoreState(StoreState, Protocol):
    """Documents and their indexes for writing. Every change takes effect wholly or not at all."""

    @property
    def writer(self) -> AsyncWriter:
        """The queue of async writes."""

    def prepare_approximate_search(self) -> None:
        """Build the codes for approximate vector search, and keep them up to date from now on."""

    def delete(self, ids: Collection[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        """Delete the documents that match a filter, and return their number."""

    def update_matching(self, filter: Filter, meta: Meta, *, strict_dates: bool) -> int:
        """Merge `meta` into that of the documents that match a filter; return their number."""

    def clear(self) -> None:
        """Delete all documents."""
