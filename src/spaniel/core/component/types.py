"""Sockets and variadic types, under Haystack's module path."""

from spaniel.core.component.sockets import GreedyVariadic, InputSocket, OutputSocket, Variadic

__all__ = ["GreedyVariadic", "InputSocket", "OutputSocket", "Variadic"]
