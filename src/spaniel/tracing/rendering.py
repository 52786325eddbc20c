"""The text of a trace: a tree of stages, documents and events."""

from collections.abc import Mapping, Sequence

from spaniel.dataclasses import Document
from spaniel.json_types import Json
from spaniel.tracing.events import short_id
from spaniel.tracing.stage import Stage, TraceData, to_json

_MAX_PLACE_LENGTH = 72
_MAX_TEXT_LENGTH = 48
_MAX_SETTING_LENGTH = 60
_MAX_DOCUMENTS = 20
_MAX_EVENTS = 8


def render(trace: TraceData) -> str:
    """Return a trace as text: per stage its cost, and its documents with their events."""
    if not trace.stages:
        return "Nothing was retrieved while this trace was open."
    documents = trace.documents
    return "\n\n".join(_render_stage(number, stage, documents) for number, stage in enumerate(trace.stages, 1))


def _render_stage(number: int, stage: Stage, documents: Mapping[str, Document]) -> str:
    about: dict[str, list[str]] = {}
    for event in stage.events:
        about.setdefault(event.about, []).append(str(event))
    results = {document.id: document for document in stage.results}
    others = [id for id in about if id and id not in results]
    lines = [
        f"{number}. {stage.name}{_format_settings(stage.settings)}",
        f"   {_format_cost(stage)}",
        *(f"   {event}" for event in about.get("", ())),
        *_render_documents(list(results), results, about),
        *([f"   not in the result: {_count(len(others), 'document')}"] if others else []),
        *_render_documents(others, documents, about),
    ]
    return "\n".join(lines)


def _format_settings(settings: Mapping[str, Json]) -> str:
    shown = []
    for name, setting in settings.items():
        value = to_json(setting)  # its form in a loaded trace
        is_embedding = isinstance(value, list) and len(value) > _MAX_DOCUMENTS
        if value is not None and value is not False:
            text = f"<{len(value)} numbers>" if is_embedding else _cut(repr(value), _MAX_SETTING_LENGTH)
            shown.append(f"{name}={text}")
    return f"  {', '.join(shown)}" if shown else ""


def _format_cost(stage: Stage) -> str:
    calls = [request for request in stage.requests if not request.for_trace]
    methods = f" ({', '.join(dict.fromkeys(request.method for request in calls))})" if calls else ""
    extra = len(stage.requests) - len(calls)
    requests = f"{_count(len(calls), 'store request')}{methods}{f', {extra} more for this trace' if extra else ''}"
    return f"{_count(len(stage.results), 'document')}, {requests}, {stage.seconds * 1000:.1f} ms"


def _render_documents(ids: Sequence[str], documents: Mapping[str, Document], about: dict[str, list[str]]) -> list[str]:
    lines = []
    shown = ids[:_MAX_DOCUMENTS]
    for id in shown:
        last = id == ids[-1]
        document = documents.get(id)
        score = "" if document is None or document.score is None else f"  {document.score:.3f}"
        label = "" if document is None else f"  {make_label(document)}"
        lines.append(f"   {'└─' if last else '├─'} {short_id(id)}{score}{label}")
        events = list(dict.fromkeys(about.get(id, ())))
        rest = len(events) - _MAX_EVENTS
        texts = [*events[:_MAX_EVENTS], *([f"and {rest} more events"] if rest > 0 else [])]
        lines += [f"   {'  ' if last else '│ '}    {event}" for event in texts]
    if len(ids) > len(shown):
        lines.append(f"   └─ and {_count(len(ids) - len(shown), 'more document')}")
    return lines


def make_label(document: Document) -> str:
    """Return a short name of a document: its path, its section and the start of its text.

    >>> from spaniel import Document
    >>> make_label(Document(content="Some words.", meta={"path": "a.md", "section": ["Guide", "Start"]}))
    "a.md > Guide > Start  'Some words.'"
    >>> make_label(Document(content="Some words."))
    "'Some words.'"
    """
    place = document.meta.get("path") or document.meta.get("title")
    section = document.meta.get("section")
    names = [place] if place else []
    names += section if isinstance(section, list) else []
    steps = [" ".join(str(name).split()) for name in names]  # a name with a line break would look like a result
    beginning = " ".join((document.content or "")[: 10 * _MAX_TEXT_LENGTH].split())
    text = f"'{_cut(beginning, _MAX_TEXT_LENGTH)}'"
    return f"{_cut(' > '.join(steps), _MAX_PLACE_LENGTH)}  {text}" if steps else text


def _cut(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else f"{text[:max_length]}..."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
