"""The chunks of a text in order, and the position of a hit among them."""

from bisect import bisect_left, bisect_right

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, START
from spaniel.strategies.windows.assembly import OFFSET, merge_documents_text

ChunkSpan = tuple[int, int]  # the chunks of a row, from the first index to before the second


class NumberedRow:
    """Chunks sorted by their number in a source; a window reaches from number to number."""

    def __init__(self, documents: list[Document], number_field: str) -> None:
        self.documents = documents
        self._number_field = number_field
        self._numbers = list(map(self._number, documents))

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the chunks of the hit itself; an empty span at its position if there are none."""
        return self.reach(hit, 0, 0)

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's chunks with those before and after it."""
        number = self._number(hit)
        return bisect_left(self._numbers, number - before), bisect_right(self._numbers, number + after)

    def distance(self, chunk: Document, hit: Document) -> float:
        """Return the distance of a chunk from a hit; negative before it."""
        return self._number(chunk) - self._number(hit)

    def broken(self, previous: Document, following: Document) -> bool:
        """Return if text is missing between two adjacent chunks."""
        return self._number(following) - self._number(previous) > 1

    def shares_text(self, at: int) -> bool:
        """Return if the chunk at an index overlaps its predecessor."""
        previous, following = self.documents[at - 1], self.documents[at]
        start, next_start = previous.meta.get(OFFSET), following.meta.get(OFFSET)
        return start is not None and next_start is not None and next_start < start + len(previous.content or "")

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once, with `gap` for missing text."""
        return merge_documents_text(self.documents[slice(*span)], gap=gap, broken=self.broken)

    def _number(self, document: Document) -> float:
        number: float = document.meta[self._number_field]
        return number


class LeafRow:
    """The leaves of a whole root sorted by start, then end, across its sections."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
        self._starts: list[int] = [document.meta[START] for document in documents]
        self._index = {document.id: at for at, document in enumerate(documents)}

    def centre(self, hit: Document) -> ChunkSpan:
        """Return the leaves of the hit; an empty span at its position if there are none."""
        at = self._index.get(hit.id)
        if at is not None:
            return at, at + 1
        return bisect_left(self._starts, hit.meta[START]), bisect_left(self._starts, hit.meta[END])

    def reach(self, hit: Document, before: int, after: int) -> ChunkSpan:
        """Return the hit's leaves with those before and after it."""
        low, high = self.centre(hit)
        return max(low - before, 0), min(high + after, len(self.documents))

    def distance(self, chunk: Document, hit: Document) -> int:
        """Return the distance of a leaf from a hit; negative before it."""
        low, high = self.centre(hit)
        at = self._index[chunk.id]
        return at - low if at < low else max(at - high + 1, 0)

    def broken(self, previous: Document, following: Document) -> bool:
        """Return if text is missing between two adjacent leaves."""
        return bool(following.meta[START] > previous.meta[END])

    def shares_text(self, at: int) -> bool:
        """Return if the leaf at an index overlaps its predecessor."""
        return bool(self.documents[at].meta[START] < self.documents[at - 1].meta[END])

    def text(self, span: ChunkSpan, gap: str | None = None) -> str:
        """Return the text of chunks, each character once, with `gap` for missing text."""
        return merge_documents_text(self.documents[slice(*span)], offset=START, gap=gap, broken=self.broken)


ChunkRow = NumberedRow | LeafRow
