"""Sentence windows: a hit with the chunks that stand before and after it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from spaniel.dataclasses import Document
from spaniel.strategies.requests import FetchByFilter, Steps
from spaniel.strategies.scores import at_least
from spaniel.tracing import Recorder
from spaniel.tracing.events import NotWidened, Widened

logger = logging.getLogger(__name__)


class Windows(TypedDict):
    """One text a window, and the chunks of all windows, one window after the other."""

    context_windows: list[str]
    context_documents: list[Document]


@dataclass
class _Span:
    """The chunks `first` to `last` of a source, laid around `hits`."""

    source: list[Any]
    first: int
    last: int
    hits: list[Document]

    def holds(self, document: Document, place: "Place") -> bool:
        number = document.meta.get(place.number_field)
        if not isinstance(number, (int, float)) or not self.first <= number <= self.last:
            return False
        return [document.meta.get(name) for name in place.source_fields] == self.source

    def touches(self, other: "_Span") -> bool:
        return self.source == other.source and self.first <= other.last + 1 and other.first <= self.last + 1


@dataclass(frozen=True)
class Place:
    """Which metadata says where a chunk stands: the fields of its source, and the field of its number there."""

    source_fields: tuple[str, ...] = ("source_id",)
    number_field: str = "split_id"

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields that a document lacks."""
        return tuple(name for name in (self.number_field, *self.source_fields) if document.meta.get(name) is None)


def widen(
    hits: Sequence[Document],
    *,
    window_size: int,
    place: Place,
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
    conditions = _distinct([_condition(span, place) for span in spans if span.source])
    fetched: list[Document] = []
    if conditions:
        fetched = yield FetchByFilter({"operator": "OR", "conditions": conditions})
    texts, documents = [], []
    for span in spans:
        window = _window(span, fetched, place)
        texts.append(merge_documents_text(window))
        documents += window
        if record is not None and span.source:
            _record_window(span, window, place, record)
    return Windows(context_windows=texts, context_documents=documents)


def _span(hit: Document, size: int, place: Place, record: Recorder | None) -> _Span:
    missing = place.missing_in(hit)
    if missing:
        logger.warning("Document %s has no %s in its metadata, so no window is laid around it.", hit.id, missing)
        if record is not None:
            record(NotWidened(hit.id, missing))
        return _Span([], 0, 0, [hit])
    number = hit.meta[place.number_field]
    return _Span([hit.meta[name] for name in place.source_fields], number - size, number + size, [hit])


def _united(spans: Sequence[_Span]) -> list[_Span]:
    united: list[_Span] = []
    for span in spans:
        touching = [other for other in united if span.source and other.touches(span)]
        if not touching:
            united.append(span)
            continue
        first = touching[0]
        for other in [*touching[1:], span]:
            first.first, first.last = min(first.first, other.first), max(first.last, other.last)
            first.hits += other.hits
        united = [other for other in united if other is first or other not in touching]
    return united


def _condition(span: _Span, place: Place) -> dict[str, Any]:
    number = f"meta.{place.number_field}"
    return {
        "operator": "AND",
        "conditions": [
            {"field": number, "operator": ">=", "value": span.first},
            {"field": number, "operator": "<=", "value": span.last},
            *(
                {"field": f"meta.{name}", "operator": "==", "value": value}
                for name, value in zip(place.source_fields, span.source, strict=True)
            ),
        ],
    }


def _distinct(conditions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [condition for number, condition in enumerate(conditions) if condition not in conditions[:number]]


def _window(span: _Span, fetched: Sequence[Document], place: Place) -> list[Document]:
    if not span.source:
        return span.hits
    inside = [document for document in fetched if span.holds(document, place)]
    return sorted(inside, key=lambda document: document.meta[place.number_field])


def _record_window(span: _Span, window: list[Document], place: Place, record: Recorder) -> None:
    numbers = [document.meta[place.number_field] for document in window]
    for hit in span.hits:
        own = hit.meta[place.number_field]
        before = sum(number < own for number in numbers)
        after = sum(number > own for number in numbers)
        record(Widened(hit.id, tuple(document.id for document in window), before, after))


def merge_documents_text(documents: Sequence[Document]) -> str:
    """Return the texts of chunks as one text, each character of their source once.

    :param documents: chunks of one source. Where one lacks ``split_idx_start``, the texts are joined as they come.

    >>> chunks = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    >>> merge_documents_text([Document(content=text, meta={"split_idx_start": start}) for text, start in chunks])
    'The bird sings.'
    """
    texts = [document for document in documents if document.content]
    if any("split_idx_start" not in document.meta for document in documents):
        return "".join(document.content or "" for document in texts)
    merged, end = "", 0
    for document in sorted(texts, key=lambda document: int(document.meta["split_idx_start"])):
        text, start = document.content or "", int(document.meta["split_idx_start"])
        merged += text[max(end - start, 0) :]
        end = max(end, start + len(text))
    return merged
