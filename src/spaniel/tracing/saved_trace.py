"""A trace as JSON data, and back."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from spaniel.dataclasses import Document
from spaniel.errors import DeserializationError
from spaniel.tracing.events import Event, TermMatch
from spaniel.tracing.json_data import to_json
from spaniel.tracing.tree import label, render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from spaniel.tracing.stage import Stage, StoreRequest
    from spaniel.tracing.trace import Trace

SCHEMA = 1
"""The version of the data; docs/trace.schema.json describes it."""

_KINDS: dict[str, type] = {kind.__name__: kind for kind in get_args(Event)}


def dump_trace(trace: Trace, *, documents: bool = False) -> dict[str, Any]:
    """Return a trace as data that JSON can hold.

    :param documents: also the text and metadata of every document seen.
    """
    named = dict.fromkeys(event.about for event in trace.events)
    data = {
        "schema": SCHEMA,
        "stages": [_stage_data(stage) for stage in trace.stages],
        "results": _scored(trace.results),
        "labels": {id: label(trace.documents[id]) for id in named if id in trace.documents},
    }
    if documents:
        data["documents"] = {
            id: {"content": document.content, "meta": to_json(document.meta)}
            for id, document in trace.documents.items()
        }
    return data


def _stage_data(stage: Stage) -> dict[str, Any]:
    events = [{"event": type(event).__name__, **to_json(event)} for event in stage.events]  # it may ask the store
    return {
        "name": stage.name,
        "kind": stage.kind,
        "settings": {name: to_json(value) for name, value in stage.settings.items()},
        "seconds": stage.seconds,
        "requests": [_request_data(request) for request in stage.requests],
        "inputs": [_scored(documents) for documents in stage.inputs],
        "events": events,
        "results": _scored(stage.results),
    }


def _request_data(request: StoreRequest) -> dict[str, Any]:
    data = asdict(request)
    return data if request.error else {name: value for name, value in data.items() if name != "error"}


def _scored(documents: Sequence[Document]) -> list[dict[str, Any]]:
    return [{"id": document.id, "score": to_json(document.score)} for document in documents]


def write_trace(trace: Trace, path: str | PathLike[str]) -> None:
    """Write a trace to a JSON file, whole or not at all."""
    import json

    text = json.dumps(dump_trace(trace, documents=True), ensure_ascii=False, indent=1)
    place = Path(path)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", errors="surrogatepass")
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def read_trace(trace: Trace, path: str | PathLike[str]) -> None:
    """Fill an empty trace from a file that `write_trace` wrote.

    :raises DeserializationError: the file holds no trace, or one of another version.
    """
    import json

    try:
        data = json.loads(Path(path).read_text(encoding="utf-8", errors="surrogatepass"))
        if data["schema"] != SCHEMA:
            raise DeserializationError(f"{path} is a trace of version {data['schema']!r}; this one reads {SCHEMA}.")
        _fill(trace, data)
        render(trace)  # what can't be shown is no trace
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DeserializationError(f"{path} is no saved trace: {error!r}. Traces are written by Trace.save.") from error


def _fill(trace: Trace, data: dict[str, Any]) -> None:
    from spaniel.tracing.stage import StoreRequest

    known = {id: Document(id=id, content=it["content"], meta=it["meta"]) for id, it in data["documents"].items()}

    def documents(items: list[dict[str, Any]]) -> list[Document]:
        return [replace(known.get(it["id"]) or Document(id=it["id"]), score=_score(it["score"])) for it in items]

    for each in data["stages"]:
        stage = trace.stage(each["name"], each["settings"], each["kind"])
        stage.inputs = [documents(items) for items in each["inputs"]]
        stage.results = documents(each["results"])
        stage.requests = [StoreRequest(**request) for request in each["requests"]]
        for event in each["events"]:
            stage.record(_event(event))
        for seen in (list(known.values()), *stage.inputs, stage.results):
            stage.know(seen)
        stage.seconds = each["seconds"]
    trace.returns(documents(data["results"]))


def _score(value: Any) -> float | None:
    return float(value) if isinstance(value, str) else value  # what is not finite is text


def _event(data: dict[str, Any]) -> Event:
    fields = {name: _value(name, value) for name, value in data.items() if name != "event"}
    event: Event = _KINDS[data["event"]](**fields)
    return event


def _value(name: str, value: Any) -> Any:
    if name == "terms":
        return tuple(TermMatch(**term) for term in value)
    return tuple(_value("", item) for item in value) if isinstance(value, list) else value
