"""The inputs that the caller passes to a run: grouping by component, and validation."""

import logging
from collections.abc import Mapping
from typing import TypeAlias

from spaniel.core.component.annotations import Value
from spaniel.pipeline.connections import accepts_another_sender
from spaniel.pipeline.graph import Nodes, describe_inputs

logger = logging.getLogger(__name__)

RunInputs: TypeAlias = Mapping[str, Mapping[str, Value]]
"""Values by component, then by input."""


def group_inputs(nodes: Nodes, data: Mapping[str, Value]) -> RunInputs:
    """Return the values of a run by component; flat values go to every free input of their name."""
    if _is_grouped(nodes, data):
        return data
    grouped: dict[str, dict[str, Value]] = {}
    free = describe_inputs(nodes)
    for name, value in data.items():
        receivers = [component for component, inputs in free.items() if name in inputs]
        for component in receivers:
            grouped.setdefault(component, {})[name] = value
        if not receivers:
            logger.warning("The input '%s' was not matched to any component's input, so it is ignored.", name)
    return grouped


def validate_inputs(nodes: Nodes, inputs: RunInputs) -> None:
    """Check that every value has a free input, and every mandatory input a value."""
    for component, values in inputs.items():
        if component not in nodes:
            raise ValueError(f"Component named '{component}' not found in the pipeline. It has {sorted(nodes)}.")
        ports = nodes[component].inputs
        for name in values:
            if name not in ports:
                raise ValueError(f"Input '{name}' not found in component '{component}'; it has {sorted(ports)}.")
            if not accepts_another_sender(ports[name]):
                raise ValueError(
                    f"Component '{component}' cannot accept multiple inputs to '{name}'. It is already connected to "
                    f"component '{next(iter(ports[name].senders))}'; only a variadic input or one of a list type takes more."
                )
    for node in nodes.values():
        passed = inputs.get(node.name, ())
        for name, port in node.inputs.items():
            if port.socket.is_mandatory and not port.senders and name not in passed:
                raise ValueError(f"Missing mandatory input '{name}' for component '{node.name}': pass or connect it.")


def _is_grouped(nodes: Nodes, data: Mapping[str, Value]) -> bool:
    if not all(isinstance(value, dict) for value in data.values()):
        return False
    if not data or any(name in nodes for name in data):
        return True
    # Flat values may be dictionaries, such as filters. Unless every key names an input, the keys
    # are component names, so that a misspelt component is an error.
    return not data.keys() <= {name for node in nodes.values() for name in node.inputs}
