"""The lock of a folder: one process at a time writes to a store."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn

from spaniel.errors import StoreLockedError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_HOST = json.dumps(socket.gethostname())
_LINE = 400
"""Bytes of the lock file: each holder overwrites the one before."""
_FIRST_PAUSE, _MAX_PAUSE = 0.001, 0.02


class WriterLock:
    """A lock that the system frees when the process ends, however it ends. One thread at a time may use it.

    Processes take turns: who waits for the lock holds the folder itself, and who writes again has to wait for that.

    :param file: the lock file; it names the process that holds it, or held it last.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._name = str(file)
        self._descriptor: int | None = None
        self._folder: int | None = None
        self._is_held = False
        self._keepers = 0

    def acquire(self, timeout: float, is_abandoned: Callable[[], bool] = lambda: False) -> None:
        """Take the lock; this process may have it already.

        :param timeout: seconds to wait for it.
        :param is_abandoned: whether to wait no longer.
        :raises StoreLockedError: another process has it.
        """
        if self._is_held:
            return
        end = time.monotonic() + timeout
        with self._turn(end, timeout, is_abandoned):
            while True:
                descriptor = self._opened()
                self._wait(descriptor, end, timeout, is_abandoned)
                if self._is_the_file(descriptor):
                    break
                self._descriptor = None  # another file is in its place by now
                os.close(descriptor)
        holder = f'{{"pid": {os.getpid()}, "host": {_HOST}, "since": {time.time():.3f}}}'
        with contextlib.suppress(OSError):  # a full disk: it is held all the same
            os.pwrite(descriptor, holder.encode().ljust(_LINE), 0)
        self._is_held = True

    def release(self) -> None:
        """Free the lock, unless `kept` keeps it."""
        if self._is_held and not self._keepers:
            self._free()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the lock from its next acquisition until the end of the block."""
        self._keepers += 1
        try:
            yield
        finally:
            self._keepers -= 1
            self.release()

    def close(self) -> None:
        """Free the lock and close its file."""
        if self._is_held:
            self._free()
        self._close()

    def forget(self) -> None:
        """Close the file in a forked process; the lock stays with its parent."""
        self._is_held, self._keepers = False, 0
        self._close()

    def _free(self) -> None:
        import fcntl

        self._is_held = False
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _close(self) -> None:
        opened, self._descriptor, self._folder = (self._descriptor, self._folder), None, None
        for descriptor in opened:
            if descriptor is not None:
                os.close(descriptor)

    def _opened(self) -> int:
        if self._descriptor is None:
            try:
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise StoreWriteError(
                    f"The lock file '{self._file}' can't be opened: {error.strerror}. Make the folder and its files writable "
                    "for this user, and room on the disk."
                ) from error
        return self._descriptor

    def _is_the_file(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._name))  # noqa: PTH116 (every write does it)
        except OSError:
            return not self._file.parent.exists()  # the caller finds that out, and says so

    @contextmanager
    def _turn(self, end: float, timeout: float, is_abandoned: Callable[[], bool]) -> Iterator[None]:
        import fcntl

        if self._folder is None:
            try:
                self._folder = os.open(self._file.parent, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:  # a folder that can't be listed or is gone: without turns
                yield
                return
        folder = self._folder
        self._wait(folder, end, timeout, is_abandoned)
        try:
            yield
        finally:
            fcntl.flock(folder, fcntl.LOCK_UN)

    def _wait(self, descriptor: int, end: float, timeout: float, is_abandoned: Callable[[], bool]) -> None:
        import fcntl

        pause = _FIRST_PAUSE
        while True:
            if is_abandoned():
                self._refuse(timeout)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    self._refuse(timeout)
                time.sleep(min(pause, max(end - time.monotonic(), 0)))
                pause = min(2 * pause, _MAX_PAUSE)
            else:
                return

    def _refuse(self, timeout: float) -> NoReturn:
        try:
            holder = _holder(self._file.read_bytes())
        except OSError:
            holder = _holder(b"")
        waited = f" for {timeout:g} seconds" if timeout else ""
        raise StoreLockedError(
            f"'{self._file.parent}' is being written by {holder}, which did not end{waited}. One process may write at a "
            "time; others may read. Wait until it is done, or open the store with a longer timeout=SECONDS.",
            holder,
        ) from None


def _holder(written: bytes) -> str:
    try:
        holder = json.loads(written)
        since = datetime.fromtimestamp(holder["since"], UTC).isoformat(timespec="milliseconds")
        return f"process {holder['pid']} on {holder['host']} (since {since})"
    except (ValueError, KeyError, TypeError, OverflowError, OSError):
        return "another process"
