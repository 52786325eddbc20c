"""The chunks of one text in order, and the position of a hit among them."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from typing import ClassVar

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, START
from spaniel.strategies.windows.assembly import OFFSET, merge_documents_text

ChunkSpan = tuple[int, int]
"""The chunks of a row from one index up to, and without, another."""


class ChunkRow(ABC):
    """The chunks of one text in order.

    :param documents: the chunks, sorted.
    """

    _offset: ClassVar[str]

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents

    @abstractmethod
    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks of the hit itself; an empty span at its position if there are none."""

    @abstractmethod
    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's chunks with those before and after it."""

    @abstractmethod
    def distance(self, chunk: Document, hit: Document) -> float:
        """Return the distance of a chunk from a hit; negative before it."""

    @abstractmethod
    def broken(self, previous: Document, following: Document) -> bool:
        """Return if text is missing between two adjacent chunks of the row."""

    @abstractmethod
    def shares_text(self, at: int) -> bool:
        """Return if the chunk at an index overlaps the previous one."""

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once, with `gap` for missing text."""
        return merge_documents_text(self.documents[slice(*span)], offset=self._offset, gap=gap, broken=self.broken)


class NumberedRow(ChunkRow):
    """Chunks numbered in their source; a window reaches from number to number.

    :param documents: sorted by number; chunks of equal numbers in store order.
    :param number_field: the metadata field with the number.
    """

    _offset = OFFSET

    def __init__(self, documents: list[Document], number_field: str) -> None:
        super().__init__(documents)
        self._number_field = number_field
        self._numbers = [self._number(document) for document in documents]

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks with the hit's number."""
        return self.reach(hit, 0, 0)

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the chunks with numbers near the hit's."""
        number = self._number(hit)
        return bisect_left(self._numbers, number - before), bisect_right(self._numbers, number + after)

    def distance(self, chunk: Document, hit: Document) -> float:
        """Return the difference of the numbers."""
        return self._number(chunk) - self._number(hit)

    def broken(self, previous: Document, following: Document) -> bool:
        """Return if a number is missing between two chunks."""
        return self._number(following) - self._number(previous) > 1

    def shares_text(self, at: int) -> bool:
        """Return if the chunk at an index starts before the previous one ends."""
        previous, following = self.documents[at - 1], self.documents[at]
        start, next_start = previous.meta.get(OFFSET), following.meta.get(OFFSET)
        return start is not None and next_start is not None and next_start < start + len(previous.content or "")

    def _number(self, document: Document) -> float:
        number: float = document.meta[self._number_field]
        return number


class LeafRow(ChunkRow):
    """The leaves of a whole root in the order of its text, across its sections.

    :param documents: sorted by start, then end.
    """

    _offset = START

    def __init__(self, documents: list[Document]) -> None:
        super().__init__(documents)
        self._starts: list[int] = [document.meta[START] for document in documents]
        self._index = {document.id: at for at, document in enumerate(documents)}

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the hit's index, or the leaves that start within it."""
        at = self._index.get(hit.id)
        if at is not None:
            return at, at + 1
        return bisect_left(self._starts, hit.meta[START]), bisect_left(self._starts, hit.meta[END])

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's leaves with those before and after it."""
        low, high = self.centre(hit)
        return max(low - before, 0), min(high + after, len(self.documents))

    def distance(self, chunk: Document, hit: Document) -> int:
        """Return the number of leaves from the hit to a leaf."""
        low, high = self.centre(hit)
        at = self._index[chunk.id]
        return at - low if at < low else max(at - high + 1, 0)

    def broken(self, previous: Document, following: Document) -> bool:
        """Return if a leaf starts after the previous one's end."""
        return bool(following.meta[START] > previous.meta[END])

    def shares_text(self, at: int) -> bool:
        """Return if the leaf at an index starts before the previous one's end."""
        return bool(self.documents[at].meta[START] < self.documents[at - 1].meta[END])
