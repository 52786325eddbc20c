"""Methods from programs: a generator function gives a plain method and its async counterpart."""

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from spaniel.runtime.execution import execute, execute_async
from spaniel.runtime.requests import Program

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")
Method = Callable[Concatenate[S, P], T]
AsyncMethod = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def sync_method(program: Callable[Concatenate[S, P], Program[T]]) -> Method[S, P, T]:
    """Return a plain method that executes a program.

    The receiver of unbound requests is the object's ``_target``, if it has one.
    """

    def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return execute(program(self, *args, **kwargs), getattr(self, "_target", None))

    return cast("Method[S, P, T]", _copy_signature(program, method))


def async_method(method: Method[S, P, T]) -> AsyncMethod[S, P, T]:
    """Return the async counterpart of a method made by `sync_method`."""
    program: Callable[Concatenate[S, P], Program[T]] = inspect.unwrap(method)

    async def counterpart(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await execute_async(program(self, *args, **kwargs), getattr(self, "_target", None))

    _copy_signature(program, counterpart)
    counterpart.__dict__.update({**method.__dict__, "__signature__": counterpart.__signature__})  # type: ignore[attr-defined]  # set above
    counterpart.__name__ = f"{method.__name__}_async"
    counterpart.__qualname__ = f"{method.__qualname__}_async"
    counterpart.__doc__ = f"Return the result of `{method.__name__}` without blocking the event loop."
    return counterpart


def _copy_signature(program: Callable[..., Any], method: Any) -> Any:
    functools.update_wrapper(method, program)
    signature = inspect.signature(program)
    result = signature.return_annotation
    arguments = getattr(result, "__args__", ())
    returned = arguments[-1] if arguments else result  # Program[T]
    method.__signature__ = signature.replace(return_annotation=returned)
    method.__annotations__ = {**program.__annotations__, "return": returned}
    return method
