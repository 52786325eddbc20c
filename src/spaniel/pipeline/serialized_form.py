"""Components and connections as plain data, and back."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from spaniel.core.component import Component, is_component
from spaniel.core.foreign import adopt, find_foreign_package
from spaniel.core.known_types import find_type_error, iter_type_references, resolve_serializable_class
from spaniel.core.serialization import component_to_dict, default_from_dict
from spaniel.errors import DeserializationError, ForeignTypeError, PipelineError, UnknownComponentError
from spaniel.pipeline.graph import Nodes, iter_edges

_SHOWN_CHARACTERS = 1000
_FORMS: dict[str, tuple[type, str]] = {
    "components": (Mapping, "a mapping"),
    "connections": (list, "a list"),
    "metadata": (Mapping, "a mapping"),
    "max_runs_per_component": (int, "a whole number"),
    "max_loops_allowed": (int, "a whole number"),
    "connection_type_validation": (bool, "true or false"),
}


def validate_pipeline_data(data: object) -> None:
    """Check that plain data has the form of a pipeline; whether its parts can be built is another question.

    :param data: a pipeline as plain data.
    :raises DeserializationError: it is no mapping, or a part of it has another form.
    """
    if not isinstance(data, Mapping):
        raise DeserializationError(f"A pipeline is a mapping with 'components' and 'connections', not {data!r}.")
    for part, (form, called) in _FORMS.items():
        if not isinstance(data.get(part), (form, type(None))):
            raise DeserializationError(f"The '{part}' of a pipeline must be {called}, not {data[part]!r}.")
    for name in data.get("components") or ():
        if not isinstance(name, str):
            raise DeserializationError(f"The name of a component must be text, not {name!r}.")
    for connection in data.get("connections") or ():
        if not isinstance(connection, Mapping) or not all(isinstance(end, str) for end in connection.values()):
            raise DeserializationError(
                f"A connection must be a mapping with the names 'sender' and 'receiver', not {connection!r}."
            )


def serialize_components(nodes: Nodes) -> dict[str, dict[str, Any]]:
    """Return the components as plain data, by name.

    :raises SerializationError: one does not keep its parameters, or they are more than plain data.
    """
    return {name: component_to_dict(node.instance, name) for name, node in nodes.items()}


def serialize_connections(nodes: Nodes) -> list[dict[str, str]]:
    """Return the connections as plain data."""
    return [dict(zip(("sender", "receiver"), edge.ends, strict=True)) for edge in iter_edges(nodes.values())]


def build_components(data: Mapping[str, Any], ready: Mapping[str, Component]) -> Iterator[tuple[str, Component]]:
    """Yield the components that plain data describes, with their names.

    :param data: a pipeline as plain data.
    :param ready: components to take in the place of those of the same name.
    :raises PipelineError: a component has no type.
    :raises DeserializationError: a type is not known, or a component can't be built.
    """
    components = data.get("components") or {}
    _check_types({name: described for name, described in components.items() if name not in ready})
    for name, described in components.items():
        yield name, ready[name] if name in ready else component_from_dict(described, name)


def _check_types(components: Mapping[str, Any]) -> None:
    """Check the types of all components and of what their parameters hold, so that an error names all that is missing."""
    faults: dict[str, DeserializationError] = {}
    told = ""
    for name, described in components.items():
        for place, type_ in iter_type_references(described):
            if fault := find_type_error(type_):
                inside = f" its '{'.'.join(place)}':" if place else ""
                faults[f"The component '{name}' can't be built:{inside} {fault}"] = fault
                told = "" if place else f" Component '{type_}' (name: '{name}') not imported."
    if len(faults) == 1:
        ((message, fault),) = faults.items()
        raise UnknownComponentError(f"{message}{told}") from fault
    if faults:
        message = f"{len(faults)} types of the pipeline can't be loaded."
        raise UnknownComponentError("\n".join((message, *faults))) from ExceptionGroup(message, list(faults.values()))


def component_from_dict(data: dict[str, Any], name: str) -> Component:
    """Return the component that `component_to_dict` wrote.

    :raises PipelineError: it has no type.
    :raises DeserializationError: it is no mapping, its type is not known or is no component, or it can't be built.
    """
    if not isinstance(data, dict):
        raise DeserializationError(f"The component '{name}' must be a mapping with a 'type', not {data!r}.")
    if "type" not in data:
        raise PipelineError(f"Missing 'type' in component '{name}'.")
    try:
        build, class_name = _builder(data["type"])
    except DeserializationError as error:
        raise UnknownComponentError(
            f"The component '{name}' can't be built: {error} Component '{data['type']}' (name: '{name}') not imported. "
            "Please check that the package is installed and the component path is correct."
        ) from error
    try:
        _check_indentation(data)
        instance = adopt(build(data))
    except Exception as error:
        raise DeserializationError(
            f"Couldn't deserialize component '{name}' of class '{class_name}': {error}\nIts data: {_shown(data)}"
        ) from error
    if not is_component(instance):
        raise DeserializationError(f"'{data['type']}' of '{name}' is no component.")
    return instance  # type: ignore[no-any-return]  # `is_component` was asked


def _builder(type_: Any) -> tuple[Callable[[dict[str, Any]], Any], str]:
    """Return what builds an object of a type from its data, and the name of the class."""
    if isinstance(type_, str) and (package := find_foreign_package(type_)):
        if fault := package.fault(type_):
            raise ForeignTypeError(fault)
        return package.build, type_.rpartition(".")[2]
    cls = resolve_serializable_class(type_)
    return (cls.from_dict if hasattr(cls, "from_dict") else partial(default_from_dict, cls)), cls.__name__


def _check_indentation(data: dict[str, Any]) -> None:
    """Refuse parameters that stand beside ``init_parameters:`` in YAML, not below: they would not count."""
    beside = [key for key in data if key not in ("type", "init_parameters")]
    if beside and "init_parameters" in data and data["init_parameters"] is None:
        names = ", ".join(map(repr, beside))
        raise DeserializationError(
            f"Its 'init_parameters' are empty, but {names} stand beside them. Parameters are to be indented below "
            "'init_parameters:'."
        )


def _shown(data: dict[str, Any]) -> str:
    text = json.dumps(data, default=str, indent=2)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}\n... (cut)"


def parse_connections(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the connections that plain data describes, as pairs of names.

    :raises PipelineError: one lacks an end.
    """
    connections = data.get("connections") or []
    for connection in connections:
        for end in ("sender", "receiver"):
            if end not in connection:
                raise PipelineError(f"Missing {end} in connection: {connection}")
    return [(connection["sender"], connection["receiver"]) for connection in connections]
