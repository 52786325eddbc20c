"""Preparing and closing what a component uses, if it can be."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from spaniel.runtime import Call, Program


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
    name, name_async = method.__name__, f"{method.__name__}_async"
    for each in objects:
        if hasattr(each, name) or hasattr(each, name_async):
            yield Call(each, method, {}, optional=True)  # the one it has may be of the other mode
