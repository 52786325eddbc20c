"""Haystack's path of sockets and variadic types (see `spaniel.core.haystack_names`)."""

from spaniel.core.component.sockets import GREEDY, LAZY, GreedyVariadic, InputSocket, Mandatory, OutputSocket, Variadic

_empty = Mandatory
HAYSTACK_VARIADIC_ANNOTATION = LAZY
HAYSTACK_GREEDY_VARIADIC_ANNOTATION = GREEDY

__all__ = [
    "HAYSTACK_GREEDY_VARIADIC_ANNOTATION",
    "HAYSTACK_VARIADIC_ANNOTATION",
    "GreedyVariadic",
    "InputSocket",
    "OutputSocket",
    "Variadic",
]
