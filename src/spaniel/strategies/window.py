"""Sentence windows: a hit with the chunks that stand before and after it."""

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypedDict

from spaniel.dataclasses import Document
from spaniel.strategies.requests import FetchByFilter, Steps
from spaniel.strategies.scores import at_least
from spaniel.tracing import Recorder
from spaniel.tracing.events import Neighbour, NotWidened, Widened

logger = logging.getLogger(__name__)

# Beyond this many windows, the chunks of all their sources are fetched by one plain filter and picked here, because stores
# limit the size of a filter. Up to it, a condition a window pays: the in-memory store looks each up in 0.04 ms, but copies
# whole sources in 40 ms (20,000 chunks). A store that holds every chunk against every condition is slower by them.
_MOST_CONDITIONS = 100


class Windows(TypedDict):
    """One text a window, and the chunks of all windows, one window after the other."""

    context_windows: list[str]
    context_documents: list[Document]


@dataclass
class _Span:
    """The chunks `first` to `last` of a source, laid around `hits`; without a source, the hit alone."""

    source: list[Any] | None
    first: Any
    last: Any
    hits: list[Document]


@dataclass(frozen=True)
class Place:
    """Which metadata says where a chunk stands: the fields of its source, and the field of its number there."""

    source_fields: tuple[str, ...] = ("source_id",)
    number_field: str = "split_id"

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields that a document lacks, or that hold no number where one is needed."""
        missing = tuple(name for name in self.source_fields if document.meta.get(name) is None)
        return missing if is_number(document.meta.get(self.number_field)) else (self.number_field, *missing)

    def source_of(self, document: Document) -> list[Any]:
        """Return what names a document's source."""
        return [document.meta.get(name) for name in self.source_fields]


def is_number(value: object) -> bool:
    """Return whether a value can number a chunk."""
    return isinstance(value, Real) and value == value  # noqa: PLR0124 (NaN is in no order)


def widen(
    hits: Sequence[Document],
    *,
    window_size: int,
    place: Place = Place(),
    merge_overlapping: bool = False,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> Steps[Windows]:
    """Return for each hit its window: its text without repeats, and its chunks sorted by number.

    Asks for the chunks of all windows in one request.

    :param hits: chunks; those that do not say where they stand are returned alone.
    :param window_size: how many chunks before and after a hit belong to its window.
    :param place: which metadata says where a chunk stands.
    :param merge_overlapping: whether windows of one source that overlap or touch become one, at the place of the first.
    :param min_score: what a hit must score to get a window.
    """
    spans = [_span(hit, window_size, place, record) for hit in at_least(list(hits), min_score, record)]
    if merge_overlapping:
        spans = _united(spans)
    fetched: list[Document] = []
    if any(span.source is not None for span in spans):
        fetched = yield FetchByFilter(_around(spans, place))
    chunks = _in_order(fetched, place)
    texts, documents = [], []
    for span in spans:
        window = _window(span, chunks, place)
        texts.append(merge_documents_text(window))
        documents += window
        if record is not None and span.source is not None:
            _record_window(span, window, place, record)
    return Windows(context_windows=texts, context_documents=documents)


def _span(hit: Document, size: int, place: Place, record: Recorder | None) -> _Span:
    missing = place.missing_in(hit)
    if missing:
        logger.warning("Document %s has no %s in its metadata, so no window is laid around it.", hit.id, missing)
        if record is not None:
            record(NotWidened(hit.id, missing))
        return _Span(None, 0, 0, [hit])
    number = hit.meta[place.number_field]
    return _Span(place.source_of(hit), number - size, number + size, [hit])


def _same(source: Sequence[Any]) -> Hashable:
    """Return what is equal for equal sources."""
    try:
        hash(tuple(source))
    except TypeError:
        return repr(source)
    return tuple(source)


def _united(spans: Sequence[_Span]) -> list[_Span]:
    united: dict[int, _Span] = {rank: span for rank, span in enumerate(spans) if span.source is None}
    rows: dict[Hashable, list[tuple[int, _Span]]] = {}
    for rank, span in enumerate(spans):
        if span.source is not None:
            rows.setdefault(_same(span.source), []).append((rank, span))
    for row in rows.values():
        row.sort(key=lambda item: item[1].first)
        rank, whole = row[0]
        for next_rank, span in row[1:]:
            if span.first <= whole.last + 1:
                rank, whole.last = min(rank, next_rank), max(whole.last, span.last)
                whole.hits += span.hits
            else:
                united[rank] = whole
                rank, whole = next_rank, span
        united[rank] = whole
    return [united[rank] for rank in sorted(united)]


def _around(spans: Sequence[_Span], place: Place) -> dict[str, Any]:
    """Return the filter for the chunks of all windows, or of all their sources where there are many windows."""
    distinct = {
        (_same(span.source), span.first, span.last): (span.source, span.first, span.last)
        for span in spans
        if span.source is not None
    }
    if len(distinct) <= _MOST_CONDITIONS:
        conditions = [_and(place, first, last, "==", source) for source, first, last in distinct.values()]
        return {"operator": "OR", "conditions": conditions}
    sources = {key: source for (key, _, _), (source, _, _) in distinct.items()}
    first, last = min(first for _, first, _ in distinct), max(last for _, _, last in distinct)
    return _and(place, first, last, "in", [list(values) for values in zip(*sources.values(), strict=True)])


def _and(place: Place, first: Any, last: Any, operator: str, sources: Sequence[Any]) -> dict[str, Any]:
    number = f"meta.{place.number_field}"
    return {
        "operator": "AND",
        "conditions": [
            {"field": number, "operator": ">=", "value": first},
            {"field": number, "operator": "<=", "value": last},
            *(
                {"field": f"meta.{name}", "operator": operator, "value": value}
                for name, value in zip(place.source_fields, sources, strict=True)
            ),
        ],
    }


def _in_order(documents: Sequence[Document], place: Place) -> dict[Hashable, list[Document]]:
    """Return the chunks by source, each sorted by number; chunks of one number stay in store order."""
    chunks: dict[Hashable, list[Document]] = {}
    for document in documents:
        if is_number(document.meta.get(place.number_field)):
            chunks.setdefault(_same(place.source_of(document)), []).append(document)
    for row in chunks.values():
        row.sort(key=lambda document: document.meta[place.number_field])
    return chunks


def _window(span: _Span, chunks: Mapping[Hashable, list[Document]], place: Place) -> list[Document]:
    if span.source is None:
        return span.hits
    row = chunks.get(_same(span.source), [])

    def number(document: Document) -> Any:
        return document.meta[place.number_field]

    return row[bisect_left(row, span.first, key=number) : bisect_right(row, span.last, key=number)]


def _record_window(span: _Span, window: list[Document], place: Place, record: Recorder) -> None:
    numbers = [document.meta[place.number_field] for document in window]
    ids = tuple(document.id for document in window)
    hits = {hit.id: hit.meta[place.number_field] for hit in span.hits}
    for id, own in hits.items():
        record(Widened(id, ids, bisect_left(numbers, own), len(numbers) - bisect_right(numbers, own)))
    ordered = sorted((own, id) for id, own in hits.items())
    for chunk, number in zip(ids, numbers, strict=True):
        if chunk not in hits:
            after = bisect_left(ordered, (number,))
            own, id = min(ordered[max(after - 1, 0) : after + 1], key=lambda hit: abs(hit[0] - number))
            record(Neighbour(chunk, id, number - own))


def merge_documents_text(documents: Sequence[Document]) -> str:
    """Return the texts of chunks as one text, each character of their source once.

    :param documents: chunks of one source. Where one lacks ``split_idx_start``, the texts are joined as they come.

    >>> chunks = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    >>> merge_documents_text([Document(content=text, meta={"split_idx_start": start}) for text, start in chunks])
    'The bird sings.'
    """
    if any(document.meta.get("split_idx_start") is None for document in documents):
        return "".join(document.content or "" for document in documents)
    parts, end = [], 0
    for document in sorted(documents, key=lambda document: int(document.meta["split_idx_start"])):
        text, start = document.content or "", int(document.meta["split_idx_start"])
        parts.append(text[max(end - start, 0) :])
        end = max(end, start + len(text))
    return "".join(parts)
