"""The two ways to run a program."""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from spaniel.runtime.concurrency import call_in_thread, gather, gather_async
from spaniel.runtime.requests import Call, Deferred, Gather, Program, Request, Sleep

T = TypeVar("T")
logger = logging.getLogger(__name__)

CLEANUP_SECONDS = 10.0
"""Bound on the clean-up of a cancelled program."""

LATER_SECONDS = 5.0
"""Bound on the wait of a coroutine for a result that may never be needed."""

_OWN_REQUESTS = Call, Sleep, Gather, Deferred


def execute(program: Program[T], target: object = None) -> T:
    """Return the result of a program, its requests answered one after another in this thread.

    :param target: the receiver of requests that name none.
    """
    answer: Any = None
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
                if not isinstance(request, _OWN_REQUESTS):
                    request = request.call_on(target)
                if isinstance(request, Call):
                    if not request.optional or hasattr(request.receiver, request.method.__name__):
                        answer = getattr(request.receiver, request.method.__name__)(**request.arguments)
                elif isinstance(request, Sleep):
                    time.sleep(request.seconds)
                elif isinstance(request, Gather):
                    answer = gather(request, execute if target is None else partial(execute, target=target))
                else:
                    answer = _later(request.program, target)
            except BaseException as raised:  # noqa: BLE001 (it is the program's to handle or to raise)
                error = raised
    finally:
        error = None  # it refers to this frame, and the frame to it


def _later(program: Program[T], target: object) -> Callable[[], T]:
    """Return a function that runs a program when it is first called."""
    outcome: list[Callable[[], T]] = []

    def answer() -> T:
        if not outcome:
            try:
                result = execute(program, target)
            except Exception as error:  # noqa: BLE001 (it is raised below, each time)
                outcome.append(partial(_raise, error))
            else:
                outcome.append(lambda: result)
        return outcome[0]()

    return answer


async def execute_async(program: Program[T], target: object = None) -> T:
    """Return the result of a program, its requests awaited.

    When the task is cancelled, so is the request, and the CancelledError is raised in the program. It may clean up, with
    requests too, for `CLEANUP_SECONDS`; then the CancelledError is raised here.

    :param target: the receiver of requests that name none.
    """
    answer: Any = None
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
            except GeneratorExit:  # the coroutine is closed, so nothing can be awaited any more
                raise
            except asyncio.CancelledError as raised:
                error = raised
                if cancelled is None:
                    cancelled = raised
                    deadline = asyncio.get_running_loop().time() + CLEANUP_SECONDS
            except BaseException as raised:  # noqa: BLE001 (it is the program's to handle or to raise)
                error = raised
    finally:
        error = cancelled = None  # they refer to this frame, and the frame to them


async def _answer(request: Request, target: object, deadline: float | None) -> Any:
    if deadline is not None:
        async with asyncio.timeout_at(deadline):
            return await _answer(request, target, None)
    if isinstance(request, Sleep):
        return await asyncio.sleep(request.seconds)
    if isinstance(request, Gather):
        return await gather_async(request, partial(execute_async, target=target))
    if isinstance(request, Deferred):
        return await _outcome(request.program, target)
    call = request if isinstance(request, Call) else request.call_on(target)
    method = getattr(call.receiver, f"{call.method.__name__}_async", None)
    if method is not None:
        return await method(**call.arguments)
    return None if call.optional and not hasattr(call.receiver, call.method.__name__) else await call_in_thread(call)


async def _outcome(program: Program[T], target: object) -> Callable[[], T]:
    """Return a function that returns the result of a program, or raises its error."""
    try:
        async with asyncio.timeout(LATER_SECONDS):
            result = await execute_async(program, target)
    except Exception as error:  # noqa: BLE001 (it is raised where somebody asks for the result)
        return partial(_raise, error)
    return lambda: result


def _raise(error: Exception) -> Any:
    raise error
