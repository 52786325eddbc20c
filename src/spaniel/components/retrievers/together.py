"""Components called side by side: an algorithm yields the calls it needs, and two drivers make them.

One uses threads, one tasks. Both keep the caller's context, so an open trace sees what the components do.
"""

import asyncio
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class ComponentCall:
    """A call of a component.

    :param component: it has the method, and perhaps an async twin of it.
    :param inputs: the arguments by name.
    :param method: such as ``run``.
    :param name: what the component is called in an error; "" lets its errors through as they are.
    """

    component: Any
    inputs: dict[str, Any]
    method: str = "run"
    name: str = ""

    def make(self) -> Any:
        """Return what the component returns."""
        with self._named_errors():
            return getattr(self.component, self.method)(**self.inputs)

    async def make_async(self) -> Any:
        """Return what the async twin of the method returns, else the method's own result from a thread."""
        twin = getattr(self.component, f"{self.method}_async", None)
        with self._named_errors():
            if twin is not None:
                return await twin(**self.inputs)
            return await _in_thread(self)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not self.name:
                raise
            raise RuntimeError(f"{self.name} failed: {error}") from error


Calls = Generator[Sequence[ComponentCall], Any, T]
"""A running algorithm: yields calls that don't wait for each other, is sent the list of their results, returns its own."""


def call_together(steps: Calls[T], max_workers: int) -> T:
    """Return what an algorithm returns, its calls made in threads.

    :param max_workers: how many calls at a time.
    """
    answers: list[Any] | None = None
    while True:
        try:
            calls = steps.send(answers)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answers = _in_threads(calls, max_workers)


async def call_together_async(steps: Calls[T], max_workers: int) -> T:
    """Return what `call_together` returns, the calls made in tasks."""
    answers: list[Any] | None = None
    while True:
        try:
            calls = steps.send(answers)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answers = await _in_tasks(calls, max_workers)


def _in_threads(calls: Sequence[ComponentCall], max_workers: int) -> list[Any]:
    if min(len(calls), max_workers) < 2:
        return [call.make() for call in calls]
    with ThreadPoolExecutor(min(len(calls), max_workers)) as threads:
        futures = [threads.submit(copy_context().run, call.make) for call in calls]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            failed = next((future for future in futures if future.done() and future.exception()), None)
            return [future.result() for future in ([failed] if failed else futures)]
        finally:
            threads.shutdown(cancel_futures=True)


async def _in_tasks(calls: Sequence[ComponentCall], max_workers: int) -> list[Any]:
    free = asyncio.Semaphore(max_workers)

    async def make(call: ComponentCall) -> Any:
        async with free:
            return await call.make_async()

    tasks = [asyncio.create_task(make(call)) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    finally:  # after an error, or when cancelled: nothing is left running
        for task in tasks:
            if not task.cancelling():  # a second time would cut short the wait for a thread
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _in_thread(call: ComponentCall) -> Any:
    method = partial(getattr(call.component, call.method), **call.inputs)
    thread = asyncio.ensure_future(asyncio.to_thread(method))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.gather(thread, return_exceptions=True)  # a thread can't be stopped, so its end is awaited
        raise
