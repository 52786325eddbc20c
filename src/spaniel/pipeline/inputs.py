"""What the caller passes to ``run``, sorted to the components it is for, and checked."""

import logging
from collections.abc import Mapping
from typing import Any

from spaniel.pipeline.connections import accepts_another_sender
from spaniel.pipeline.graph import Nodes, describe_inputs

logger = logging.getLogger(__name__)

Given = Mapping[str, Mapping[str, Any]]
"""Values by component, then by input."""


def group_inputs(nodes: Nodes, data: Mapping[str, Any]) -> Given:
    """Return the values by component and input.

    :param data: that already, or values by input name alone: each goes to every component with a free input of that name.
    """
    if _is_nested(nodes, data):
        return data
    given: dict[str, dict[str, Any]] = {}
    free = describe_inputs(nodes)
    for name, value in data.items():
        takers = [component for component, inputs in free.items() if name in inputs]
        for component in takers:
            given.setdefault(component, {})[name] = value
        if not takers:
            logger.warning("The input '%s' was not matched to any component's input, so nothing gets it.", name)
    return given


def check(nodes: Nodes, given: Given) -> None:
    """Check what the caller passes.

    :raises ValueError: a component or an input is unknown, taken by another component, or mandatory and missing.
    """
    for component, values in given.items():
        if component not in nodes:
            raise ValueError(f"Component named '{component}' not found in the pipeline. It has {sorted(nodes)}.")
        inputs = nodes[component].inputs
        for name in values:
            if name not in inputs:
                raise ValueError(f"Input '{name}' not found in component '{component}'; it has {sorted(inputs)}.")
            if not accepts_another_sender(inputs[name]):
                raise ValueError(
                    f"Component '{component}' cannot accept multiple inputs to '{name}'. It is already connected to component "
                    f"'{next(iter(inputs[name].senders))}'; only a variadic input, or one whose type is a list, takes more."
                )
    for node in nodes.values():
        passed = given.get(node.name, ())
        for name, inlet in node.inputs.items():
            if inlet.socket.is_mandatory and not inlet.senders and name not in passed:
                raise ValueError(
                    f"Missing mandatory input '{name}' for component '{node.name}': pass it to run, or connect it."
                )


def _is_nested(nodes: Nodes, data: Mapping[str, Any]) -> bool:
    if not all(isinstance(value, dict) for value in data.values()):
        return False
    if not data or any(name in nodes for name in data):
        return True
    # Values of flat inputs may be dictionaries, such as filters. Only if each key names an input are they taken as that,
    # so that a misspelt component is still an error.
    return not data.keys() <= {name for node in nodes.values() for name in node.inputs}
