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
    """A state of the store that readers see."""

    version: int
    num_documents: int
    keywords: KeywordIndex
    """The keyword index, which stays in this state."""


class Read:
    """A read of several steps, and the state that it has pinned."""

    __slots__ = ("pinned",)

    def __init__(self) -> None:
        self.pinned: PublishedState | None = None


class CurrentRead(threading.local):
    """The running read of each thread."""

    read: Read | None = None


class ReplacedDocuments:
    """Removed and replaced documents, kept for the reads that began before.

    Readers need no lock: each of their steps is an atomic call of a dictionary or a deque.
    """

    def __init__(self) -> None:
        self._held: dict[Read, int] = {}
        self._replaced: deque[tuple[int, Mapping[int, Document]]] = deque()
        self._freeing = threading.Lock()

    def hold(self, read: Read, version: int) -> None:
        """Keep the documents that are replaced after `version`, for a read."""
        self._held[read] = version

    def release(self, read: Read) -> None:
        """End the hold of a read."""
        if self._held.pop(read, None) is not None:
            self.free()

    def add(self, version: int, documents: Mapping[int, Document]) -> None:
        """Add the documents of a version by slot. To be called before they are replaced."""
        if documents:
            self._replaced.append((version, documents))

    def free(self) -> None:
        """Drop the documents that no read needs. To be called after each write."""
        if not self._replaced or not self._freeing.acquire(blocking=False):
            return
        try:
            oldest = min(list(self._held.values()), default=None)
            while self._replaced and (oldest is None or self._replaced[0][0] < oldest):
                self._replaced.popleft()
        finally:
            self._freeing.release()

    def since(self, version: int) -> dict[int, Document]:
        """Return the documents that were replaced after `version`, as they were then."""
        found: dict[int, Document] = {}
        if self._replaced:
            for last, documents in reversed(list(self._replaced)):
                if last < version:
                    break
                found.update(documents)
        return found


class Snapshots:
    """The published state, and the states that running reads have pinned.

    :param keywords: the keyword index of the first state.
    """

    def __init__(self, keywords: KeywordIndex) -> None:
        self.published = PublishedState(0, 0, keywords)
        self.replaced = ReplacedDocuments()
        self._current = CurrentRead()

    @property
    def is_reading(self) -> bool:
        """True while this thread runs a read of several steps."""
        return self._current.read is not None

    def publish(self, num_documents: int, keywords: KeywordIndex) -> None:
        """Make a new state visible to readers."""
        self.published = PublishedState(self.published.version + 1, num_documents, keywords)

    def consistently(self, read: Callable[[], T], writer: Writer) -> T:
        """Return the result of `read`, computed on the state published at its first step.

        The keyword index and documents by slot can be read at any later step. Any other step must
        precede the next write, or `read` is called again.

        :param writer: locked for the last try, so that no write comes between.
        """
        for _ in range(_MAX_TRIES):
            try:
                return self._run(read)
            except StaleReadError:
                continue
        with writer:
            return self._run(read)

    def _run(self, read: Callable[[], T]) -> T:
        current = self._current
        outer, own = current.read, Read()
        current.read = own
        try:
            return read()
        finally:
            current.read = outer
            self.replaced.release(own)

    def pin(self) -> PublishedState:
        """Return the published state, and pin it for the read of this thread, if there is one.

        :raises StaleReadError: the read has pinned an earlier state.
        """
        read = self._current.read
        if read is None:
            return self.published
        if read.pinned is not None:
            if read.pinned.version != self.published.version:
                raise StaleReadError("A read, such as its tokenizer, wrote to the store. Write outside of reads.")
            return read.pinned
        while True:
            state = self.published
            self.replaced.hold(read, state.version)
            if state.version == self.published.version:  # else documents replaced since may be gone
                read.pinned = state
                return state

    def get_pinned(self) -> PublishedState:
        """Return the state that the read of this thread has pinned, else the published state."""
        read = self._current.read
        return self.pin() if read is None or read.pinned is None else read.pinned
