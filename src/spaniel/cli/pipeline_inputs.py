"""Inputs of a pipeline as people type them: ``query=dogs``, ``retriever.top_k=3``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from spaniel.dataclasses import Document
from spaniel.pipeline import Pipeline


def inputs_from(texts: Sequence[str], pipeline: Pipeline) -> dict[str, dict[str, Any]]:
    """Return the inputs that texts stand for, by component.

    A value is JSON where it can be read so, else text; an input that takes text only gets it as it is typed. Documents are
    JSON objects, such as ``{"content": "..."}``.

    :param texts: ``COMPONENT.NAME=VALUE``, or ``NAME=VALUE`` for every component with a free input of that name.
    :param pipeline: which inputs there are.
    :raises ValueError: a text is of another form, names no input, or names one that another text has named.
    """
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name:
            raise ValueError(f"'{text}' is no input. Write NAME=VALUE or COMPONENT.NAME=VALUE.")
        for component, socket, type_ in _takers(name, pipeline):
            values = given.setdefault(component, {})
            if socket in values:
                raise ValueError(f"The input '{component}.{socket}' is given twice.")
            values[socket] = _value(value, type_)
    return given


def _takers(name: str, pipeline: Pipeline) -> list[tuple[str, str, Any]]:
    """Return which component's input takes a value, and of which type that is."""
    component, dot, socket = name.rpartition(".")
    sockets = list(_sockets(pipeline.inputs(include_components_with_connected_inputs=bool(dot))))
    found = [each for each in sockets if each[1] == socket and (not dot or each[0] == component)]
    if not found:
        valid = ", ".join(f"{one}.{other}" for one, other, _ in _sockets(pipeline.inputs()))
        raise ValueError(f"The pipeline has no input '{name}'. Inputs: {valid or 'none'}.")
    return found


def _sockets(inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, str, Any]]:
    for component, sockets in inputs.items():
        for socket, facts in sockets.items():
            yield component, socket, facts["type"]


def _value(text: str, type_: Any) -> Any:
    types = list(get_args(type_)) if get_origin(type_) in (Union, UnionType) else [type_]
    if str in types and not (text == "null" and type(None) in types):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return _documents(value) if Document in types or list[Document] in types else value


def _documents(value: Any) -> Any:
    """Return a value with its JSON objects as documents."""
    if isinstance(value, list):
        return [_documents(each) for each in value]
    return Document.from_dict(value) if isinstance(value, dict) else value
