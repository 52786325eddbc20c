"""The writes of coroutines: queued with all others, carried out in the writer's thread."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import Future, wait
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from spaniel.document_stores.local.locking.write_queue import MIN_SLICE

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

    from spaniel.document_stores.local.locking.folder_state import FolderState
    from spaniel.document_stores.local.locking.write_queue import Claim

T = TypeVar("T")


class QueuedWriter:
    """Writes what coroutines write, in the order of their calls.

    :param state: of the folder.
    :param timeout: seconds to wait for a transaction of another task.
    """

    def __init__(self, state: FolderState, timeout: float) -> None:
        self._state = state
        self._timeout = timeout

    @property
    def thread(self) -> ThreadPoolExecutor:
        """The executor of the one thread that writes."""
        return self._state.thread

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return the result of `write`.

        :param write: does the writing.
        :param small: let reads that begin after the call wait for it.
        :raises StoreLockedError: a transaction of another task is not over in time.
        """
        claim = self._state.new_claim(is_block=False)
        future: Future[T] = Future()
        work = partial(_carry_out, claim, future, contextvars.copy_context(), write)
        submit = partial(self.thread.submit, work)
        if claim.queue.enter(claim, submit):
            submit()
        if small:
            claim.queue.small = future
        waiting = asyncio.wrap_future(future)
        try:
            while not (await asyncio.wait({waiting}, timeout=max(self._timeout, MIN_SLICE)))[0]:
                claim.queue.refuse_behind_block(claim, self._timeout)
        except BaseException:
            claim.is_abandoned = True
            claim.queue.drop(claim)
            if not future.cancel():  # it runs: nobody asks for its result
                waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        return waiting.result()

    def settle(self, claim: Claim | None) -> None:
        """Wait for the small writes that are queued, but for those behind a transaction.

        :param claim: of the current context, which sees what its own members write.
        """
        queue = self._state.queue if claim is None else claim.members
        future = queue.small
        if future is None or future.done() or queue.waits_for_block():
            return
        wait([future])

    def shutdown(self) -> None:
        """Wait for the writes that are queued, and end the thread. A later write starts another one."""
        with self._state.turn(self._timeout, "shutdown()"):
            pass
        self._state.shutdown_thread()


def _carry_out(claim: Claim, future: Future[T], context: contextvars.Context, write: Callable[[], T]) -> None:
    """Do a write whose claim holds the queue."""
    if not future.set_running_or_notify_cancel():
        claim.end()
        return
    context.run(claim.enter_context)
    try:
        result = context.run(write)
    except BaseException as error:  # noqa: BLE001 (it is raised where the write is awaited)
        claim.end()
        future.set_exception(error)
    else:
        claim.end()
        future.set_result(result)
