"""What holds the documents of a store: the part in which the in-memory store and the local one differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.filters.equality import plain

if TYPE_CHECKING:
    from spaniel._engine import KeywordIndex, SlotSet, VectorIndex
    from spaniel.document_stores.embedded.writer import AsyncWriter
    from spaniel.filters import Filter

T = TypeVar("T")
Tokenizer = Callable[[str], list[str]]
Cjk = Literal["characters", "bigrams"]
CJK = ("characters", "bigrams")
Numbered = list[tuple[int, Document]]
"""Documents with their slots, in store order."""

SEARCH_SCOPES: Mapping[str, Callable[[Document], bool]] = {
    "all": lambda _: True,
    "leaves": lambda document: not plain(document.meta.get(CHILDREN)),
}
"""Which documents are searched: all, or only those without children. The others are kept, filtered and fetched."""


@dataclass(frozen=True)
class Indexing:
    """How documents are indexed; stores that share their documents must agree on it."""

    search: str
    cjk: Cjk
    bm25_tokenization_regex: str
    bm25_tokenizer: Tokenizer | None


class Contents(Protocol):
    """The documents and their indexes, to be read. Every method is atomic for all threads.

    A slot is a document's number in the order of writing, so ties resolve by slot.
    """

    @property
    def writer(self) -> AsyncWriter:
        """The writer, of which there is one at a time."""

    @property
    def keywords(self) -> KeywordIndex:
        """The keyword index."""

    def count(self) -> int:
        """Return how many documents there are."""

    def consistently(self, read: Callable[[], T]) -> T:
        """Return what `read` returns, all of one state of the store; it may be called again.

        :param read: calls methods of this object and of `keywords`.
        """

    def all(self) -> Numbered:
        """Return every document."""

    def by_id(self, ids: Collection[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""

    def by_slot(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of these slots, in the order given.

        :raises KeyError: one is gone.
        """

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the slots of those ids that are stored."""

    def matching(self, filter: Filter, *, strict_dates: bool) -> Numbered:
        """Return the documents that match a filter."""

    def matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        """Return the slots of the documents that match a filter."""

    def holding(self, wanted: Mapping[str, Sequence[Any]]) -> Numbered:
        """Return the documents that hold a wanted value under its key: it equals theirs, or an element of their list."""

    def vectors(self) -> VectorIndex:
        """Return the index of the vectors."""


class WritableContents(Contents, Protocol):
    """The documents and their indexes, to be changed. Every change is wholly made or not at all."""

    def delete(self, ids: Collection[str]) -> None:
        """Delete those of these documents that there are."""

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        """Return how many documents matched a filter and were deleted."""

    def update_matching(self, filter: Filter, meta: Mapping[str, Any], *, strict_dates: bool) -> int:
        """Return how many matching documents got `meta` merged into theirs."""

    def clear(self) -> None:
        """Delete everything."""
