"""One writer at a time, and the queue of those that wait."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class AsyncWriter(Protocol):
    """Carries out what coroutines write."""

    @property
    def thread(self) -> ThreadPoolExecutor:
        """The executor of the one thread that writes."""

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return the result of `write`, in the order of the calls."""

    def shutdown(self) -> None:
        """Wait for what is queued, and end the thread. A later write starts another one."""


class Writer:
    """Lets one writer in at a time: ``with writer:``. What coroutines write takes effect in the order of their calls.

    `thread` is the executor of the one thread that does what is queued.
    """

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self.thread = self._new_thread()
        self._last: Future[Any] | None = None

    def __enter__(self) -> None:
        self._turn.acquire()

    def wait_for_turn(self, seconds: float) -> bool:
        """Return whether the turn was taken, which `end_turn` gives back; another thread may write for longer."""
        return self._turn.acquire(timeout=seconds)

    def end_turn(self) -> None:
        """Let the next writer in."""
        self._turn.release()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turn.release()

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return what `write` returns.

        :param write: does the writing.
        :param small: do it now, so that a read begun after the call sees it. It still queues where others are before it, and
            a large one always does; readers see the state before it until it is done.
        """
        queued = self._last is not None and not self._last.done()
        if small and not queued and self._turn.acquire(blocking=False):
            try:
                return write()
            finally:
                self._turn.release()
        self._last = future = self.thread.submit(contextvars.copy_context().run, write)
        return await asyncio.wrap_future(future)

    def shutdown(self) -> None:
        """Wait for what is queued, and end the thread. A later write starts another one."""
        thread, self.thread = self.thread, self._new_thread()
        thread.shutdown(wait=True)

    @staticmethod
    def _new_thread() -> ThreadPoolExecutor:  # starts its thread with the first write
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="spaniel-writer")
