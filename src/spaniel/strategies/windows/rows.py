"""The chunks of one text in their order, and where a hit stands among them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, START
from spaniel.strategies.windows.assembly import merge_documents_text

ChunkSpan = tuple[int, int]
"""The chunks of a row from one index up to, and without, another."""


class ChunkRow(Protocol):
    """The chunks of one text in their order."""

    @property
    def documents(self) -> Sequence[Document]:
        """The chunks."""
        ...

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks that the hit is; an empty span at its place if none is."""
        ...

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's chunks with those before and after it."""
        ...

    def distance(self, chunk: Document, hit: Document) -> Any:
        """Return how far after a hit a chunk stands; below 0: before it."""
        ...

    def broken(self, previous: Document, following: Document) -> bool:
        """Return whether text is missing between two chunks of the row that follow each other."""
        ...

    def shares_text(self, at: int) -> bool:
        """Return whether the chunk at an index shares characters with the one before it."""
        ...

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once; `gap` stands where some is missing."""
        ...


@dataclass
class NumberedRow:
    """Chunks that are numbered in their source; a window reaches from number to number.

    :param documents: sorted by number; chunks of one number in store order.
    :param number_field: the metadata field with the number.
    """

    documents: list[Document]
    number_field: str
    _numbers: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = [document.meta[self.number_field] for document in self.documents]

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks that the hit is; an empty span at its place if none is."""
        return self.reach(hit, 0, 0)

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's chunks with those before and after it."""
        number = hit.meta[self.number_field]
        return bisect_left(self._numbers, number - before), bisect_right(self._numbers, number + after)

    def distance(self, chunk: Document, hit: Document) -> Any:
        """Return how far after a hit a chunk stands; below 0: before it."""
        return chunk.meta[self.number_field] - hit.meta[self.number_field]

    def broken(self, previous: Document, following: Document) -> bool:
        """Return whether text is missing between two chunks of the row that follow each other."""
        return bool(following.meta[self.number_field] - previous.meta[self.number_field] > 1)

    def shares_text(self, at: int) -> bool:
        """Return whether the chunk at an index shares characters with the one before it."""
        previous, following = self.documents[at - 1], self.documents[at]
        start, next_start = (document.meta.get("split_idx_start") for document in (previous, following))
        return start is not None and next_start is not None and next_start < start + len(previous.content or "")

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once; `gap` stands where some is missing."""
        return merge_documents_text(self.documents[slice(*span)], gap=gap, broken=self.broken)


@dataclass
class LeafRow:
    """The leaves of a whole root in the order of its text, across its sections.

    :param documents: sorted by start, then end.
    """

    documents: list[Document]
    _starts: list[int] = field(init=False)
    _index: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._starts = [document.meta[START] for document in self.documents]
        self._index = {document.id: at for at, document in enumerate(self.documents)}

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks that the hit is; an empty span at its place if none is."""
        at = self._index.get(hit.id)
        if at is not None:
            return at, at + 1
        return bisect_left(self._starts, hit.meta[START]), bisect_left(self._starts, hit.meta[END])

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's chunks with those before and after it."""
        low, high = self.centre(hit)
        return max(low - before, 0), min(high + after, len(self.documents))

    def distance(self, chunk: Document, hit: Document) -> int:
        """Return how far after a hit a chunk stands; below 0: before it."""
        low, high = self.centre(hit)
        at = self._index[chunk.id]
        return at - low if at < low else max(at - high + 1, 0)

    def broken(self, previous: Document, following: Document) -> bool:
        """Return whether text is missing between two chunks of the row that follow each other."""
        return bool(following.meta[START] > previous.meta[END])

    def shares_text(self, at: int) -> bool:
        """Return whether the chunk at an index shares characters with the one before it."""
        return bool(self.documents[at].meta[START] < self.documents[at - 1].meta[END])

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once; `gap` stands where some is missing."""
        return merge_documents_text(self.documents[slice(*span)], offset=START, gap=gap, broken=self.broken)
