"""Segment merges of the keyword index, beside readers and writers."""

import threading
from collections.abc import Callable

from spaniel._engine import KeywordIndex

MAX_INLINE_MERGE = 4096
"""Maximum number of documents of a merge in the writer: about ten milliseconds of work."""


class SegmentMerger:
    """Merges segments after writes: small merges in the writer, large ones in a thread.

    The thread lives only while merges are due, so it needs no shutdown and is safe across forks.
    Python waits for it at exit. The next `after_write` or `wait` raises its errors.
    """

    def __init__(self, keywords: KeywordIndex) -> None:
        self.keywords = keywords
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def after_write(self, on_merged: Callable[[], object] | None = None) -> None:
        """Run small merges, and start the thread if large ones are due, then `on_merged`."""
        self._raise()
        if not self.keywords.tidy(MAX_INLINE_MERGE):
            return
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return  # it checks again before it ends
            thread = threading.Thread(target=self._merge, args=(on_merged,), name="spaniel-merge")
            try:
                thread.start()
            except RuntimeError:  # Python exits: no more threads, and no more writes that could wait
                return
            self._thread = thread

    def wait(self) -> None:
        """Wait for the running merge."""
        thread = self._thread
        if thread is not None:
            thread.join()
        self._raise()

    def _merge(self, on_merged: Callable[[], object] | None) -> None:
        try:
            more = True
            while more:
                self.keywords.tidy()
                if on_merged is not None:
                    on_merged()
                with self._lock:  # a writer that sees this thread alive relies on this check
                    more = self.keywords.tidy(0)
                    if not more:
                        self._thread = None
        except BaseException as error:  # noqa: BLE001 (raised by the next call)
            self._error = error
            self._thread = None

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
