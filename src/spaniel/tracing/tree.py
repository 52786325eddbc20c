"""A trace as a tree of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spaniel.dataclasses import Document
    from spaniel.tracing.trace import Stage, Trace

_SHOWN_CHARACTERS = 60
_SHOWN_ITEMS = 20


def render(trace: Trace) -> str:
    """Return the trace as lines: a stage, its requests, and under each document what happened to it."""
    if not trace.stages:
        return "Nothing was retrieved while this trace was open."
    return "\n".join(line for stage in trace.stages for line in _stage(stage))


def _stage(stage: Stage) -> list[str]:
    settings = ", ".join(f"{name}={_setting(value)}" for name, value in stage.settings.items() if value is not None)
    requests = f"{len(stage.requests)} store request{'' if len(stage.requests) == 1 else 's'}"
    head = f"{stage.name}({settings}): {len(stage.results)} documents, {requests}, {stage.seconds * 1000:.1f} ms"
    names = {document.id: document for document in stage.results}
    about: dict[str, list[str]] = {}
    for event in stage.events:
        about.setdefault(event.about, []).append(str(event))
    order = [*names, *(id for id in about if id not in names)]
    return [head, *_branches([_branch(id, names.get(id), about.get(id, [])) for id in order])]


def _setting(value: Any) -> str:
    if hasattr(value, "__len__") and not isinstance(value, str) and len(value) > _SHOWN_ITEMS:
        return f"<{len(value)} items>"  # an embedding
    return repr(value)


def _branch(id: str, document: Document | None, events: list[str]) -> tuple[str, list[str]]:
    if document is None:
        return (f"{id[:8]} (not in the result)" if id else "(all)"), events
    score = "" if document.score is None else f" {document.score:.3f}"
    return f"{id[:8]}{score} {label(document)}", events


def label(document: Document) -> str:
    """Return a short name for a document: its path and section, or the start of its text."""
    place = document.meta.get("path") or document.meta.get("title")
    section = document.meta.get("section")
    if place:
        return " > ".join([str(place), *(section if isinstance(section, list) else [])])
    text = " ".join((document.content or "").split())
    return f"'{text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + '...'}'"


def _branches(branches: Sequence[tuple[str, list[str]]]) -> list[str]:
    lines = []
    for number, (head, events) in enumerate(branches):
        last = number == len(branches) - 1
        lines.append(f"{'└─' if last else '├─'} {head}")
        lines += [f"{'  ' if last else '│ '}   {event}" for event in events]
    return lines
