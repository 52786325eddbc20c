"""The texts that may represent hits in a context: the hit, a window, its section, the document."""

from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, PARENT, ROOT, START
from spaniel.filters import Filter, matches, parse_filter
from spaniel.json_types import Filters
from spaniel.strategies.merging.ancestry import get_level
from spaniel.strategies.scores import find_highest_score
from spaniel.strategies.store_requests import FetchByIds, StrategyRun
from spaniel.strategies.windows.assembly import build_window_document
from spaniel.strategies.windows.layout import InRoot
from spaniel.strategies.windows.limits import WindowLimits, cut_at_gaps
from spaniel.strategies.windows.rows import ChunkRow, ChunkSpan

_LAYOUT = InRoot()

UnitKind = Literal["leaf", "window", "section", "document"]
"""A kind of text that may represent a hit in a context. A ``leaf`` is the hit, on any level."""

KIND_UTILITIES: Mapping[UnitKind, float] = {"leaf": 1.0, "window": 1.2, "section": 1.4, "document": 1.5}
"""The utility of a score by kind. A text equal to a hit is a leaf; of other kinds the last counts."""


@dataclass(frozen=True)
class ContextUnit:
    """A text from `start` to `end` in the root `line`, with the hits in it and their best score."""

    kind: UnitKind
    document: Document
    line: Hashable
    start: int
    end: int
    hits: tuple[Document, ...]


def find_units(
    hits: Sequence[Document], wanted: Container[UnitKind], limits: WindowLimits, filters: Filters | None = None
) -> StrategyRun[list[ContextUnit]]:
    """Return the texts of some kinds that may represent distinct hits, in two requests at most.

    :param filters: a filter that windows, sections and documents must match.
    """
    condition = parse_filter(filters) if filters else None
    collector = _UnitCollector(hits)
    if "leaf" in wanted:
        for hit in hits:
            collector.add_hit(hit)
    if "window" in wanted and collector.placed:
        leaves: list[Document] = yield _LAYOUT.request(collector.placed, 0, 0)
        for line, row in _LAYOUT.rows(_filter(leaves, condition)).items():
            collector.add_windows(line, row, limits)
    if ids := list(dict.fromkeys(id for hit in collector.placed for id in _list_ancestors(hit, wanted))):
        ancestors: list[Document] = yield FetchByIds(ids)
        order = sorted(
            _filter(ancestors, condition),
            key=lambda whole: (whole.id == whole.meta.get(ROOT), -get_level(whole), whole.id),
        )
        for whole in order:
            collector.add_ancestor(whole, wanted)
    return list(collector.units.values())


def _filter(documents: list[Document], condition: Filter | None) -> list[Document]:
    return documents if condition is None else [each for each in documents if matches(condition, each)]


def _list_ancestors(hit: Document, wanted: Container[UnitKind]) -> list[str]:
    section, root = hit.meta.get(PARENT), hit.meta[ROOT]
    return [
        *([section] if section and section != root and "section" in wanted else []),
        *([root] if "document" in wanted else []),
    ]


class _UnitCollector:
    """Collects the units of distinct spans: the hit of a span, if any, else the last unit added."""

    def __init__(self, hits: Sequence[Document]) -> None:
        self.placed = [hit for hit in hits if not _LAYOUT.missing_in(hit)]
        self.units: dict[tuple[Hashable, int, int], ContextUnit] = {}
        self._lines: dict[Hashable, list[Document]] = {}
        for hit in self.placed:
            self._lines.setdefault(hit.meta[ROOT], []).append(hit)

    def add_hit(self, hit: Document) -> None:
        if not _LAYOUT.missing_in(hit):
            self._add("leaf", hit, hit.meta[ROOT], hit.meta[START], hit.meta[END])
        else:
            line = (hit.id,)
            self.units[line, 0, 1] = ContextUnit("leaf", hit, line, 0, 1, (hit,))

    def add_windows(self, line: Hashable, row: ChunkRow, limits: WindowLimits) -> None:
        """Add the windows of the hits in a root, except those with missing text."""
        for low, high in dict.fromkeys(_find_spans(row, self._lines[line], limits)):
            chunks, text = row.documents[low:high], row.text((low, high))
            start, end = chunks[0].meta[START], max(chunk.meta[END] for chunk in chunks)
            if len(text) == end - start:
                window = build_window_document(chunks, text, self._list_contained(line, start, end))
                self._add("window", window, line, start, end)

    def add_ancestor(self, whole: Document, wanted: Container[UnitKind]) -> None:
        if not _LAYOUT.missing_in(whole):
            line = whole.meta[ROOT]
            kind: UnitKind = "document" if whole.id == line else "section"
            if kind in wanted:
                self._add(kind, whole, line, whole.meta[START], whole.meta[END])

    def _add(self, kind: UnitKind, document: Document, line: Hashable, start: int, end: int) -> None:
        hits = self._list_contained(line, start, end)
        scored = document if kind == "leaf" else replace(document, score=find_highest_score(hits))
        known = self.units.get((line, start, end))
        if known is None or known.kind != "leaf":
            self.units[line, start, end] = ContextUnit(kind, scored, line, start, end, tuple(hits))

    def _list_contained(self, line: Hashable, start: int, end: int) -> list[Document]:
        return [hit for hit in self._lines.get(line, ()) if start <= hit.meta[START] <= hit.meta[END] <= end]


def _find_spans(row: ChunkRow, hits: Sequence[Document], limits: WindowLimits) -> Iterator[ChunkSpan]:
    """Yield the windows of hits, and the unions of overlapping hits and of overlapping windows."""
    centres = [row.centre(hit) for hit in hits]
    windows = [cut_at_gaps(row, hit, limits.span(row, hit, None)) for hit in hits]
    yield from (span for span in windows if span[0] < span[1])
    for spans in (centres, windows):
        unions: list[tuple[ChunkSpan, int]] = []
        for low, high in sorted(span for span in spans if span[0] < span[1]):
            (first, last), number = unions[-1] if unions else ((low, low), 0)
            if low < last or (number and low == last and row.shares_text(low)):
                unions[-1] = (first, max(last, high)), number + 1
            else:
                unions.append(((low, high), 1))
        yield from (span for span, number in unions if number > 1)
