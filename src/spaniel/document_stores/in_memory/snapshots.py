"""Snapshots of an in-memory store for reads of several steps."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from spaniel._engine import KeywordIndex
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.store_state import StaleReadError
from spaniel.document_stores.embedded.writer import Writer

T = TypeVar("T")

_MAX_TRIES = 5


class PublishedState(NamedTuple):
    """A state of the store that readers see, with a keyword index that stays in this state."""

    version: int
    num_documents: int
    keywords: KeywordIndex


class _Read:
    __slots__ = ("pinned",)

    def __init__(self) -> None:
        self.pinned: PublishedState | None = None


class _Thread(threading.local):
    read: _Read | None = None


class Snapshots:
    """The published state, the states that running reads have pinned, and the documents they need.

    Readers need no lock: each of their steps is an atomic call of a dictionary or a deque.
    """

    def __init__(self, keywords: KeywordIndex) -> None:
        self.published = PublishedState(0, 0, keywords)
        self._thread = _Thread()
        self._pins: dict[_Read, int] = {}
        self._replaced: deque[tuple[int, Mapping[int, Document]]] = deque()
        self._freeing = threading.Lock()

    def keep(self, documents: Mapping[int, Document]) -> None:
        """Keep documents of the published state by slot, before they are removed or replaced."""
        if documents:
            self._replaced.append((self.published.version, documents))

    def publish(self, num_documents: int, keywords: KeywordIndex) -> None:
        """Make a new state visible to readers."""
        self.published = PublishedState(self.published.version + 1, num_documents, keywords)

    def free(self) -> None:
        """Drop the kept documents that no read needs. To be called after each write."""
        if not self._replaced or not self._freeing.acquire(blocking=False):
            return
        try:
            oldest = min(list(self._pins.values()), default=None)
            while self._replaced and (oldest is None or self._replaced[0][0] < oldest):
                self._replaced.popleft()
        finally:
            self._freeing.release()

    @property
    def is_reading(self) -> bool:
        """True while this thread runs a read of several steps."""
        return self._thread.read is not None

    def read_consistently(self, read: Callable[[], T], writer: Writer) -> T:
        """Return the result of `read`, computed on the state published at its first step.

        Steps other than reads of keywords and slots must precede the next write, or it runs again.
        """
        for _ in range(_MAX_TRIES):
            try:
                return self._run(read)
            except StaleReadError:
                continue
        with writer:
            return self._run(read)

    def _run(self, read: Callable[[], T]) -> T:
        thread = self._thread
        outer, own = thread.read, _Read()
        thread.read = own
        try:
            return read()
        finally:
            thread.read = outer
            if self._pins.pop(own, None) is not None:
                self.free()

    def pin(self) -> PublishedState:
        """Return the published state, and pin it for the read of this thread, if there is one."""
        read = self._thread.read
        if read is None:
            return self.published
        if read.pinned is not None:
            if read.pinned.version != self.published.version:
                raise StaleReadError("A read, such as its tokenizer, wrote to the store. Write outside of reads.")
            return read.pinned
        while True:
            state = self.published
            self._pins[read] = state.version
            if state.version == self.published.version:  # else documents replaced since may be gone
                read.pinned = state
                return state

    def get_pinned(self) -> PublishedState:
        """Return the state that the read of this thread has pinned, else the published state."""
        read = self._thread.read
        return self.pin() if read is None or read.pinned is None else read.pinned

    def get_replaced(self, version: int) -> dict[int, Document]:
        """Return the documents that were replaced after `version`, as they were then."""
        found: dict[int, Document] = {}
        if self._replaced:
            for last, documents in reversed(list(self._replaced)):
                if last < version:
                    break
                found.update(documents)
        return found
