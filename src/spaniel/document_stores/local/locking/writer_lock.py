"""The lock of a folder: a single process at a time writes to a store."""

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from spaniel.errors import StoreLockedError, StoreWriteError

_HOST = json.dumps(socket.gethostname())
_HOLDER_BYTES = 400
"""Length of the lock file: each holder overwrites the previous one."""
_MIN_PAUSE, _MAX_PAUSE = 0.001, 0.02


class WriterLock:
    """A lock that the system releases when the process ends. A single thread at a time may use it.

    A process that waits for the lock locks the folder itself; a process that writes again has to
    wait for that, so no process starves.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._name = str(file)
        self._descriptor: int | None = None
        self._folder: int | None = None
        self._is_held = False
        self._num_holds = 0

    def acquire(self, timeout: float, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        """Acquire the lock, unless it is held; a true `is_cancelled()` ends the wait."""
        if self._is_held:
            return
        end = time.monotonic() + timeout

        def lock(descriptor: int) -> None:
            pause = _MIN_PAUSE
            while is_cancelled() or not _try_lock(descriptor):
                if is_cancelled() or time.monotonic() >= end:
                    self._fail(timeout)
                time.sleep(min(pause, max(end - time.monotonic(), 0)))
                pause = min(2 * pause, _MAX_PAUSE)

        with self._lock_folder(lock):
            while True:
                descriptor = self._open_file()
                lock(descriptor)
                if self._is_in_place(descriptor):
                    break
                self._descriptor = None  # the lock file was replaced
                os.close(descriptor)
        holder = f'{{"pid": {os.getpid()}, "host": {_HOST}, "since": {time.time():.3f}}}'
        with contextlib.suppress(OSError):  # a full disk: the lock is held anyway
            os.pwrite(descriptor, holder.encode().ljust(_HOLDER_BYTES), 0)
        self._is_held = True

    def release(self) -> None:
        """Release the lock, unless a `hold` block is open."""
        if self._is_held and not self._num_holds:
            self._unlock()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the lock from its next acquisition until the end of the block."""
        self._num_holds += 1
        try:
            yield
        finally:
            self._num_holds -= 1
            self.release()

    def close(self) -> None:
        """Release the lock and close its file."""
        if self._is_held:
            self._unlock()
        self._close_descriptors()

    def reset_after_fork(self) -> None:
        """Close the file in a forked process; the lock stays with its parent."""
        self._is_held, self._num_holds = False, 0
        self._close_descriptors()

    def _unlock(self) -> None:
        self._is_held = False
        if self._descriptor is not None:
            _unlock(self._descriptor)

    def _close_descriptors(self) -> None:
        descriptors, self._descriptor, self._folder = (self._descriptor, self._folder), None, None
        for descriptor in descriptors:
            if descriptor is not None:
                os.close(descriptor)

    def _open_file(self) -> int:
        if self._descriptor is None:
            try:
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise StoreWriteError(
                    f"The lock file '{self._file}' can't be opened: {error.strerror}. Make the folder writable for this "
                    "user, and make room on the disk."
                ) from error
        return self._descriptor

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._name))  # noqa: PTH116 (called by every write)
        except OSError:
            return not self._file.parent.exists()  # the caller notices the missing folder and raises

    @contextmanager
    def _lock_folder(self, lock: Callable[[int], None]) -> Iterator[None]:
        if self._folder is None:
            try:
                self._folder = os.open(self._file.parent, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:  # a folder that can't be listed or is gone: no fairness
                yield
                return
        folder = self._folder
        lock(folder)
        try:
            yield
        finally:
            _unlock(folder)

    def _fail(self, timeout: float) -> NoReturn:
        try:
            holder = _describe_holder(self._file.read_bytes())
        except OSError:
            holder = _describe_holder(b"")
        waited = f" for {timeout:g} seconds" if timeout else ""
        raise StoreLockedError(
            f"'{self._file.parent}' is being written by {holder}, which did not end{waited}. One process may write at a "
            "time; others may read. Wait until it is done, or open the store with a longer timeout=SECONDS.",
            holder,
        ) from None


def _try_lock(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _describe_holder(content: bytes) -> str:
    try:
        holder = json.loads(content)
        since = datetime.fromtimestamp(holder["since"], UTC).isoformat(timespec="milliseconds")
        return f"process {holder['pid']} on {holder['host']} (since {since})"
    except (ValueError, KeyError, TypeError, OverflowError, OSError):
        return "another process"
