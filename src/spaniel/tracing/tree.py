"""A trace as a tree of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spaniel.tracing.events import short_id
from spaniel.tracing.json_data import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spaniel.dataclasses import Document
    from spaniel.tracing.stage import Stage
    from spaniel.tracing.trace import Trace

_LONGEST_PLACE = 72
_LONGEST_TEXT = 48
_LONGEST_SETTING = 60
_MOST_DOCUMENTS = 20
_MOST_EVENTS = 8


def render(trace: Trace) -> str:
    """Return the trace as lines: a stage, its cost, and under each document what happened to it."""
    if not trace.stages:
        return "Nothing was retrieved while this trace was open."
    return "\n\n".join("\n".join(_stage(number, stage)) for number, stage in enumerate(trace.stages, 1))


def _stage(number: int, stage: Stage) -> list[str]:
    about: dict[str, list[str]] = {}
    for event in stage.events:
        about.setdefault(event.about, []).append(str(event))
    results = {document.id: document for document in stage.results}
    others = [id for id in about if id and id not in results]
    return [
        f"{number}. {stage.name}{_settings(stage.settings)}",
        f"   {_cost(stage)}",
        *(f"   {event}" for event in about.get("", ())),
        *_documents(list(results), results, about),
        *([f"   not in the result: {_plural(len(others), 'document')}"] if others else []),
        *_documents(others, stage.documents, about),
    ]


def _settings(settings: Mapping[str, Any]) -> str:
    shown = [
        f"{name}={_setting(value)}" for name, value in settings.items() if value is not None and value is not False
    ]
    return f"  {', '.join(shown)}" if shown else ""


def _setting(value: Any) -> str:
    value = to_json(value)  # as a loaded trace has it
    if hasattr(value, "__len__") and not isinstance(value, (str, dict)) and len(value) > _MOST_DOCUMENTS:
        return f"<{len(value)} numbers>"  # an embedding
    return _cut(repr(value), _LONGEST_SETTING)


def _cost(stage: Stage) -> str:
    asked = [request for request in stage.requests if not request.for_trace]
    methods = f" ({', '.join(dict.fromkeys(request.method for request in asked))})" if asked else ""
    extra = len(stage.requests) - len(asked)
    parts = [
        _plural(len(stage.results), "document"),
        f"{_plural(len(asked), 'store request')}{methods}",
        *([f"{extra} more for this trace"] if extra else []),
        f"{stage.seconds * 1000:.1f} ms",
    ]
    return ", ".join(parts)


def _documents(ids: Sequence[str], documents: Mapping[str, Document], about: Mapping[str, Sequence[str]]) -> list[str]:
    lines = []
    shown = ids[:_MOST_DOCUMENTS]
    for id in shown:
        last = id == ids[-1]
        document = documents.get(id)
        lines.append(f"   {'└─' if last else '├─'} {short_id(id)}{'' if document is None else _head(document)}")
        events = list(dict.fromkeys(about.get(id, ())))
        rest = len(events) - _MOST_EVENTS
        told = [*events[:_MOST_EVENTS], *([f"and {rest} more events"] if rest > 0 else [])]
        lines += [f"   {'  ' if last else '│ '}    {event}" for event in told]
    if len(ids) > len(shown):
        lines.append(f"   └─ and {_plural(len(ids) - len(shown), 'more document')}")
    return lines


def _head(document: Document) -> str:
    return f"  {'' if document.score is None else f'{document.score:.3f}  '}{label(document)}"


def label(document: Document) -> str:
    """Return a short name for a document: its path and section, and the start of its text.

    >>> from spaniel import Document
    >>> label(Document(content="Some words.", meta={"path": "a.md", "section": ["Guide", "Start"]}))
    "a.md > Guide > Start  'Some words.'"
    >>> label(Document(content="Some words."))
    "'Some words.'"
    """
    place = document.meta.get("path") or document.meta.get("title")
    section = document.meta.get("section")
    names = [place] if place else []
    names += section if isinstance(section, list) else []
    steps = [" ".join(str(name).split()) for name in names]  # a name with a line break must not look like a result
    beginning = " ".join((document.content or "")[: 10 * _LONGEST_TEXT].split())
    text = f"'{_cut(beginning, _LONGEST_TEXT)}'"
    return f"{_cut(' > '.join(steps), _LONGEST_PLACE)}  {text}" if steps else text


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
