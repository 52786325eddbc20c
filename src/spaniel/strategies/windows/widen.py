"""Widen hits to windows: fetch all neighbours, cut a window per hit, unite overlapping windows."""

import logging
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from spaniel.dataclasses import Document
from spaniel.filters import matches, parse_filter
from spaniel.json_types import Filters
from spaniel.strategies.lengths import Length
from spaniel.strategies.scores import drop_low_scores
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.assembly import build_window_document
from spaniel.strategies.windows.layout import BY_SPLIT_ID, InRoot, InSource, Place, WindowScope
from spaniel.strategies.windows.limits import WindowLimits, cut_at_gaps
from spaniel.strategies.windows.rows import ChunkRow, ChunkSpan, LeafRow
from spaniel.tracing import Recorder
from spaniel.tracing.events import Neighbour, NotWidened, SharesWindow, Widened

logger = logging.getLogger(__name__)

_EMPTY = LeafRow([])  # the row of a hit of which nothing is stored


class Windows(TypedDict):
    """The texts of windows, and the chunks of all windows, window by window."""

    context_windows: list[str]
    context_documents: list[Document]


@dataclass
class _HitWindow:
    """The chunks `span` of a row, around `hits`; without a row, the hit alone."""

    row: ChunkRow | None
    span: ChunkSpan
    hits: list[Document]

    @property
    def documents(self) -> list[Document]:
        return self.hits if self.row is None else list(self.row.documents[slice(*self.span)])

    def text(self, gap: str | None) -> str:
        return (self.hits[0].content or "") if self.row is None else self.row.text(self.span, gap)


def widen(
    hits: Sequence[Document],
    *,
    window_size: int,
    before: int | None = None,
    after: int | None = None,
    over: WindowScope = "source",
    place: Place = BY_SPLIT_ID,
    merge_overlapping: bool = False,
    bounded_by: Sequence[str] = (),
    max_length: int | None = None,
    length: Length | None = None,
    gap: str | None = None,
    keep_scores: bool = False,
    whole_windows: bool = False,
    min_score: float | None = None,
    filters: Filters | None = None,
    record: Recorder | None = None,
) -> StrategyRun[Windows]:
    """Return the window of each hit: its text without repeats, and its chunks in order.

    Fetches all chunks in a single request. docs/windows.md describes the parameters; with
    `filters`, a window ends before a chunk that does not match.
    """
    layout = InSource(place) if over == "source" else InRoot()
    before, after = (window_size if size is None else size for size in (before, after))
    limits = WindowLimits(before, after, bounded_by, max_length, length or len, gap)
    kept = drop_low_scores(list(hits), min_score, record)
    placed = [hit for hit in kept if _is_placed(hit, layout, record)]
    fetched: list[Document] = []
    if placed:
        fetched = yield layout.request(placed, before, after)
    if filters:
        condition = parse_filter(filters)
        fetched = [chunk for chunk in fetched if matches(condition, chunk)]
    rows, ids = layout.rows(fetched), {hit.id for hit in placed}
    windows = []
    for hit in kept:
        row = rows.get(layout.row_of(hit)) if hit.id in ids else None
        span = (0, 0) if row is None else limits.span(row, hit, record)
        if filters and row is not None:
            span = cut_at_gaps(row, hit, span)
        windows.append(_HitWindow(row or (_EMPTY if hit.id in ids else None), span, [hit]))
    if merge_overlapping:
        windows = _unite(windows, limits)
    if record is not None:
        record(event for window in windows for event in _trace_window(window))
    return _build_result(windows, gap, keep_scores=keep_scores, whole_windows=whole_windows)


def _is_placed(hit: Document, layout: InSource | InRoot, record: Recorder | None) -> bool:
    missing = layout.missing_in(hit)
    if missing:
        logger.warning("Document %s has no %s in its metadata, so it gets no window.", hit.id, missing)
        if record is not None:
            record(NotWidened(hit.id, missing))
    return not missing


def _unite(windows: Sequence[_HitWindow], limits: WindowLimits) -> list[_HitWindow]:
    united = {rank: window for rank, window in enumerate(windows) if window.row is None}
    by_row: dict[int, list[tuple[int, _HitWindow]]] = {}
    for rank, window in enumerate(windows):
        if window.row is not None:
            by_row.setdefault(id(window.row), []).append((rank, window))
    for row in by_row.values():
        row.sort(key=lambda item: item[1].span)
        rank, whole = row[0]
        for next_rank, window in row[1:]:
            if _can_unite(whole, window, limits):
                span = whole.span[0], max(whole.span[1], window.span[1])
                rank, whole = min(rank, next_rank), _HitWindow(whole.row, span, whole.hits + window.hits)
            else:
                united[rank] = whole
                rank, whole = next_rank, window
        united[rank] = whole
    return [united[rank] for rank in sorted(united)]


def _can_unite(whole: _HitWindow, window: _HitWindow, limits: WindowLimits) -> bool:
    row, at = whole.row, window.span[0]
    if row is None or at != whole.span[1] or window.span[0] == window.span[1] or whole.span[0] == whole.span[1]:
        return at < whole.span[1] or window.span == whole.span
    previous, following = row.documents[at - 1], row.documents[at]
    if limits.values(previous) != limits.values(following):
        return False
    return row.shares_text(at) or (limits.max_length is None and not row.broken(previous, following))


def _build_result(windows: Sequence[_HitWindow], gap: str | None, *, keep_scores: bool, whole_windows: bool) -> Windows:
    texts = [window.text(gap) for window in windows]
    documents: list[Document] = []
    for window, text in zip(windows, texts, strict=True):
        chunks = window.documents
        if whole_windows and window.row is not None:
            documents.append(build_window_document(chunks, text, window.hits))
            continue
        if keep_scores and window.row is not None:
            scores = {hit.id: hit.score for hit in window.hits}
            chunks = [replace(chunk, score=scores[chunk.id]) if chunk.id in scores else chunk for chunk in chunks]
        documents += chunks
    return Windows(context_windows=texts, context_documents=documents)


def _trace_window(window: _HitWindow) -> Iterator[Widened | SharesWindow | Neighbour]:
    row, (low, high) = window.row, window.span
    if row is None:
        return
    chunks = window.documents
    ids = tuple(chunk.id for chunk in chunks)
    hits = {hit.id: hit for hit in window.hits}
    centres = sorted((*row.centre(hit), hit.id) for hit in hits.values()) if chunks else []
    if not chunks:
        for id in hits:
            yield Widened(id, (), 0, 0)
    for first, last, id in centres:
        yield Widened(id, ids, max(first - low, 0), max(high - last, 0))
    if len(hits) > 1:
        for id in hits:
            yield SharesWindow(id, tuple(other for other in hits if other != id))
    for at, chunk in enumerate(chunks, low):
        if chunk.id not in hits:
            after = bisect_left(centres, (at,))
            near = [hits[id] for _, _, id in centres[max(after - 1, 0) : after + 1]]
            hit = min(near, key=lambda each: abs(row.distance(chunk, each)))
            yield Neighbour(chunk.id, hit.id, row.distance(chunk, hit))
