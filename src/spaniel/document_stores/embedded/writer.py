"""The writer of a store: one write at a time, and a queue of async writes."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Container, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Protocol, TypeVar

from spaniel.dataclasses import Document
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError

T = TypeVar("T")

MAX_SMALL_WRITE_DOCUMENTS = 100
_MAX_SMALL_WRITE_ITEMS = 20_000  # characters and numbers: a millisecond or two of work


def is_small_write(documents: list[Document]) -> bool:
    """Return if the documents are indexed in a millisecond or two."""
    items = sum(len(document.content or "") + len(document.embedding or ()) for document in documents)
    return len(documents) <= MAX_SMALL_WRITE_DOCUMENTS and items <= _MAX_SMALL_WRITE_ITEMS


def choose_documents(
    documents: Sequence[Document], policy: DuplicatePolicy, stored: Container[str]
) -> tuple[list[Document], list[str]]:
    """Return the documents to write, and the ids to skip, given the ids in the store."""
    chosen: dict[str, Document] = {}
    skipped = []
    for document in documents:
        if document.id in chosen or document.id in stored:
            if policy is DuplicatePolicy.SKIP:
                skipped.append(document.id)
                continue
            if policy is not DuplicatePolicy.OVERWRITE:
                raise make_duplicate_error(document.id, len(documents), in_batch=document.id in chosen)
            chosen.pop(document.id, None)  # an overwritten document moves to the end
        chosen[document.id] = document
    return list(chosen.values()), skipped


def make_duplicate_error(id: str, total: int | None, *, in_batch: bool) -> DuplicateDocumentError:
    """Return the error for an id that is stored or in the batch; a total of None is unknown."""
    place = "twice in this batch" if in_batch else "in the store"
    return DuplicateDocumentError(
        f"ID '{id}' already exists {place}, so none of the {'' if total is None else f'{total} '}documents were written. "
        "Pass policy=DuplicatePolicy.OVERWRITE or SKIP to allow it."
    )


class AsyncWriter(Protocol):
    """Runs the writes of coroutines."""

    @property
    def thread(self) -> ThreadPoolExecutor:
        """The executor of the writer's thread."""

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return the result of `write`; writes run in the order of the calls."""

    def shutdown(self) -> None:
        """Wait for the queued writes, and end the thread. A later write starts a new thread."""


class Writer:
    """A lock for writers (``with writer:``), and a thread for queued async writes."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.thread = self._new_thread()
        self._last: Future[object] | None = None

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    async def run(self, write: Callable[[], T], *, small: bool) -> T:
        """Return the result of `write`: a small one runs at once if possible, before later reads."""
        queued = self._last is not None and not self._last.done()
        if small and not queued and self._lock.acquire(blocking=False):
            try:
                return write()
            finally:
                self._lock.release()
        future = self.thread.submit(contextvars.copy_context().run, write)
        self._last = future  # type: ignore[assignment]  # of any result
        return await asyncio.wrap_future(future)

    def shutdown(self) -> None:
        """Wait for the queued writes, and end the thread. A later write starts a new thread."""
        thread, self.thread = self.thread, self._new_thread()
        thread.shutdown(wait=True)

    @staticmethod
    def _new_thread() -> ThreadPoolExecutor:  # starts its thread with the first write
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="spaniel-writer")
