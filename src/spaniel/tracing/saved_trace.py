"""The saved form of a trace: JSON data of a versioned schema."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.errors import DeserializationError
from spaniel.json_types import Json, JsonObject
from spaniel.tracing.events import EVENT_TYPES, TermMatch
from spaniel.tracing.rendering import make_label, render
from spaniel.tracing.stage import Stage, StoreRequest, TraceData, to_json

SCHEMA = 2  # the version of docs/trace.schema.json


def dump_trace(trace: TraceData, *, documents: bool = False) -> JsonObject:
    """Return a trace as JSON data, with the text and metadata of the documents if asked."""
    named = dict.fromkeys(event.about for event in trace.events)
    data: JsonObject = {
        "schema": SCHEMA,
        "stages": [_dump_stage(stage) for stage in trace.stages],
        "results": _dump_scores(trace.results),
        "labels": {id: make_label(trace.documents[id]) for id in named if id in trace.documents},
    }
    if documents:
        data["documents"] = {
            id: {"content": it.content, "meta": to_json(it.meta)} for id, it in trace.documents.items()
        }
    return data


def _dump_stage(stage: Stage) -> JsonObject:
    events = [{"event": type(event).__name__, **to_json(event)} for event in stage.events]  # may add requests
    requests = [{key: value for key, value in vars(it).items() if key != "error" or value} for it in stage.requests]
    return {
        "name": stage.name,
        "kind": stage.kind,
        "settings": {name: to_json(value) for name, value in stage.settings.items()},
        "seconds": stage.seconds,
        "requests": requests,
        "inputs": [_dump_scores(documents) for documents in stage.inputs],
        "events": events,
        "results": _dump_scores(stage.results),
    }


def _dump_scores(documents: Sequence[Document]) -> list[JsonObject]:
    return [{"id": document.id, "score": to_json(document.score)} for document in documents]


def write_trace(trace: TraceData, path: str | PathLike[str]) -> None:
    """Write a trace to a JSON file, atomically."""
    text = json.dumps(dump_trace(trace, documents=True), ensure_ascii=False, indent=1)
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", errors="surrogatepass")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def read_trace(trace: TraceData, path: str | PathLike[str]) -> None:
    """Fill an empty trace from a file of `write_trace`; others raise a DeserializationError."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8", errors="surrogatepass"))
        if data["schema"] != SCHEMA:
            raise DeserializationError(
                f"{path} is a trace of schema {data['schema']!r}, but this version of Spaniel reads schema {SCHEMA}. "
                "Run the search again and save its trace, with Trace.save or `spaniel explain QUERY --save FILE`."
            )
        _fill(trace, data)
        render(trace)  # fails for values of wrong types
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        message = f"{path} is not a saved trace: {error!r}. Pass a file that Trace.save wrote."
        raise DeserializationError(message) from error


def _fill(trace: TraceData, data: JsonObject) -> None:
    known = {id: Document(id=id, content=it["content"], meta=it["meta"]) for id, it in data["documents"].items()}

    def load_documents(items: list[JsonObject]) -> list[Document]:
        return [replace(known.get(it["id"]) or Document(id=it["id"]), score=_load_score(it["score"])) for it in items]

    for each in data["stages"]:
        stage = trace.stage(each["name"], each["settings"], each["kind"])
        stage.inputs = [load_documents(items) for items in each["inputs"]]
        stage.results = load_documents(each["results"])
        stage.requests = [StoreRequest(**request) for request in each["requests"]]
        for event in each["events"]:
            kind = EVENT_TYPES[event.pop("event")]
            stage.record(kind(**{name: _load_field(name, value) for name, value in event.items()}))
        for documents in (list(known.values()), *stage.inputs, stage.results):
            stage.add_documents(documents)
        stage.seconds = each["seconds"]
    trace.returns(load_documents(data["results"]))


def _load_score(value: Json) -> float | None:
    return float(value) if isinstance(value, str) else value  # infinity and NaN are text


def _load_field(name: str, value: Json) -> Json:
    if name == "terms":
        return tuple(TermMatch(**{**term, "forms": tuple(term.get("forms", ()))}) for term in value)
    return tuple(_load_field("", item) for item in value) if isinstance(value, list) else value
