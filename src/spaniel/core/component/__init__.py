"""Components and their sockets."""

from spaniel.core.component.component import Component, component, inputs_of, is_component, outputs_of
from spaniel.core.component.sockets import GreedyVariadic, InputSocket, OutputSocket, Variadic

__all__ = [
    "Component",
    "GreedyVariadic",
    "InputSocket",
    "OutputSocket",
    "Variadic",
    "component",
    "inputs_of",
    "is_component",
    "outputs_of",
]
