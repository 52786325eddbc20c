"""Preparing and closing what a component uses, if it can be."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from spaniel.runtime import Call, Program, offers


class Lifecycle(Protocol):
    """The methods that a component or a store may have beside its own; each may have an async counterpart."""

    def warm_up(self) -> None:
        """Prepare it, such as by loading a model."""
        ...

    def close(self) -> None:
        """Close it, such as its connections."""
        ...


def call_each(objects: Iterable[object], method: Callable[..., Any]) -> Program[None]:
    """Call a method of each object that has it."""
    for each in objects:
        if offers(each, method):
            yield Call(each, method, {}, optional=True)  # the one it has may be of the other mode
