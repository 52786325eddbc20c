"""The serialised form of a pipeline: validation, components, connections."""

import json
from collections.abc import Iterator, Mapping

from spaniel.core.component import Component, is_component
from spaniel.core.foreign import adopt
from spaniel.core.known_types import iter_type_references
from spaniel.core.serialization import find_builder, find_type_error
from spaniel.errors import DeserializationError, PipelineError, UnknownComponentError
from spaniel.json_types import Json, JsonObject

_MAX_SHOWN_CHARACTERS = 1000
_PARTS: dict[str, tuple[type, str]] = {
    "components": (Mapping, "a mapping"),
    "connections": (list, "a list"),
    "metadata": (Mapping, "a mapping"),
    "max_runs_per_component": (int, "a whole number"),
    "max_loops_allowed": (int, "a whole number"),
    "connection_type_validation": (bool, "true or false"),
}


def validate_pipeline_data(data: object) -> None:
    """Check the types of the parts of a serialised pipeline; nothing is built."""
    if not isinstance(data, Mapping):
        raise DeserializationError(f"A pipeline must be a mapping with 'components' and 'connections', got {data!r}.")
    for part, (type_, description) in _PARTS.items():
        if not isinstance(data.get(part), (type_, type(None))):
            raise DeserializationError(f"The '{part}' of a pipeline must be {description}, got {data[part]!r}.")
    for name in data.get("components") or ():
        if not isinstance(name, str):
            raise DeserializationError(f"The name of a component must be text, got {name!r}.")
    for connection in data.get("connections") or ():
        if not isinstance(connection, Mapping) or not all(isinstance(end, str) for end in connection.values()):
            raise DeserializationError(
                f"A connection must be a mapping with the names 'sender' and 'receiver', got {connection!r}."
            )


def parse_connections(data: Mapping[str, Json]) -> list[tuple[str, str]]:
    """Return the connections of a serialised pipeline as pairs of sender and receiver."""
    connections = data.get("connections") or []
    for connection in connections:
        for end in ("sender", "receiver"):
            if end not in connection:
                raise PipelineError(f"Missing {end} in connection: {connection}")
    return [(connection["sender"], connection["receiver"]) for connection in connections]


def build_components(
    data: Mapping[str, Json], replacements: Mapping[str, Component]
) -> Iterator[tuple[str, Component]]:
    """Yield each component of a serialised pipeline with its name; `replacements` are not built."""
    components = data.get("components") or {}
    _check_types({name: part for name, part in components.items() if name not in replacements})
    for name, part in components.items():
        yield name, replacements[name] if name in replacements else build_component(part, name)


def _check_types(components: Mapping[str, Json]) -> None:
    errors: dict[str, DeserializationError] = {}
    remark = ""
    for name, part in components.items():
        for path, type_ in iter_type_references(part):
            if error := find_type_error(type_):
                inside = f" its '{'.'.join(path)}':" if path else ""
                errors[f"The component '{name}' can't be built:{inside} {error}"] = error
                remark = "" if path else f" Component '{type_}' (name: '{name}') not imported."
    if len(errors) == 1:
        ((message, error),) = errors.items()
        raise UnknownComponentError(f"{message}{remark}") from error
    if errors:
        message = f"{len(errors)} types of the pipeline can't be loaded."
        raise UnknownComponentError("\n".join((message, *errors))) from ExceptionGroup(message, list(errors.values()))


def build_component(data: Json, name: str) -> Component:
    """Return a component from its serialised form."""
    if not isinstance(data, dict):
        raise DeserializationError(f"The component '{name}' must be a mapping with a 'type', got {data!r}.")
    if "type" not in data:
        raise PipelineError(f"Missing 'type' in component '{name}'.")
    try:
        build = find_builder(data["type"])
    except DeserializationError as error:
        raise UnknownComponentError(
            f"The component '{name}' can't be built: {error} Component '{data['type']}' (name: '{name}') not imported. "
            "Please check that the package is installed and the component path is correct."
        ) from error
    try:
        _check_indentation(data)
        instance = adopt(build(data))
    except Exception as error:
        text = json.dumps(data, default=str, indent=2)
        if len(text) > _MAX_SHOWN_CHARACTERS:
            text = f"{text[:_MAX_SHOWN_CHARACTERS]}\n... (cut)"
        raise DeserializationError(
            f"Couldn't deserialize component '{name}' of class '{data['type'].rpartition('.')[2]}': {error}\nIts data: {text}"
        ) from error
    if not is_component(instance):
        raise DeserializationError(f"The type '{data['type']}' of '{name}' is not a component.")
    return instance


def _check_indentation(data: JsonObject) -> None:
    """Reject parameters beside an empty ``init_parameters:``, an indentation error."""
    beside = [key for key in data if key not in ("type", "init_parameters")]
    if beside and "init_parameters" in data and data["init_parameters"] is None:
        names = ", ".join(map(repr, beside))
        raise DeserializationError(
            f"Its 'init_parameters' are empty, but {names} are beside them. Indent parameters below 'init_parameters:'."
        )
