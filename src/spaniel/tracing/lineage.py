"""The origin of a document: its source, and its steps in the stages, read from the events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, PARENT, ROOT, START
from spaniel.tracing.events import Chosen, Event, Followed, Merged, Neighbour, Segmented
from spaniel.tracing.stage import TraceData


@dataclass(frozen=True)
class Step:
    """The events of a document in a stage.

    :param stage: the number of the stage, from 1.
    :param name: the name of the stage.
    :param rank: the rank among its results, from 1; None: it is absent.
    :param score: the score there.
    :param events: the events of the document.
    """

    stage: int
    name: str
    rank: int | None
    score: float | None
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Lineage:
    """The origin of a document.

    :param id: the id of the document.
    :param source: the path of its file, else the id of its root; None if the metadata has neither.
    :param root: the id of the document that it is a part of.
    :param start: the start in that document's text.
    :param end: the end in that document's text.
    :param headings: the title of its file and the headings above it, outermost first.
    :param steps: its steps in the stages, in order.
    :param came_from: the documents that led to it: merged parts, the hit near it, a link's origin.
    """

    id: str
    source: str | None
    root: str | None
    start: int | None
    end: int | None
    headings: tuple[str, ...]
    steps: tuple[Step, ...]
    came_from: "tuple[Lineage, ...]"

    @property
    def scores(self) -> dict[str, float]:
        """The scores by stage name; of stages with equal names, the last counts."""
        return {step.name: step.score for step in self.steps if step.score is not None}


def find_lineage(trace: TraceData, id: str) -> Lineage:
    """Return the origin of a document; without steps if it is unknown."""
    events: _Events = {}
    for number, stage in enumerate(trace.stages, 1):
        for event in stage.events:
            events.setdefault(event.about, {}).setdefault(number, []).append(event)
    return _find_lineage(trace, id, events, frozenset())


def list_headings(document: Document) -> list[str]:
    """Return the title of a document's file, if any, and the headings above it, each once.

    >>> from spaniel import Document
    >>> list_headings(Document(content="", meta={"path": "a.md", "title": "Dogs", "section": ["Dogs", "Food"]}))
    ['Dogs', 'Food']
    """
    title, headings = document.meta.get("title"), document.meta.get("section")
    section = list(headings) if isinstance(headings, (list, tuple)) else []
    if not title or section[:1] == [title] or title == PurePosixPath(document.meta.get("path") or "").name:
        return section
    return [str(title), *section]


_Events = dict[str, dict[int, list["Event"]]]


def _find_lineage(trace: TraceData, id: str, events: _Events, path: frozenset[str]) -> Lineage:
    steps = tuple(_list_steps(trace, id, events))
    origins = dict.fromkeys(origin for step in steps for event in step.events for origin in _list_origins(event))
    path |= {id}  # two hits may be in each other's windows
    came_from = tuple(_find_lineage(trace, origin, events, path) for origin in origins if origin not in path)
    document = trace.documents.get(id)
    if document is None:
        return Lineage(id, None, None, None, None, (), steps, came_from)
    root, start, end = find_span(document)
    source = document.meta.get("path") or root
    headings = tuple(str(name) for name in list_headings(document))
    return Lineage(id, None if source is None else str(source), root, start, end, headings, steps, came_from)


def _list_steps(trace: TraceData, id: str, events: _Events) -> Iterator[Step]:
    for number, stage in enumerate(trace.stages, 1):
        at = next((at for at, result in enumerate(stage.results) if result.id == id), None)
        own = tuple(events.get(id, {}).get(number, ()))
        if at is not None:
            yield Step(number, stage.name, at + 1, stage.results[at].score, own)
        elif own:
            yield Step(number, stage.name, None, None, own)


def _list_origins(event: Event) -> tuple[str, ...]:
    if isinstance(event, (Merged, Chosen, Segmented)):
        return event.hits
    if isinstance(event, Followed):
        return (event.linked_from,)
    return (event.hit,) if isinstance(event, Neighbour) else ()


def find_span(document: Document) -> tuple[str | None, int | None, int | None]:
    """Return the id of the document that another is a part of, and the start and end in its text.

    >>> from spaniel import Document
    >>> find_span(Document(content="bird", meta={"source_id": "a", "split_idx_start": 4}))
    ('a', 4, 8)
    """
    meta = document.meta
    if meta.get(ROOT) is not None:
        return str(meta[ROOT]), _to_int(meta.get(START)), _to_int(meta.get(END))
    if PARENT in meta or meta.get("source_id") is None:  # in a tree without roots, spans are those in the parent
        return None, None, None
    start = _to_int(meta.get("split_idx_start"))
    return str(meta["source_id"]), start, None if start is None else start + len(document.content or "")


def find_lines(documents: Sequence[Document]) -> tuple[int, int] | None:
    """Return the first and the last line of documents in their file; None if one has no lines.

    >>> find_lines([Document(meta={"line": 3, "end_line": 4}), Document(meta={"line": 6, "end_line": 9})])
    (3, 9)
    """
    spans = [(document.meta.get("line"), document.meta.get("end_line")) for document in documents]
    known = [(first, last) for first, last in spans if type(first) is int and type(last) is int]
    if not known or len(known) < len(spans):
        return None
    return min(first for first, _ in known), max(last for _, last in known)


def find_page(documents: Sequence[Document]) -> int | None:
    """Return the first page of documents in their file; None if they have none."""
    pages = [page for document in documents if type(page := document.meta.get("page")) is int]
    return min(pages, default=None)


def _to_int(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value else None  # noqa: PLR0124 (NaN)
