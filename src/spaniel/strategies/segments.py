"""Relevant segments: the best contiguous parts of the documents of hits.

The utility of a leaf is ``score / best score - penalty``. A leaf inside a hit has the hit's score,
other leaves have 0. The utility of a segment is the sum of its leaves, so it includes leaves
between two hits while both hits together outweigh the penalties. The best segment of all documents
is taken first, then the best that does not overlap it, and so on. The method is known as relevant
segment extraction; the sum is a maximum subarray (J. Bentley, *Algorithm Design Techniques*, CACM
27(9), 1984).
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

_UNITS = 10**9  # the utility of the best hit; sums of integers are exact, and so are ties


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
    """Return the best contiguous segments of the documents of hits, best first.

    Makes a single request for the leaves of all roots. A segment of one leaf is that leaf, any
    other a document from `build_window_document`; the score of both is the segment's utility. A hit
    without a root, or without a stored leaf, is a segment of its own. docs/budget.md describes the
    parameters.
    """
    distinct = deduplicate(drop_low_scores(list(hits), min_score, record), record)
    layout, measure = InRoot(), length or estimate_tokens
    placed = [hit for hit in distinct if not layout.missing_in(hit)]
    fetched: list[Document] = []
    if placed:
        fetched = yield layout.request(placed, 0, 0)
    scores = compute_utilities(distinct)
    best = max(scores, default=1.0)
    utilities = {hit.id: score / best for hit, score in zip(distinct, scores, strict=True)}
    runs = _find_runs(distinct, layout.rows(fetched), utilities, penalty, measure)
    limits = math.inf if max_length is None else max_length, math.inf if budget is None else budget
    segments = _SegmentPicker(*limits, measure).pick(runs, max_segments, per_document)
    documents = _build_documents(segments, record)
    if record is not None:
        covered = {hit.id for segment in segments for hit in segment.hits}
        _record_dropped([hit for hit in distinct if hit.id not in covered], utilities, penalty, record)
    return documents


@dataclass(frozen=True)
class _LeafRun:  # leaves of a row without missing text
    document: Hashable
    row: ChunkRow
    values: Sequence[int]  # their utilities in `_UNITS`
    lengths: Sequence[int]
    hits: Sequence[Document]
    first: int
    last: int


@dataclass(frozen=True)
class _Segment:
    run: _LeafRun
    value: float
    first: int
    last: int
    text: str

    @property
    def hits(self) -> list[Document]:
        spans = [(hit, self.run.row.centre(hit)) for hit in self.run.hits]
        return [hit for hit, (low, high) in spans if low < self.last and high > self.first]


def _find_runs(
    hits: Sequence[Document], rows: dict[Hashable, ChunkRow], utility: dict[str, float], penalty: float, length: Length
) -> list[_LeafRun]:
    layout = InRoot()
    by_document: dict[Hashable, list[Document]] = {}
    for hit in hits:
        row = None if layout.missing_in(hit) else rows.get(layout.row_of(hit))
        low, high = (0, 0) if row is None else row.centre(hit)
        by_document.setdefault(layout.row_of(hit) if low < high else (hit.id,), []).append(hit)
    runs: list[_LeafRun] = []
    for document, own in by_document.items():
        row = rows.get(document)
        if row is None:  # the hit is the only leaf
            meta = {"__start": 0, "__end": len(own[0].content or ""), **own[0].meta}
            row = LeafRow([own[0] if meta == own[0].meta else replace(own[0], meta=meta)])
        scores = [0.0] * len(row.documents)
        for hit in own:
            low, high = row.centre(hit)
            scores[low:high] = [max(score, utility[hit.id]) for score in scores[low:high]]
        values = [round((score - penalty) * _UNITS) for score in scores]
        lengths = [length(leaf.content or "") for leaf in row.documents]
        gaps = [0, *(at for at in range(1, len(values)) if row.broken(row.documents[at - 1], row.documents[at]))]
        for first, last in zip(gaps, [*gaps[1:], len(values)], strict=True):
            runs.append(_LeafRun(document, row, values, lengths, own, first, last))
    return runs


@dataclass
class _SegmentPicker:
    max_length: float
    room: float  # the maximum length of all segments together
    length: Length

    def pick(self, runs: Sequence[_LeafRun], max_segments: int | None, per_document: int | None) -> list[_Segment]:
        """Return the segments, best first; ties are in the order of documents and text."""
        queue: list[tuple[float, int, int, _Segment]] = []
        picked_per_document: Counter[Hashable] = Counter()
        picked: list[_Segment] = []

        def push_best(order: int, run: _LeafRun) -> None:
            if (found := self._find_best(run)) is not None:
                heapq.heappush(queue, (-found.value, order, found.first, found))

        for order, run in enumerate(runs):
            push_best(order, run)
        while queue and (max_segments is None or len(picked) < max_segments):
            _, order, _, segment = heapq.heappop(queue)
            run = segment.run
            if per_document is not None and picked_per_document[run.document] >= per_document:
                continue
            cost = self.length(segment.text)
            if cost > self.room:
                push_best(order, run)
                continue
            picked.append(segment)
            picked_per_document[run.document] += 1
            self.room -= cost
            for first, last in ((run.first, segment.first), (segment.last, run.last)):
                if first < last:
                    push_best(order, replace(run, first=first, last=last))
        return picked

    def _find_best(self, run: _LeafRun) -> _Segment | None:
        limit = max_length = min(self.max_length, self.room)
        while (found := find_best_span(run.values, run.lengths, run.first, run.last, limit)) is not None:
            value, first, last = found
            text = run.row.text((first, last))
            if self.length(text) <= max_length:
                return _Segment(run, value / _UNITS, first, last, text)
            limit = sum(run.lengths[first:last]) - 1  # the text is longer than its leaves: find a shorter text
        return None


def _build_documents(segments: Sequence[_Segment], record: Recorder | None) -> list[Document]:
    documents: list[Document] = []
    for segment in segments:
        leaves, found = segment.run.row.documents[segment.first : segment.last], segment.hits
        by_id = {hit.id: hit for hit in found}
        alone = by_id.get(leaves[0].id, leaves[0])
        document = alone if len(leaves) == 1 else build_window_document(leaves, segment.text, found)
        documents.append(replace(document, score=segment.value))
        if record is not None:
            record(Segmented(document.id, tuple(leaf.id for leaf in leaves), tuple(by_id), segment.value))
            for id in by_id:
                if id != document.id:
                    record(GaveWay(id, document.id))
    return documents


def _record_dropped(hits: list[Document], utility: dict[str, float], penalty: float, record: Recorder) -> None:
    for hit in hits:
        value = utility[hit.id]
        low = f"it is worth {value:.2f} of the best hit, and the penalty of a leaf is {penalty:g}"
        record(Dropped(hit.id, low if value <= penalty else "no room for a segment with it"))


def find_best_span(
    values: Sequence[int], lengths: Sequence[int], first: int, last: int, max_length: float
) -> tuple[int, int, int] | None:
    """Return the largest positive sum of adjacent values, its first index, and the end index.

    Of equal sums, returns the first to end. The values are integers, so that sums are exact. Runs
    in linear time.

    >>> find_best_span([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 9)
    (5, 1, 4)
    >>> find_best_span([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 2)
    (4, 5, 6)
    """
    sums = list(accumulate(values[first:last], initial=0))
    ends = list(accumulate(lengths[first:last], initial=0))
    starts: deque[int] = deque()  # of rising sums: the first is the best start within the length
    best: tuple[int, int, int] | None = None
    for end in range(1, len(sums)):
        while starts and sums[starts[-1]] > sums[end - 1]:
            starts.pop()
        starts.append(end - 1)
        while starts and ends[end] - ends[starts[0]] > max_length:
            starts.popleft()
        if starts and sums[end] - sums[starts[0]] > (best[0] if best else 0):
            best = sums[end] - sums[starts[0]], first + starts[0], first + end
    return best
