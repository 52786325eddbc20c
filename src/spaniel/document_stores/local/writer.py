"""The writer of a local store: what coroutines write is queued, for a write that is made safe takes milliseconds."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.writer import T, Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future


class QueuedWriter(Writer):
    """A writer whose thread does everything that coroutines write, in the order of their calls."""

    def __init__(self) -> None:
        super().__init__()
        self._small: Future[Any] | None = None
        self._inside = threading.local()

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return what `write` returns.

        :param write: does the writing.
        :param small: let reads that are begun after the call wait for it.
        """
        future = self.thread.submit(contextvars.copy_context().run, self._marked, write)
        if small:
            self._small = future
        return await asyncio.wrap_future(future)

    def settle(self) -> None:
        """Wait for the small writes that are queued."""
        future = self._small
        if future is None or future.done() or getattr(self._inside, "here", False):
            return
        wait([future])

    def _marked(self, write: Callable[[], T]) -> T:
        self._inside.here = True
        return write()
