"""Input and output mappings of super components: defaults, and types of the mapped sockets."""

from collections.abc import Mapping
from typing import NamedTuple

from spaniel.core.component.annotations import Annotation, Value
from spaniel.errors import InvalidMappingTypeError, InvalidMappingValueError
from spaniel.pipeline.graph import SocketTable
from spaniel.pipeline.type_compatibility import intersect_types
from spaniel.pipeline.wiring import Wiring


class NotGiven:
    """The default of an optional input, so that the inner components use their own defaults."""


class MappedInput(NamedTuple):
    """An input of a super component: the common type of its sockets, True if any needs a value."""

    type: Annotation
    is_mandatory: bool


def split_path(path: str) -> tuple[str, str]:
    """Return the component and the socket of ``"component.socket"``."""
    component, _, socket = path.partition(".")
    if not socket:
        raise InvalidMappingValueError(f"'{path}' must name a component and a socket: 'component.socket'.")
    return component, socket


def map_free_inputs(pipeline: Wiring) -> dict[str, list[str]]:
    """Return the mapping of each free input by its own name; inputs of the same name share a value."""
    mapping: dict[str, list[str]] = {}
    for component, inputs in pipeline.inputs().items():
        for name in inputs:
            mapping.setdefault(name, []).append(f"{component}.{name}")
    return mapping


def map_free_outputs(pipeline: Wiring) -> dict[str, str]:
    """Return the mapping of each free output to its own name."""
    mapping = {f"{component}.{name}": name for component, outputs in pipeline.outputs().items() for name in outputs}
    _check_unique(mapping)
    return mapping


def resolve_input_types(pipeline: Wiring, mapping: Mapping[str, list[str]]) -> dict[str, MappedInput]:
    """Return the inputs of a super component by name."""
    if not isinstance(mapping, Mapping):
        raise InvalidMappingTypeError(f"input_mapping must be a dictionary, got {type(mapping).__name__}.")
    inputs: dict[str, MappedInput] = {}
    for name, paths in mapping.items():
        if not isinstance(paths, list):
            raise InvalidMappingTypeError(
                f"The input '{name}' must be mapped to a list of 'component.socket', got {paths!r}."
            )
        for path in paths:
            socket = _find_socket(pipeline.inputs(), path, "input")
            known = inputs.get(name, MappedInput(socket["type"], is_mandatory=False))
            try:
                shared = intersect_types(known.type, socket["type"])
            except TypeError as error:
                raise InvalidMappingTypeError(f"The input '{name}' can't feed all its sockets: {error}") from error
            inputs[name] = MappedInput(shared, known.is_mandatory or socket["is_mandatory"])
    return inputs


def resolve_output_types(pipeline: Wiring, mapping: Mapping[str, str]) -> dict[str, Annotation]:
    """Return the type of each output of a super component."""
    if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping.values()):
        raise InvalidMappingTypeError(
            f"output_mapping must be a dictionary of 'component.socket' and its output name, got {mapping!r}."
        )
    _check_unique(mapping)
    outputs = pipeline.outputs(include_components_with_connected_outputs=True)
    return {name: _find_socket(outputs, path, "output")["type"] for path, name in mapping.items()}


def _find_socket(sockets: SocketTable, path: str, kind: str) -> Mapping[str, Value]:
    component, socket = split_path(path)
    if component not in sockets or socket not in sockets[component]:
        known = [f"{name}.{each}" for name, names in sockets.items() for each in names]
        raise InvalidMappingValueError(
            f"'{path}' is not a free {kind} of the pipeline. It has: {', '.join(known) or 'none'}."
        )
    return sockets[component][socket]


def _check_unique(mapping: Mapping[str, str]) -> None:
    names = list(mapping.values())
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidMappingValueError(
            f"Several outputs have the name {duplicates}. Give an output_mapping with unique names."
        )
