"""Where a document of a trace came from: its source, and what each stage did to it. All of it is read from the events."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from spaniel.dataclasses.hierarchy import END, PARENT, ROOT, START
from spaniel.tracing.events import Chosen, Followed, Merged, Neighbour, Segmented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spaniel.dataclasses import Document
    from spaniel.tracing.events import Event
    from spaniel.tracing.trace import Trace


@dataclass(frozen=True)
class Step:
    """What one stage did to a document.

    :param stage: the number of the stage, from 1.
    :param name: its name.
    :param rank: the place among its results, from 1; None: it is not among them.
    :param score: the score it has there.
    :param events: what happened to it.
    """

    stage: int
    name: str
    rank: int | None
    score: float | None
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Lineage:
    """Where a document came from.

    :param id: its id.
    :param source: the path of its file, else the id of its root; None where its metadata does not say.
    :param root: the id of the document that it is a piece of.
    :param start: where it begins in that document's text.
    :param end: where it ends there.
    :param headings: the title of its file and the headings above it, outermost first.
    :param steps: what each stage did to it, in order.
    :param came_from: the documents through which it is there: merged parts, the hit beside it, the one that links to it.
    """

    id: str
    source: str | None
    root: str | None
    start: int | None
    end: int | None
    headings: tuple[str, ...]
    steps: tuple[Step, ...]
    came_from: tuple[Lineage, ...]

    @property
    def scores(self) -> dict[str, float]:
        """The scores by stage; where several stages have one name, that of the last."""
        return {step.name: step.score for step in self.steps if step.score is not None}


def find_lineage(trace: Trace, id: str) -> Lineage:
    """Return where a document came from; an unknown one has no steps."""
    return _lineage(trace, id, _events_by_document(trace), frozenset())


def list_headings(document: Document) -> list[str]:
    """Return the title of a document's file, where it has one, and the headings above the document, each once.

    >>> from spaniel import Document
    >>> list_headings(Document(content="", meta={"path": "a.md", "title": "Dogs", "section": ["Dogs", "Food"]}))
    ['Dogs', 'Food']
    """
    title, headings = document.meta.get("title"), document.meta.get("section")
    section = list(headings) if isinstance(headings, (list, tuple)) else []
    if not title or section[:1] == [title] or title == PurePosixPath(document.meta.get("path") or "").name:
        return section
    return [str(title), *section]


_Told = dict[str, dict[int, list["Event"]]]


def _events_by_document(trace: Trace) -> _Told:
    told: _Told = {}
    for number, stage in enumerate(trace.stages, 1):
        for event in stage.events:
            told.setdefault(event.about, {}).setdefault(number, []).append(event)
    return told


def _lineage(trace: Trace, id: str, told: _Told, below: frozenset[str]) -> Lineage:
    steps = tuple(_steps(trace, id, told))
    origins = dict.fromkeys(origin for step in steps for event in step.events for origin in _origins(event))
    path = below | {id}  # two hits may stand in each other's windows
    came_from = tuple(_lineage(trace, origin, told, path) for origin in origins if origin not in path)
    document = trace.documents.get(id)
    if document is None:
        return Lineage(id, None, None, None, None, (), steps, came_from)
    root, start, end = find_span(document)
    source = document.meta.get("path") or root
    headings = tuple(str(name) for name in list_headings(document))
    return Lineage(id, None if source is None else str(source), root, start, end, headings, steps, came_from)


def _steps(trace: Trace, id: str, told: _Told) -> Sequence[Step]:
    steps = []
    for number, stage in enumerate(trace.stages, 1):
        place = next((place for place, result in enumerate(stage.results) if result.id == id), None)
        events = tuple(told.get(id, {}).get(number, ()))
        if place is not None:
            steps.append(Step(number, stage.name, place + 1, stage.results[place].score, events))
        elif events:
            steps.append(Step(number, stage.name, None, None, events))
    return steps


def _origins(event: Event) -> tuple[str, ...]:
    if isinstance(event, Merged):
        return event.hits
    if isinstance(event, (Chosen, Segmented)):
        return event.hits
    if isinstance(event, Followed):
        return (event.linked_from,)
    return (event.hit,) if isinstance(event, Neighbour) else ()


def find_span(document: Document) -> tuple[str | None, int | None, int | None]:
    """Return the id of the document that one is a piece of, and where it begins and ends in that one's text.

    >>> from spaniel import Document
    >>> find_span(Document(content="bird", meta={"source_id": "a", "split_idx_start": 4}))
    ('a', 4, 8)
    """
    meta = document.meta
    if meta.get(ROOT) is not None:
        return str(meta[ROOT]), _number(meta.get(START)), _number(meta.get(END))
    if PARENT in meta or meta.get("source_id") is None:  # in a tree without roots, places are those within the parent
        return None, None, None
    start = _number(meta.get("split_idx_start"))
    return str(meta["source_id"]), start, None if start is None else start + len(document.content or "")


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value else None  # noqa: PLR0124 (NaN)
