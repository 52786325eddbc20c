"""The async twins of a store's methods, made from the methods."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from functools import partial, update_wrapper
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from spaniel.document_stores.embedded.contents import Contents


class Threads(Protocol):
    """A store with what its twins run in."""

    async_executor: Executor | None

    @property
    def _contents(self) -> Contents: ...


S = TypeVar("S", bound=Threads)
P = ParamSpec("P")
T = TypeVar("T")
Method = Callable[Concatenate[S, P], T]
Twin = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def read_in_thread(method: Method[S, P, T]) -> Twin[S, P, T]:
    """Return the twin of a method that reads: it runs beside others, in a thread of the store's executor."""

    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(contextvars.copy_context().run, _bound(self, method), *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self.async_executor, call)

    return _described(twin, method)


def write_in_turn(method: Method[S, P, T]) -> Twin[S, P, T]:
    """Return the twin of a method that may write much: it runs in the writer's thread, in its turn."""

    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._contents.writer.run(partial(_bound(self, method), *args, **kwargs), small=False)

    return _described(twin, method)


def _bound(store: S, method: Method[S, P, T]) -> Callable[P, T]:
    bound: Callable[P, T] = getattr(store, method.__name__)  # of the subclass, where that has its own
    return bound


def _described(twin: Twin[S, P, T], method: Method[S, P, T]) -> Twin[S, P, T]:
    update_wrapper(twin, method)
    twin.__name__ = f"{method.__name__}_async"
    twin.__qualname__ = f"{method.__qualname__}_async"
    twin.__doc__ = f"Return what `{method.__name__}` returns, without blocking the event loop."
    return twin
