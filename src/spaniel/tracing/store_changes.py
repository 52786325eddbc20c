"""How a store differs from what it was while a trace was open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spaniel.tracing.asking import Asking
from spaniel.tracing.data import as_data
from spaniel.tracing.events import short_id
from spaniel.tracing.losses import SOURCES

if TYPE_CHECKING:
    from spaniel.dataclasses import Document
    from spaniel.tracing.trace import Trace

_SHOWN = 3
_MOST_IDS = 20_000  # to compare a name with more takes seconds


def changes(trace: Trace, store: Any) -> list[str]:
    """Return what has become of the documents that the searches of a trace found: which are gone, which are others now."""
    stage = next((stage for stage in trace.stages if stage.kind in SOURCES), None)
    if store is None or stage is None:
        return []
    then = {document.id: document for each in trace.stages if each.kind in SOURCES for document in each.results}
    if not then:
        return []
    now = {document.id: document for document in Asking(store, stage).documents(list(then))}
    gone = [id for id in then if id not in now]
    others = [id for id, document in now.items() if not _same(document, then[id])]
    return [_told(ids, what) for ids, what in ((gone, "gone"), (others, "another now")) if ids]


def _same(one: Document, other: Document) -> bool:
    if one.content != other.content:
        return False
    return bool(one.meta == other.meta or as_data(one.meta) == as_data(other.meta))  # a loaded trace has dates as text


def _told(ids: list[str], what: str) -> str:
    names = ", ".join(map(short_id, ids[:_SHOWN]))
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"{names}{more} {'is' if len(ids) == 1 else 'are'} {what}"


def nearest_ids(trace: Trace, store: Any, id: str) -> tuple[str, ...]:
    """Return ids that look like one, of the store if it can list them, else of the trace."""
    ids = list(getattr(store, "storage", None) or trace.documents)
    begin = [other for other in ids if id and other.startswith(id)]
    if begin or len(ids) > _MOST_IDS:
        return tuple(begin[:_SHOWN])
    from difflib import get_close_matches

    return tuple(get_close_matches(id, ids, n=_SHOWN))
