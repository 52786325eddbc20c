"""What may stand for hits in a context: the hit itself, a window, its section, the whole document."""

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, PARENT, ROOT, START
from spaniel.strategies.merging.ancestry import get_level
from spaniel.strategies.scores import find_highest_score
from spaniel.strategies.store_requests import FetchByIds, StrategyRun
from spaniel.strategies.windows.assembly import build_window_document
from spaniel.strategies.windows.layout import InRoot
from spaniel.strategies.windows.limits import WindowLimits
from spaniel.strategies.windows.rows import ChunkRow, ChunkSpan

UnitKind = Literal["leaf", "window", "section", "document"]
"""A kind of text that may represent a hit in a context."""

KIND_UTILITIES: Mapping[str, float] = {"leaf": 1.0, "window": 1.2, "section": 1.4, "document": 1.5}
"""What a score counts, by how much context its hit comes with. A ``leaf`` is the hit itself, whatever its level.

What holds no more text than a hit counts as the hit; of other kinds with the same text, the last counts.
"""


@dataclass(frozen=True)
class ContextUnit:
    """A text that stands for hits.

    :param kind: a key of `KIND_UTILITIES`.
    :param document: the text, with the best score of the hits.
    :param line: of which root it is a part; what knows no root is a line of its own.
    :param start: where it begins in its root.
    :param end: where it ends.
    :param hits: those whose text it holds.
    """

    kind: str
    document: Document
    line: Hashable
    start: int
    end: int
    hits: tuple[Document, ...]


def find_units(hits: Sequence[Document], kinds: Iterable[str], limits: WindowLimits) -> StrategyRun[list[ContextUnit]]:
    """Return everything that may stand for hits. Asks once for the leaves of windows, and once for sections and documents.

    :param hits: distinct.
    :param kinds: which to make.
    :param limits: of windows.
    """
    wanted, layout, made = set(kinds), InRoot(), _Units(hits)
    if "leaf" in wanted:
        for hit in hits:
            made.add_hit(hit)
    if "window" in wanted and made.placed:
        leaves: list[Document] = yield layout.request(made.placed, 0, 0)
        for line, row in layout.rows(leaves).items():
            made.add_windows(line, row, limits)
    above = [_above(hit, wanted) for hit in made.placed]
    if ids := list(dict.fromkeys(id for wholes in above for id in wholes)):
        wholes: list[Document] = yield FetchByIds(ids)
        for whole in sorted(wholes, key=lambda whole: (whole.id == whole.meta.get(ROOT), -get_level(whole), whole.id)):
            made.add_whole(whole, wanted)
    return list(made.units.values())


def _above(hit: Document, wanted: Container[str]) -> list[str]:
    """Return the ids of a hit's section and document, as far as they are wanted."""
    section, root = hit.meta.get(PARENT), hit.meta[ROOT]
    return [
        *([section] if section and section != root and "section" in wanted else []),
        *([root] if "document" in wanted else []),
    ]


class _Units:
    """Collects units, one a span: the hit, if it is one, else the kind that is added last.

    :param hits: what they may stand for. Those that don't know their root are each a line of its own.
    """

    def __init__(self, hits: Sequence[Document]) -> None:
        layout = InRoot()
        self.placed = [hit for hit in hits if not layout.missing_in(hit)]
        self.units: dict[tuple[Hashable, int, int], ContextUnit] = {}
        self._lines: dict[Hashable, list[Document]] = {}
        for hit in self.placed:
            self._lines.setdefault(hit.meta[ROOT], []).append(hit)

    def add_hit(self, hit: Document) -> None:
        """Add a hit itself."""
        if not InRoot().missing_in(hit):
            self._add("leaf", hit, hit.meta[ROOT], hit.meta[START], hit.meta[END])
        else:
            line = (hit.id,)
            self.units[line, 0, 1] = ContextUnit("leaf", hit, line, 0, 1, (hit,))

    def add_windows(self, line: Hashable, row: ChunkRow, limits: WindowLimits) -> None:
        """Add the windows of the hits in a root, but not those of which some text is not stored."""
        for low, high in dict.fromkeys(_spans(row, self._lines[line], limits)):
            chunks, text = row.documents[low:high], row.text((low, high))
            start, end = chunks[0].meta[START], max(chunk.meta[END] for chunk in chunks)
            if len(text) == end - start:
                self._add("window", build_window_document(chunks, text, self._held(line, start, end)), line, start, end)

    def add_whole(self, whole: Document, wanted: Container[str]) -> None:
        """Add a section, or a document."""
        if not InRoot().missing_in(whole):
            line = whole.meta[ROOT]
            kind = "document" if whole.id == line else "section"
            if kind in wanted:
                self._add(kind, whole, line, whole.meta[START], whole.meta[END])

    def _add(self, kind: str, document: Document, line: Hashable, start: int, end: int) -> None:
        held = self._held(line, start, end)
        scored = document if kind == "leaf" else replace(document, score=find_highest_score(held))
        known = self.units.get((line, start, end))
        if known is None or known.kind != "leaf":
            self.units[line, start, end] = ContextUnit(kind, scored, line, start, end, tuple(held))

    def _held(self, line: Hashable, start: int, end: int) -> list[Document]:
        return [hit for hit in self._lines.get(line, ()) if start <= hit.meta[START] <= hit.meta[END] <= end]


def _spans(row: ChunkRow, hits: Sequence[Document], limits: WindowLimits) -> Iterator[ChunkSpan]:
    """Yield the windows of hits; and hits that overlap, and windows that do, as one."""
    centres = [row.centre(hit) for hit in hits]
    windows = [_unbroken(row, hit, limits.span(row, hit, None)) for hit in hits]
    yield from (span for span in windows if span[0] < span[1])
    for spans in (centres, windows):
        together: list[tuple[ChunkSpan, int]] = []
        for low, high in sorted(span for span in spans if span[0] < span[1]):
            (first, last), number = together[-1] if together else ((low, low), 0)
            if low < last or (number and low == last and row.shares_text(low)):
                together[-1] = (first, max(last, high)), number + 1
            else:
                together.append(((low, high), 1))
        yield from (span for span, number in together if number > 1)


def _unbroken(row: ChunkRow, hit: Document, span: ChunkSpan) -> ChunkSpan:
    """Return the part of a window around its hit in which no text is missing."""
    low, high = row.centre(hit)
    if low >= high:
        return low, high
    while low > span[0] and not row.broken(row.documents[low - 1], row.documents[low]):
        low -= 1
    while high < span[1] and not row.broken(row.documents[high - 1], row.documents[high]):
        high += 1
    return low, high
