"""Programs side by side, in threads or in tasks, and calls in threads that a cancelled caller can't stop."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from typing import Any

from spaniel.runtime.requests import Call, Gather, Program


def gather(request: Gather, run: Callable[[Program[Any]], Any]) -> list[Any]:
    """Return the results of programs that run in threads; those of a single one in this thread."""
    if request.limit == 1 or not request.threads:
        return [run(program) for program in request.programs if program is not None]
    programs = iter(request.programs)
    first = list(islice(programs, 2))
    if len(first) < 2:
        return [run(program) for program in first if program is not None]
    results: list[Any] = []
    running: dict[Future[Any], int] = {}
    with ThreadPoolExecutor(
        request.limit, thread_name_prefix="spaniel"
    ) as threads:  # its exit waits for those that run
        for program in _starts(chain(first, programs), running, request.limit):
            if program is None:
                wait(running, return_when=FIRST_COMPLETED)
            _collect(running, results)
            if program is not None:
                running[threads.submit(copy_context().run, run, program)] = len(results)
                results.append(None)
    return results


async def gather_async(request: Gather, run: Callable[[Program[Any]], Coroutine[Any, Any, Any]]) -> list[Any]:
    """Return the results of programs that run in tasks. However it ends, no task is left running."""
    results: list[Any] = []
    running: dict[asyncio.Task[Any], int] = {}
    try:
        for program in _starts(request.programs, running, request.limit):
            if program is None and len(running) == 1:
                await next(iter(running))  # as below, for less
            elif program is None:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            _collect(running, results)
            if program is not None:
                running[asyncio.create_task(run(program))] = len(results)
                results.append(None)
                await asyncio.sleep(0)  # lets it begin: the next program may take a while to prepare
    finally:
        for task in running:
            task.cancel()
        await wait_until_done(running)
    return results


def _collect(running: dict[Any, int], results: list[Any]) -> None:
    """Move the results of those that have finished to their places; raise the error of one that failed."""
    for finished in [each for each in running if each.done()]:
        results[running[finished]] = finished.result()
        del running[finished]


def _starts(
    programs: Iterable[Program[Any] | None], running: Collection[Any], limit: int
) -> Iterator[Program[Any] | None]:
    """Yield each program when it may begin, and None where one of those that run must finish first."""
    for program in programs:
        while running and (program is None or len(running) >= limit):
            yield None
            if program is None:
                break
        if program is not None:
            yield program
    while running:
        yield None


async def call_in_thread(call: Call) -> Any:
    """Return the answer to a call from a thread.

    :raises TypeError: the call must not be made in one.
    """
    if call.in_thread == "forbid":
        raise TypeError(
            f"{type(call.receiver).__name__} does not provide async support: it has no '{call.name}_async'. Use run."
        )
    function = partial(copy_context().run, getattr(call.receiver, call.name), **call.arguments)
    thread = asyncio.get_running_loop().run_in_executor(None, function)
    if call.in_thread == "abandon":
        return await thread
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await wait_until_done([thread])
        raise


async def wait_until_done(tasks: Collection[asyncio.Future[Any]]) -> None:
    """Wait until tasks have ended, however often this one is cancelled meanwhile; their errors are dropped."""
    cancelled: asyncio.CancelledError | None = None
    while waiting := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(waiting)
        except asyncio.CancelledError as raised:
            cancelled = raised
    for task in tasks:
        if not task.cancelled():
            task.exception()  # else the loop reports that nobody looked at it
    if cancelled is not None:
        raise cancelled
