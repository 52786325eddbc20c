"""The async methods of a store, derived from the sync ones."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from functools import partial, update_wrapper
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from spaniel.document_stores.embedded.store_state import WritableStoreState


class _AsyncStore(Protocol):
    async_executor: Executor | None

    @property
    def _state(self) -> WritableStoreState: ...


S = TypeVar("S", bound=_AsyncStore)
P = ParamSpec("P")
T = TypeVar("T")
Method = Callable[Concatenate[S, P], T]
AsyncMethod = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def in_reader_thread(method: Method[S, P, T]) -> AsyncMethod[S, P, T]:
    """Return the async method that runs a read in a thread of the store's executor."""

    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(contextvars.copy_context().run, _bind(self, method), *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self.async_executor, call)

    return _describe(run, method)


def in_writer_thread(method: Method[S, P, T]) -> AsyncMethod[S, P, T]:
    """Return the async method that queues a write of any size for the writer's thread."""

    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._state.writer.run(partial(_bind(self, method), *args, **kwargs), small=False)

    return _describe(run, method)


def _bind(store: S, method: Method[S, P, T]) -> Callable[P, T]:
    bound: Callable[P, T] = getattr(store, method.__name__)  # a subclass may override it
    return bound


def _describe(run: AsyncMethod[S, P, T], method: Method[S, P, T]) -> AsyncMethod[S, P, T]:
    update_wrapper(run, method)
    run.__name__ = f"{method.__name__}_async"
    run.__qualname__ = f"{method.__qualname__}_async"
    run.__doc__ = f"Run `{method.__name__}` without blocking the event loop."
    return run
