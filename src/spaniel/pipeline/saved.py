"""Components and connections as plain data, and back."""

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

from spaniel.core.component import Component, is_component
from spaniel.core.known_types import known_type
from spaniel.core.serialization import constructor_parameters, default_from_dict, default_to_dict
from spaniel.errors import DeserializationError, PipelineError, SerializationError
from spaniel.pipeline.graph import Nodes, edges_of

_PLAIN = (str, int, float, bool, type(None))
_SHOWN_CHARACTERS = 1000


def components_data(nodes: Nodes) -> dict[str, dict[str, Any]]:
    """Return the components as plain data, by name.

    :raises SerializationError: one does not keep its parameters, or they are more than plain data.
    """
    return {name: component_to_dict(node.instance, name) for name, node in nodes.items()}


def connections_data(nodes: Nodes) -> list[dict[str, str]]:
    """Return the connections as plain data."""
    return [dict(zip(("sender", "receiver"), edge.ends, strict=True)) for edge in edges_of(nodes.values())]


def component_to_dict(instance: Component, name: str) -> dict[str, Any]:
    """Return a component as plain data: by its ``to_dict``, else from the attributes named as its parameters.

    :param name: what it is called in errors.
    :raises SerializationError: it does not keep its parameters, or they are more than plain data.
    """
    if hasattr(instance, "to_dict"):
        data: dict[str, Any] = instance.to_dict()
    else:
        data = default_to_dict(instance, **dict(_kept_parameters(instance)))
    _check_plain(data, f"Component '{name}' of type '{type(instance).__name__}'", ())
    return data


def _kept_parameters(instance: Component) -> Iterator[tuple[str, Any]]:
    for name, parameter in constructor_parameters(type(instance)).items():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if not hasattr(instance, name) and parameter.default is inspect.Parameter.empty:
            raise SerializationError(
                f"{type(instance).__name__} does not keep its parameter '{name}': set self.{name}, or give it a to_dict."
            )
        yield name, getattr(instance, name, parameter.default)


def _check_plain(value: Any, component: str, path: tuple[str, ...]) -> None:
    where = f"under '{'.'.join(path)}'" if path else "in its data"
    if isinstance(value, dict):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise SerializationError(f"{component} has a non-string key {where}: {odd[0]!r}.")
        for key, item in value.items():
            _check_plain(item, component, (*path, key))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            _check_plain(item, component, path)
    elif not isinstance(value, _PLAIN):
        raise SerializationError(f"{component} has an unsupported value of type '{type(value).__name__}' {where}.")


def built_components(data: Mapping[str, Any], ready: Mapping[str, Component]) -> Iterator[tuple[str, Component]]:
    """Yield the components that plain data describes, with their names.

    :param data: a pipeline as plain data.
    :param ready: components to take in the place of those of the same name.
    :raises PipelineError: a component has no type.
    :raises DeserializationError: a type is not known, or a component can't be built.
    """
    for name, described in (data.get("components") or {}).items():
        yield name, ready[name] if name in ready else component_from_dict(described, name)


def component_from_dict(data: dict[str, Any], name: str) -> Component:
    """Return the component that `component_to_dict` wrote.

    :raises PipelineError: it has no type.
    :raises DeserializationError: its type is not known or is no component, or it can't be built.
    """
    if not isinstance(data, dict) or "type" not in data:
        raise PipelineError(f"Missing 'type' in component '{name}'.")
    try:
        cls = known_type(data["type"])
    except DeserializationError as error:
        raise DeserializationError(f"The component '{name}' can't be built: {error}") from error
    try:
        instance = cls.from_dict(data) if hasattr(cls, "from_dict") else default_from_dict(cls, data)
    except Exception as error:
        raise DeserializationError(
            f"The component '{name}' of class '{cls.__name__}' can't be built: {error}\nIts data: {_shown(data)}"
        ) from error
    if not is_component(instance):
        raise DeserializationError(f"'{data['type']}' of '{name}' is no component.")
    return instance  # type: ignore[no-any-return]  # `is_component` was asked


def _shown(data: dict[str, Any]) -> str:
    text = json.dumps(data, default=str, indent=2)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}\n... (cut)"


def named_connections(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the connections that plain data describes, as pairs of names.

    :raises PipelineError: one lacks an end.
    """
    connections = data.get("connections") or []
    for connection in connections:
        for end in ("sender", "receiver"):
            if end not in connection:
                raise PipelineError(f"Missing {end} in connection: {connection}")
    return [(connection["sender"], connection["receiver"]) for connection in connections]
