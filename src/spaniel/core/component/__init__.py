"""Components and their sockets."""

from spaniel.core.component.component import Component, component, get_input_sockets, get_output_sockets, is_component
from spaniel.core.component.sockets import GreedyVariadic, InputSocket, OutputSocket, Variadic

__all__ = [
    "Component",
    "GreedyVariadic",
    "InputSocket",
    "OutputSocket",
    "Variadic",
    "component",
    "get_input_sockets",
    "get_output_sockets",
    "is_component",
]
