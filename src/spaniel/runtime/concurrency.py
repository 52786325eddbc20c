"""Parallel programs, in threads or in tasks, and calls in threads."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from typing import Any, TypeVar

from spaniel.runtime.requests import Answer, Call, Gather, Program

R = TypeVar("R", Future[Answer], asyncio.Task[Answer])


def gather(request: Gather, run: Callable[[Program[Any]], Answer]) -> list[Answer]:
    """Run programs in threads, a single one in the caller's thread, and return the results."""
    if request.limit == 1 or not request.threads:
        return [run(program) for program in request.programs if program is not None]
    programs = iter(request.programs)
    first = list(islice(programs, 2))
    if len(first) < 2:
        return [run(program) for program in first if program is not None]
    results: list[Answer] = []
    running: dict[Future[Answer], int] = {}
    with ThreadPoolExecutor(request.limit, thread_name_prefix="spaniel") as threads:  # waits for its threads on exit
        for program in _iter_starts(chain(first, programs), running, request.limit):
            if program is None:
                wait(running, return_when=FIRST_COMPLETED)
            _collect(running, results)
            if program is not None:
                running[threads.submit(copy_context().run, run, program)] = len(results)
                results.append(None)
    return results


async def gather_async(request: Gather, run: Callable[[Program[Any]], Coroutine[None, None, Answer]]) -> list[Answer]:
    """Run programs in tasks, and return the results; no task is left running after an error."""
    results: list[Answer] = []
    running: dict[asyncio.Task[Answer], int] = {}
    try:
        for program in _iter_starts(request.programs, running, request.limit):
            if program is None and len(running) == 1:
                await next(iter(running))  # cheaper than asyncio.wait
            elif program is None:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            _collect(running, results)
            if program is not None:
                running[asyncio.create_task(run(program))] = len(results)
                results.append(None)
                await asyncio.sleep(0)  # starts the task, since the next program may take long to prepare
    finally:
        for task in running:
            task.cancel()
        await wait_until_done(running)
    return results


def _collect(running: dict[R, int], results: list[Answer]) -> None:
    """Move results of finished programs to their positions, or raise the first error."""
    for finished in [each for each in running if each.done()]:
        results[running[finished]] = finished.result()
        del running[finished]


def _iter_starts(
    programs: Iterable[Program[Any] | None], running: Collection[object], limit: int
) -> Iterator[Program[Any] | None]:
    """Yield each program when it may start, and None when a running program must finish first."""
    for program in programs:
        while running and (program is None or len(running) >= limit):
            yield None
            if program is None:
                break
        if program is not None:
            yield program
    while running:
        yield None


async def call_in_thread(call: Call) -> Answer:
    """Return the answer to a call from a thread."""
    name = call.method.__name__
    if call.in_thread == "forbid":
        kind = type(call.receiver).__name__
        raise TypeError(f"{kind} does not provide async support: it has no '{name}_async'. Use run.")
    function = partial(copy_context().run, getattr(call.receiver, name), **call.arguments)
    thread = asyncio.get_running_loop().run_in_executor(None, function)
    if call.in_thread == "abandon":
        return await thread
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await wait_until_done([thread])
        raise


async def wait_until_done(tasks: Collection[asyncio.Future[Answer]]) -> None:
    """Wait until tasks are done, also if this task is cancelled; ignore their errors."""
    cancelled: asyncio.CancelledError | None = None
    while waiting := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(waiting)
        except asyncio.CancelledError as raised:
            cancelled = raised
    for task in tasks:
        if not task.cancelled():
            task.exception()  # marks the error as retrieved, or the event loop logs it
    if cancelled is not None:
        raise cancelled
