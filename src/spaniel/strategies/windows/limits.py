"""The limits of a window: a number of chunks, metadata fields that change, a length."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json
from spaniel.strategies.lengths import Length
from spaniel.strategies.windows.rows import ChunkRow, ChunkSpan
from spaniel.tracing import Recorder
from spaniel.tracing.events import WindowEnded

Side = Literal["before", "after"]


@dataclass(frozen=True)
class WindowLimits:
    """The limits of windows: chunks on each side, equal metadata fields, the length of the text.

    A hit longer than `max_length` is a window alone; `gap`, the mark for missing text, counts too.
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
            reach = self._limit_by_fields(row, hit, reach, record)
        return reach if self.max_length is None else self._limit_length(row, hit, reach, self.max_length, record)

    def values(self, document: Document) -> list[Json]:
        """Return a document's values of the fields that bound windows."""
        return [plain(field_value(document, field_path(name))) for name in self.bounded_by]

    def _limit_by_fields(self, row: ChunkRow, hit: Document, reach: ChunkSpan, record: Recorder | None) -> ChunkSpan:
        values, (low, high) = self.values(hit), row.centre(hit)
        while low > reach[0] and self.values(row.documents[low - 1]) == values:
            low -= 1
        while high < reach[1] and self.values(row.documents[high]) == values:
            high += 1
        if record is not None:
            for side in _open_sides(low, high, reach):
                record(WindowEnded(hit.id, side, f"{' and '.join(self.bounded_by)} changes"))
        return low, high

    def _limit_length(
        self, row: ChunkRow, hit: Document, reach: ChunkSpan, max_length: int, record: Recorder | None
    ) -> ChunkSpan:
        """Return the span that grows on the side with less text, up to the maximum length."""
        low, high = row.centre(hit)
        added: dict[Side, int] = {"before": 0, "after": 0}
        closed: set[Side] = set()
        while sides := [side for side in _open_sides(low, high, reach) if side not in closed]:
            side = min(sides, key=added.__getitem__)
            wider = (low - 1, high) if side == "before" else (low, high + 1)
            length = self.length(row.text(wider, self.gap))
            if length > max_length:
                closed.add(side)
                if record is not None:
                    record(WindowEnded(hit.id, side, f"its length would be {length:,} of {max_length:,}"))
                continue
            added[side] += len(row.documents[low - 1 if side == "before" else high].content or "")
            low, high = wider
        return low, high


def _open_sides(low: int, high: int, reach: ChunkSpan) -> list[Side]:
    sides: list[tuple[Side, bool]] = [("before", low > reach[0]), ("after", high < reach[1])]
    return [side for side, is_open in sides if is_open]


def cut_at_gaps(row: ChunkRow, hit: Document, span: ChunkSpan) -> ChunkSpan:
    """Return the part of a span around a hit without missing text."""
    low, high = row.centre(hit)
    if low >= high:
        return low, high
    while low > span[0] and not row.broken(row.documents[low - 1], row.documents[low]):
        low -= 1
    while high < span[1] and not row.broken(row.documents[high - 1], row.documents[high]):
        high += 1
    return low, high
