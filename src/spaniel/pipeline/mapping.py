"""Which names of a super component stand for which sockets inside it."""

from collections.abc import Mapping
from typing import Any

from spaniel.errors import InvalidMappingTypeError, InvalidMappingValueError
from spaniel.pipeline.type_compatibility import intersect_types
from spaniel.pipeline.wiring import Wiring

Facts = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""What is known of sockets, by component and by socket."""


class NotGiven:
    """Stands for an input that nobody gave, so that the components inside use their own defaults."""


def split_path(path: str) -> tuple[str, str]:
    """Return the component and the socket of ``"component.socket"``.

    :raises InvalidMappingValueError: it is not of that form.
    """
    component, _, socket = path.partition(".")
    if not socket:
        raise InvalidMappingValueError(f"'{path}' must name a component and a socket: 'component.socket'.")
    return component, socket


def map_free_inputs(pipeline: Wiring) -> dict[str, list[str]]:
    """Return the mapping of each free input under its own name; inputs of one name get the same value."""
    mapping: dict[str, list[str]] = {}
    for component, inputs in pipeline.inputs().items():
        for name in inputs:
            mapping.setdefault(name, []).append(f"{component}.{name}")
    return mapping


def map_free_outputs(pipeline: Wiring) -> dict[str, str]:
    """Return the mapping of each free output under its own name.

    :raises InvalidMappingValueError: two have the same name.
    """
    mapping = {f"{component}.{name}": name for component, outputs in pipeline.outputs().items() for name in outputs}
    _check_unique(mapping)
    return mapping


def resolve_input_types(pipeline: Wiring, mapping: Mapping[str, list[str]]) -> dict[str, dict[str, Any]]:
    """Return for each input name its ``type``, and a ``default`` if no socket needs a value.

    :raises InvalidMappingValueError: a socket does not exist, or another component feeds it.
    :raises InvalidMappingTypeError: the mapping is not of that form, or no value fits all sockets of a name.
    """
    if not isinstance(mapping, Mapping):
        raise InvalidMappingTypeError(f"input_mapping must be a dictionary, not {type(mapping).__name__}.")
    types: dict[str, dict[str, Any]] = {}
    for name, paths in mapping.items():
        if not isinstance(paths, list):
            raise InvalidMappingTypeError(
                f"The input '{name}' must be mapped to a list of 'component.socket', not {paths!r}."
            )
        for path in paths:
            facts = _facts(pipeline.inputs(), path, "input")
            known = types.setdefault(name, {"type": facts["type"], "default": NotGiven})
            known["type"] = _shared_type(name, known["type"], facts["type"])
            if facts["is_mandatory"]:
                known.pop("default", None)
    return types


def output_types(pipeline: Wiring, mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return the type of each output name.

    :raises InvalidMappingValueError: a socket does not exist, or two have the same name.
    :raises InvalidMappingTypeError: the mapping is not of that form.
    """
    if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping.values()):
        raise InvalidMappingTypeError(
            f"output_mapping must be a dictionary of 'component.socket' and a name for it, not {mapping!r}."
        )
    _check_unique(mapping)
    every = pipeline.outputs(include_components_with_connected_outputs=True)
    return {name: _facts(every, path, "output")["type"] for path, name in mapping.items()}


def _facts(sockets: Facts, path: str, kind: str) -> Mapping[str, Any]:
    component, socket = split_path(path)
    if component not in sockets or socket not in sockets[component]:
        known = [f"{one}.{name}" for one, names in sockets.items() for name in names]
        raise InvalidMappingValueError(
            f"'{path}' is no free {kind} of the pipeline. There are: {', '.join(known) or 'none'}."
        )
    return sockets[component][socket]


def _shared_type(name: str, one: Any, other: Any) -> Any:
    try:
        return intersect_types(one, other)
    except TypeError as error:
        raise InvalidMappingTypeError(f"The input '{name}' can't feed all its sockets: {error}") from error


def _check_unique(mapping: Mapping[str, str]) -> None:
    names = list(mapping.values())
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidMappingValueError(
            f"Several outputs have the name {doubled}. Give an output_mapping in which each name is there once."
        )
