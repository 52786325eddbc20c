"""One state of an in-memory store for a read of several steps, and the documents that only such states still have."""

import threading
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from spaniel._engine import KeywordIndex
from spaniel.dataclasses import Document
from spaniel.errors import DocumentStoreError


class MovedError(DocumentStoreError):
    """A read needs more of its state than it has taken, and the store has been written to since."""


class ReadSnapshot(NamedTuple):
    """One state of a store."""

    version: int
    num_documents: int
    keywords: KeywordIndex
    """The keyword index, which stays in this state."""


class Read:
    """A read of several steps, and the state that it has taken."""

    __slots__ = ("snapshot",)

    def __init__(self) -> None:
        self.snapshot: ReadSnapshot | None = None


class CurrentRead(threading.local):
    """The read that a thread is doing."""

    read: Read | None = None


class ReplacedDocuments:
    """Documents that a write removed or replaced, kept for the reads that began before.

    Readers take no lock: each step of theirs is one call of a dictionary or a deque, which Python does not interrupt.
    """

    def __init__(self) -> None:
        self._held: dict[Read, int] = {}
        self._replaced: deque[tuple[int, Mapping[int, Document]]] = deque()
        self._freeing = threading.Lock()

    def hold(self, read: Read, version: int) -> None:
        """Keep for a read what is replaced from a version on."""
        self._held[read] = version

    def release(self, read: Read) -> None:
        """Keep nothing more for a read."""
        if self._held.pop(read, None) is not None:
            self.free()

    def add(self, version: int, documents: Mapping[int, Document]) -> None:
        """Take documents by slot, as they were up to a version. To be called before they are replaced."""
        if documents:
            self._replaced.append((version, documents))

    def free(self) -> None:
        """Let go of the documents that no read needs, unless another thread is about it. To be called after each write."""
        if not self._replaced or not self._freeing.acquire(blocking=False):
            return
        try:
            oldest = min(list(self._held.values()), default=None)
            while self._replaced and (oldest is None or self._replaced[0][0] < oldest):
                self._replaced.popleft()
        finally:
            self._freeing.release()

    def since(self, version: int) -> dict[int, Document]:
        """Return the documents that were replaced from a version on, as they were at that version."""
        found: dict[int, Document] = {}
        if self._replaced:
            for last, documents in reversed(list(self._replaced)):
                if last < version:
                    break
                found.update(documents)
        return found
