"""Relevant segments: the hits of a document, and what stands between them, as a few stretches of its text.

A leaf is worth ``score / best score - penalty``, where a leaf that was not hit scores 0, and a leaf inside a hit scores
what the hit does. A segment is worth the sum of its leaves: so it takes in leaves between two hits as long as both hits
together outweigh the penalties. The best segment of all documents is taken first, then the best that does not overlap it,
and so on. The idea is known as relevant segment extraction; the sum is that of the maximum subarray (J. Bentley,
*Algorithm Design Techniques*, CACM 27(9), 1984).
"""

import heapq
import math
from collections import Counter, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from spaniel.dataclasses import Document
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.scores import compute_utilities, deduplicate, drop_low_scores
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.assembly import build_window_document
from spaniel.strategies.windows.layout import InRoot
from spaniel.strategies.windows.rows import ChunkRow, LeafRow
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, GaveWay, Segmented

_PARTS = 10**9
"""Of the best hit's score: whole numbers add up exactly, so equals are equal."""


def best_segments(
    hits: Sequence[Document],
    *,
    penalty: float = 0.2,
    max_segments: int | None = None,
    per_document: int | None = None,
    max_length: int | None = None,
    budget: int | None = None,
    length: Length | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the best contiguous stretches of the documents that hits stand in, best first.

    Asks once for the leaves of all their roots. A segment of one leaf is that leaf, any other a document as
    `build_window_document` makes it; both score what the segment is worth. A hit that does not know its root, or none of whose leaves
    is stored, is a segment by itself.

    :param hits: scored nodes of hierarchies (``__root_id``, ``__start``, ``__end``). If one has no score above 0, the ranks
        count instead.
    :param penalty: what each leaf costs, as a part of the best hit's score.
    :param max_segments: how many segments at most.
    :param per_document: how many segments of one document at most.
    :param max_length: how long the text of a segment may be.
    :param budget: how long all texts together may be.
    :param length: what measures a text; by default tokens, as a quarter of its bytes.
    :param min_score: what a hit must score to count.
    """
    distinct = deduplicate(drop_low_scores(list(hits), min_score, record), record)
    layout = InRoot()
    placed = [hit for hit in distinct if not layout.missing_in(hit)]
    fetched: list[Document] = []
    if placed:
        fetched = yield layout.request(placed, 0, 0)
    rows = layout.rows(fetched)
    worths = {hit.id: worth for hit, worth in zip(distinct, compute_utilities(distinct), strict=True)}
    best = max(worths.values(), default=1.0)
    pieces = _pieces(
        distinct, rows, {id: worth / best for id, worth in worths.items()}, penalty, length or estimate_tokens
    )
    most = math.inf if max_length is None else max_length
    choice = _Choice(most, math.inf if budget is None else budget, length or estimate_tokens)
    chosen = choice.best(pieces, max_segments, per_document)
    return _told(chosen, distinct, {id: worth / best for id, worth in worths.items()}, penalty, record)


@dataclass(frozen=True)
class _Piece:
    """Leaves that follow each other without a gap, `first` to `last` of a row, and what each is worth in `_PARTS`.

    `document` says whose leaves they are, and `hits` are those that stand in the document.
    """

    document: Hashable
    row: ChunkRow
    values: Sequence[int]
    lengths: Sequence[int]
    hits: Sequence[Document]
    first: int
    last: int


@dataclass(frozen=True)
class _Segment:
    """A stretch of a piece, and its text."""

    piece: _Piece
    value: float
    first: int
    last: int
    text: str

    @property
    def hits(self) -> list[Document]:
        """The hits of which a leaf stands in the segment."""
        spans = [(hit, self.piece.row.centre(hit)) for hit in self.piece.hits]
        return [hit for hit, (low, high) in spans if low < self.last and high > self.first]


def _pieces(
    hits: Sequence[Document], rows: dict[Hashable, ChunkRow], worths: dict[str, float], penalty: float, length: Length
) -> list[_Piece]:
    """Return the leaves of every document in pieces, the documents in the order of their best hits."""
    layout = InRoot()
    by_row: dict[Hashable, list[Document]] = {}
    for hit in hits:
        row = None if layout.missing_in(hit) else rows.get(layout.row_of(hit))
        low, high = (0, 0) if row is None else row.centre(hit)
        by_row.setdefault(layout.row_of(hit) if low < high else (hit.id,), []).append(hit)
    pieces: list[_Piece] = []
    for document, inside in by_row.items():
        row = rows.get(document) or LeafRow([_as_leaf(inside[0])])
        scores = [0.0] * len(row.documents)
        for hit in inside:
            low, high = row.centre(hit)
            scores[low:high] = [max(score, worths[hit.id]) for score in scores[low:high]]
        values = [round((score - penalty) * _PARTS) for score in scores]
        lengths = [length(leaf.content or "") for leaf in row.documents]
        cuts = [0, *(at for at in range(1, len(values)) if row.broken(row.documents[at - 1], row.documents[at]))]
        for first, last in zip(cuts, [*cuts[1:], len(values)], strict=True):
            pieces.append(_Piece(document, row, values, lengths, inside, first, last))
    return pieces


def _as_leaf(hit: Document) -> Document:
    """Return a hit that stands alone as the only leaf of a root."""
    meta = {"__start": 0, "__end": len(hit.content or ""), **hit.meta}
    return hit if meta == hit.meta else replace(hit, meta=meta)


@dataclass
class _Choice:
    """Takes the best segments while there is room.

    :param most: how long a segment may be.
    :param room: how long all may be together.
    :param length: what measures a text.
    """

    most: float
    room: float
    length: Length

    def best(self, pieces: Sequence[_Piece], number: int | None, per_document: int | None) -> list[_Segment]:
        """Return the segments, best first; of equals the one of the earlier document, then of the earlier text."""
        waiting: list[tuple[float, int, int, _Segment]] = []
        taken: Counter[Hashable] = Counter()
        chosen: list[_Segment] = []

        def look(order: int, piece: _Piece) -> None:
            if (found := self._segment(piece)) is not None:
                heapq.heappush(waiting, (-found.value, order, found.first, found))

        for order, piece in enumerate(pieces):
            look(order, piece)
        while waiting and (number is None or len(chosen) < number):
            _, order, _, segment = heapq.heappop(waiting)
            piece = segment.piece
            if per_document is not None and taken[piece.document] >= per_document:
                continue
            cost = self.length(segment.text)
            if cost > self.room:
                look(order, piece)
                continue
            chosen.append(segment)
            taken[piece.document] += 1
            self.room -= cost
            for first, last in ((piece.first, segment.first), (segment.last, piece.last)):
                if first < last:
                    look(order, replace(piece, first=first, last=last))
        return chosen

    def _segment(self, piece: _Piece) -> _Segment | None:
        """Return the best segment of a piece that there is room for."""
        limit = most = min(self.most, self.room)
        while (found := find_best_span(piece.values, piece.lengths, piece.first, piece.last, limit)) is not None:
            value, first, last = found
            text = piece.row.text((first, last))
            if self.length(text) <= most:
                return _Segment(piece, value / _PARTS, first, last, text)
            limit = sum(piece.lengths[first:last]) - 1  # the whole counts more than its leaves: look for a shorter one
        return None


def _told(
    segments: Sequence[_Segment],
    hits: Sequence[Document],
    worths: dict[str, float],
    penalty: float,
    record: Recorder | None,
) -> list[Document]:
    documents: list[Document] = []
    inside: set[str] = set()
    for segment in segments:
        leaves, found = segment.piece.row.documents[segment.first : segment.last], segment.hits
        by_id = {hit.id: hit for hit in found}
        document = (
            by_id.get(leaves[0].id, leaves[0])
            if len(leaves) == 1
            else build_window_document(leaves, segment.text, found)
        )
        documents.append(replace(document, score=segment.value))
        inside.update(by_id)
        if record is not None:
            ids = tuple(by_id)
            record(Segmented(document.id, tuple(leaf.id for leaf in leaves), ids, segment.value))
            for id in ids:
                if id != document.id:
                    record(GaveWay(id, document.id))
    if record is not None:
        for hit in hits:
            if hit.id not in inside:
                worth = worths[hit.id]
                low = f"it is worth {worth:.2f} of the best hit, and the penalty of a leaf is {penalty:g}"
                record(Dropped(hit.id, low if worth <= penalty else "no room for a segment with it"))
    return documents


def find_best_span(
    values: Sequence[int], lengths: Sequence[int], first: int, last: int, most: float
) -> tuple[int, int, int] | None:
    """Return the largest sum above 0 of values that follow each other, where they begin, and where they end.

    Of equal sums the one that ends first. Takes time in proportion to the number of values.

    :param values: of all chunks; whole numbers, so that equal sums are equal.
    :param lengths: of all chunks.
    :param first: where to look from.
    :param last: up to where, without it.
    :param most: what the lengths may add up to.

    >>> find_best_span([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 9)
    (5, 1, 4)
    >>> find_best_span([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 2)
    (4, 5, 6)
    """
    sums = list(accumulate(values[first:last], initial=0))
    ends = list(accumulate(lengths[first:last], initial=0))
    starts: deque[int] = deque()  # of rising sums: the first is the best start that is not too far away
    best: tuple[int, int, int] | None = None
    for end in range(1, len(sums)):
        while starts and sums[starts[-1]] > sums[end - 1]:
            starts.pop()
        starts.append(end - 1)
        while starts and ends[end] - ends[starts[0]] > most:
            starts.popleft()
        if starts and sums[end] - sums[starts[0]] > (best[0] if best else 0):
            best = sums[end] - sums[starts[0]], first + starts[0], first + end
    return best
