"""A method of one package, called from the other: arguments, results and errors are converted where it is called."""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from spaniel.interop.haystack.documents import from_haystack, to_haystack
from spaniel.interop.haystack.errors import our_errors, their_errors

F = TypeVar("F", bound=Callable[..., Any])


def _itself(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class Border:
    """A border, crossed in one direction.

    :param inward: what arguments become.
    :param outward: what results become.
    :param errors: a block in which the other side's errors become those of the caller's side.
    """

    inward: Callable[[Any], Any]
    outward: Callable[[Any], Any]
    errors: Callable[[], AbstractContextManager[None]]

    def across(self, method: F, then: Callable[[Any], Any] = _itself) -> F:
        """Return a method of the other side as one of this side, sync or async as it is.

        :param then: what becomes of the result when it is here.
        """

        @wraps(method)
        def crossing(*args: Any, **kwargs: Any) -> Any:
            with self.errors():
                return then(self.outward(method(*map(self.inward, args), **self.inward(kwargs))))

        @wraps(method)
        async def crossing_async(*args: Any, **kwargs: Any) -> Any:
            with self.errors():
                return then(self.outward(await method(*map(self.inward, args), **self.inward(kwargs))))

        return crossing_async if inspect.iscoroutinefunction(method) else crossing  # type: ignore[return-value]  # of its shape

    def method_of(self, store: object, name: str, then: Callable[[Any], Any] | None = None) -> Any:
        """Return a store's public method as one of this side.

        :param then: as `across` takes it.
        :raises AttributeError: it has none of this name.
        """
        method = None if name.startswith("_") else getattr(store, name, None)
        if not inspect.isroutine(method):
            raise AttributeError(f"{type(store).__name__} has no method '{name}'.")
        return self.across(method, then or _itself)


FROM_SPANIEL = Border(to_haystack, from_haystack, our_errors)
"""Spaniel calls Haystack."""

FROM_HAYSTACK = Border(from_haystack, to_haystack, their_errors)
"""Haystack calls Spaniel."""
