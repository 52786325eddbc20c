"""Large merges of the keyword index, in a thread of their own, so that no write waits for one."""

import threading
from collections.abc import Callable

from spaniel._engine import KeywordIndex

MAX_INLINE_MERGE = 4096
"""A writer merges segments of so many documents in all itself: some ten milliseconds of work, and seldom."""


class SegmentMerger:
    """Keeps the segments of an index few.

    A thread lives only while large merges are due, so there is none to be shut down, nor one that a fork could lose. Python
    waits for it at its end. What goes wrong in it is raised by the next `after_write` or `wait`.

    :param keywords: the index; results never depend on its merges.
    """

    def __init__(self, keywords: KeywordIndex) -> None:
        self.keywords = keywords
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def after_write(self, on_merged: Callable[[], object] | None = None) -> None:
        """Merge what is small, and see to it that what is large will be merged.

        :param on_merged: called after large merges, in their thread.
        """
        self._raise()
        if not self.keywords.tidy(MAX_INLINE_MERGE):
            return
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return  # it looks again before it ends
            thread = threading.Thread(target=self._merge, args=(on_merged,), name="spaniel-merge")
            try:
                thread.start()
            except RuntimeError:  # Python ends: no more threads, and no more writes that could wait
                return
            self._thread = thread

    def wait(self) -> None:
        """Return when no merge is under way."""
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
                with self._lock:  # a writer that finds this thread alive relies on it
                    more = self.keywords.tidy(0)
                    if not more:
                        self._thread = None
        except BaseException as error:  # noqa: BLE001 (raised where it can be handled)
            self._error = error
            self._thread = None

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
