"""Writes of coroutines: queued with all others, and carried out in the writer thread."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.document_stores.local.locking.write_queue import MIN_WAIT, Claim

T = TypeVar("T")


class QueuedWriter:
    """Runs the writes of coroutines in the order of their calls."""

    def __init__(self, folder_state: FolderState, timeout: float) -> None:
        self._folder_state = folder_state
        self._timeout = timeout

    @property
    def thread(self) -> ThreadPoolExecutor:
        return self._folder_state.thread

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return the result of `write`; reads that begin later wait for a small one."""
        claim = self._folder_state.make_claim(is_block=False)
        future: Future[T] = Future()
        work = partial(_run_claimed, claim, future, contextvars.copy_context(), write)
        submit = partial(self.thread.submit, work)
        if claim.queue.enter(claim, submit):
            submit()
        if small:
            claim.queue.last_small = future
        waiting = asyncio.wrap_future(future)
        try:
            while not (await asyncio.wait({waiting}, timeout=max(self._timeout, MIN_WAIT)))[0]:
                claim.queue.fail_behind_block(claim, self._timeout)
        except BaseException:
            claim.is_cancelled = True
            claim.queue.drop(claim)
            if not future.cancel():  # it runs, and its result is discarded
                waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        return waiting.result()

    def drain(self, claim: Claim | None) -> None:
        """Wait for the queued small writes, except those behind a transaction."""
        queue = self._folder_state.queue if claim is None else claim.members
        future = queue.last_small
        if future is None or future.done() or queue.has_block():
            return
        wait([future])

    def shutdown(self) -> None:
        with self._folder_state.write_lock(self._timeout, "shutdown()"):
            pass
        thread = self.thread
        self._folder_state.start_thread()
        thread.shutdown(wait=True)


def _run_claimed(claim: Claim, future: Future[T], context: contextvars.Context, write: Callable[[], T]) -> None:
    """Run a write whose claim holds the queue."""
    if not future.set_running_or_notify_cancel():
        claim.end()
        return
    context.run(claim.enter_context)
    try:
        result = context.run(write)
    except BaseException as error:  # noqa: BLE001 (raised to the coroutine that awaits the write)
        claim.end()
        future.set_exception(error)
    else:
        claim.end()
        future.set_result(result)
