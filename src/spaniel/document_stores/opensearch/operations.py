"""Operations as methods: one generator gives a plain method and its async twin."""

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from spaniel.document_stores.opensearch.connection import Connection
from spaniel.document_stores.opensearch.steps import Steps, drive, drive_async


class HasConnection(Protocol):
    """A store whose operations can be run."""

    @property
    def _connection(self) -> Connection: ...


S = TypeVar("S", bound=HasConnection)
P = ParamSpec("P")
T = TypeVar("T")
Operation = Callable[Concatenate[S, P], Steps[T]]
Method = Callable[Concatenate[S, P], T]
Twin = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def asked(operation: Operation[S, P, T]) -> Method[S, P, T]:
    """Return an operation as a method that runs it with the store's plain client."""

    def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return drive(operation(self, *args, **kwargs), self._connection)

    return cast("Method[S, P, T]", _like(operation, method))


def asked_async(method: Method[S, P, T]) -> Twin[S, P, T]:
    """Return the async twin of a method that `asked` made."""
    operation: Operation[S, P, T] = method.__wrapped__  # type: ignore[attr-defined]  # `functools.wraps` sets it

    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await drive_async(operation(self, *args, **kwargs), self._connection)

    _like(operation, twin)
    twin.__name__ = f"{method.__name__}_async"
    twin.__qualname__ = f"{method.__qualname__}_async"
    twin.__doc__ = f"Return what `{method.__name__}` returns, without blocking the event loop."
    return twin


def _like(operation: Callable[..., Any], method: Any) -> Any:
    functools.update_wrapper(method, operation)
    signature = inspect.signature(operation)
    result = signature.return_annotation
    arguments = getattr(result, "__args__", ())
    returned = arguments[-1] if arguments else result  # Steps[T]
    method.__signature__ = signature.replace(return_annotation=returned)
    method.__annotations__ = {**operation.__annotations__, "return": returned}
    return method
