"""What ends a window early: a field that changes, or its length."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.lengths import Length
from spaniel.strategies.windows.rows import ChunkRow, ChunkSpan
from spaniel.tracing import Recorder
from spaniel.tracing.events import WindowEnded


@dataclass(frozen=True)
class WindowLimits:
    """How far windows reach.

    :param before: how many chunks before a hit.
    :param after: how many chunks after it.
    :param bounded_by: metadata fields that must have the hit's values.
    :param max_length: of a window's text; a hit that is longer stands alone.
    :param length: what measures a text.
    :param gap: the text that stands where some is missing; it counts too.
    """

    before: int
    after: int
    bounded_by: Sequence[str] = ()
    max_length: int | None = None
    length: Length = len
    gap: str | None = None

    def span(self, row: ChunkRow, hit: Document, record: Recorder | None) -> ChunkSpan:
        """Return the chunks of a hit's window."""
        reach = row.reach(hit, self.before, self.after)
        if self.bounded_by:
            reach = self._bounded(row, hit, reach, record)
        return reach if self.max_length is None else self._within(row, hit, reach, record)

    def values(self, document: Document) -> list[Any]:
        """Return a document's values of the fields that bound windows."""
        return [plain(field_value(document, field_path(name))) for name in self.bounded_by]

    def _bounded(self, row: ChunkRow, hit: Document, reach: ChunkSpan, record: Recorder | None) -> ChunkSpan:
        values, (low, high) = self.values(hit), row.centre(hit)
        while low > reach[0] and self.values(row.documents[low - 1]) == values:
            low -= 1
        while high < reach[1] and self.values(row.documents[high]) == values:
            high += 1
        if record is not None:
            for side, cut in (("before", low > reach[0]), ("after", high < reach[1])):
                if cut:
                    record(WindowEnded(hit.id, side, f"{' and '.join(self.bounded_by)} changes"))
        return low, high

    def _within(self, row: ChunkRow, hit: Document, reach: ChunkSpan, record: Recorder | None) -> ChunkSpan:
        """Return the window that grows on the side with less text, as long as the length allows."""
        low, high = row.centre(hit)
        most = self.max_length or 0
        taken = {"before": 0, "after": 0}
        closed: set[str] = set()
        while sides := [side for side in self._sides(low, high, reach) if side not in closed]:
            side = min(sides, key=taken.__getitem__)
            wider = (low - 1, high) if side == "before" else (low, high + 1)
            length = self.length(row.text(wider, self.gap))
            if length > most:
                closed.add(side)
                if record is not None:
                    record(WindowEnded(hit.id, side, f"its length would be {length:,} of {most:,}"))
                continue
            added = row.documents[low - 1 if side == "before" else high]
            taken[side] += len(added.content or "")
            low, high = wider
        return low, high

    @staticmethod
    def _sides(low: int, high: int, reach: ChunkSpan) -> list[str]:
        return [*(["before"] if low > reach[0] else []), *(["after"] if high < reach[1] else [])]
