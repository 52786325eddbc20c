"""Execution of programs, in plain code and in a coroutine."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from spaniel.runtime.concurrency import call_in_thread, gather, gather_async
from spaniel.runtime.requests import Answer, Call, Deferred, Gather, Program, Request, Sleep

T = TypeVar("T")
logger = logging.getLogger(__name__)

CLEANUP_SECONDS = 10.0
"""Limit for the clean-up of a cancelled program."""

DEFERRED_SECONDS = 5.0
"""Limit for a coroutine to wait for a deferred result."""

_BOUND_REQUESTS = Call, Sleep, Gather, Deferred


def execute(program: Program[T], target: object = None) -> T:
    """Return the result of a program; its requests are answered in sequence in this thread.

    :param target: the receiver of unbound requests.
    """
    answer: Answer = None
    error: BaseException | None = None
    try:
        while True:
            try:
                request = program.send(answer) if error is None else program.throw(error)
            except StopIteration as stop:
                result: T = stop.value
                return result
            answer = error = None
            try:
                if not isinstance(request, _BOUND_REQUESTS):
                    request = request.call_on(target)
                if isinstance(request, Call):
                    if not request.optional or hasattr(request.receiver, request.method.__name__):
                        answer = getattr(request.receiver, request.method.__name__)(**request.arguments)
                elif isinstance(request, Sleep):
                    time.sleep(request.seconds)
                elif isinstance(request, Gather):
                    answer = gather(request, execute if target is None else partial(execute, target=target))
                else:
                    answer = _defer(request.program, target)
            except BaseException as raised:  # noqa: BLE001 (the program handles or raises it)
                error = raised
    finally:
        error = None  # breaks the reference cycle of the error and this frame


def _defer(program: Program[T], target: object) -> Callable[[], T]:
    """Return a function that runs a program on its first call."""
    outcome: Future[T] = Future()

    def get_result() -> T:
        if not outcome.done():
            try:
                outcome.set_result(execute(program, target))
            except Exception as error:  # noqa: BLE001 (raised by each call)
                outcome.set_exception(error)
        return outcome.result()

    return get_result


async def execute_async(program: Program[T], target: object = None) -> T:
    """Return the result of a program; its requests are awaited.

    When the task is cancelled, so is the current request, and the CancelledError is raised in the
    program, which has `CLEANUP_SECONDS` to clean up, with requests too. Then the CancelledError is
    raised here.

    :param target: the receiver of unbound requests.
    """
    answer: Answer = None
    error: BaseException | None = None
    cancelled: asyncio.CancelledError | None = None
    deadline: float | None = None
    try:
        while True:
            try:
                request = program.send(answer) if error is None else program.throw(error)
            except StopIteration as stop:
                if cancelled is not None:
                    raise cancelled from None
                result: T = stop.value
                return result
            except Exception as failed:
                if cancelled is None:
                    raise
                logger.warning("The clean-up of a cancelled call failed: %r", failed)
                raise cancelled from failed
            answer = error = None
            try:
                answer = await _answer(request, target, deadline)
            except GeneratorExit:  # the coroutine is closed and can't await
                raise
            except asyncio.CancelledError as raised:
                error = raised
                if cancelled is None:
                    cancelled = raised
                    deadline = asyncio.get_running_loop().time() + CLEANUP_SECONDS
            except BaseException as raised:  # noqa: BLE001 (the program handles or raises it)
                error = raised
    finally:
        error = cancelled = None  # breaks the reference cycle of the errors and this frame


async def _answer(request: Request, target: object, deadline: float | None) -> Answer:
    if deadline is not None:
        async with asyncio.timeout_at(deadline):
            return await _answer(request, target, None)
    if isinstance(request, Sleep):
        return await asyncio.sleep(request.seconds)
    if isinstance(request, Gather):
        return await gather_async(request, partial(execute_async, target=target))
    if isinstance(request, Deferred):
        return await _await_deferred(request.program, target)
    call = request if isinstance(request, Call) else request.call_on(target)
    method = getattr(call.receiver, f"{call.method.__name__}_async", None)
    if method is not None:
        return await method(**call.arguments)
    return None if call.optional and not hasattr(call.receiver, call.method.__name__) else await call_in_thread(call)


async def _await_deferred(program: Program[T], target: object) -> Callable[[], T]:
    """Run a program, and return a function that returns its result or raises its error."""
    outcome: Future[T] = Future()
    try:
        async with asyncio.timeout(DEFERRED_SECONDS):
            outcome.set_result(await execute_async(program, target))
    except Exception as error:  # noqa: BLE001 (raised by the function)
        outcome.set_exception(error)
    return outcome.result
