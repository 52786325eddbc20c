"""How an operation on a server is written: a generator that yields requests and pauses. And the two drivers that run one."""

import asyncio
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Ask:
    """One HTTP request; its answer is the body as Python data.

    :param body: Python data, or bytes that are JSON already.
    :param repeatable: whether the request may be made again where it is not known if the server carried it out.
    """

    method: str
    path: str
    body: Any = None
    params: Mapping[str, Any] | None = None
    repeatable: bool = True


@dataclass(frozen=True)
class Pause:
    """Time to wait, in seconds."""

    seconds: float


@dataclass(frozen=True)
class AtOnce:
    """Several operations, of which at most `limit` run at the same time; the answer is a list of what they return.

    When one fails, no other is begun; those that run are waited for, and the first error is raised.
    """

    operations: "Iterator[Steps[Any]]"
    limit: int


Step: TypeAlias = Ask | Pause | AtOnce
Steps: TypeAlias = Generator[Step, Any, T_co]
"""An operation: yields steps, is sent their answers (or their errors), returns its result."""


class Connected(Protocol):
    """What sends a request and returns its answer.

    Both methods raise DocumentStoreError: see `spaniel.document_stores.opensearch.failures`.
    """

    def send(self, ask: Ask) -> Any:
        """Return the answer."""
        ...

    async def send_async(self, ask: Ask) -> Any:
        """Return the answer."""
        ...


def drive(steps: Steps[T], connection: Connected) -> T:
    """Return what an operation returns."""
    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answer = error = None
        try:
            if isinstance(step, Ask):
                answer = connection.send(step)
            elif isinstance(step, Pause):
                time.sleep(step.seconds)
            else:
                answer = _all(step, connection)
        except Exception as raised:  # noqa: BLE001 (it is the operation's to handle or to raise)
            error = raised


def _all(step: AtOnce, connection: Connected) -> list[Any]:
    first, rest = next(step.operations, None), step.operations
    second = next(rest, None)
    if first is None or second is None or step.limit == 1:  # no threads for what is done one by one
        begun = [operation for operation in (first, second) if operation is not None]
        return [drive(operation, connection) for operation in (*begun, *rest)]
    results: list[Any] = []
    running: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(step.limit, thread_name_prefix="spaniel-opensearch") as threads:
        running.extend(threads.submit(drive, operation, connection) for operation in (first, second))
        for operation in rest:
            while len(running) >= step.limit:
                results.append(running.popleft().result())
            running.append(threads.submit(drive, operation, connection))
        results.extend(future.result() for future in running)
    return results


async def drive_async(steps: Steps[T], connection: Connected) -> T:
    """Return what `drive` returns."""
    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answer = error = None
        try:
            if isinstance(step, Ask):
                answer = await connection.send_async(step)
            elif isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            else:
                answer = await _all_async(step, connection)
        except Exception as raised:  # noqa: BLE001 (it is the operation's to handle or to raise)
            error = raised


async def _all_async(step: AtOnce, connection: Connected) -> list[Any]:
    results: list[Any] = []
    running: deque[asyncio.Task[Any]] = deque()
    try:
        for operation in step.operations:
            while len(running) >= step.limit:
                results.append(await running[0])
                running.popleft()
            running.append(asyncio.create_task(drive_async(operation, connection)))
            await asyncio.sleep(0)  # lets it begin: what comes next may take a while to prepare
        while running:
            results.append(await running[0])
            running.popleft()
    finally:
        await asyncio.gather(*running, return_exceptions=True)
    return results
