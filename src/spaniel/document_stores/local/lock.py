"""One process at a time writes to a store."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn

from spaniel.errors import StoreLockedError, StoreWriteError

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE = 0.02


class WriterLock:
    """The lock of a folder. The system frees it when the process ends, however it ends.

    :param file: the lock file; it names the process that holds it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this process has it."""
        return self._descriptor is not None

    def acquire(self, timeout: float) -> bool:
        """Return whether the lock was taken just now; this process may have it already.

        :param timeout: how many seconds to wait for it.
        :raises StoreLockedError: another process has it.
        """
        import fcntl

        if self._descriptor is not None:
            return False
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreWriteError(
                f"'{self._file}' can't be opened, which whoever writes must hold: {error.strerror}. Make the folder and its "
                "files writable for this user, and room on the disk."
            ) from error
        end = time.monotonic() + timeout
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= end:
                        self._refuse(_holder(os.pread(descriptor, 1000, 0)), timeout)
                    time.sleep(_PAUSE)
            holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now(UTC).isoformat()}
            with contextlib.suppress(OSError):  # a full disk: it is held all the same
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Let the lock go, if this process has it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):  # a full disk: the name of who had it stays
                os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def forget(self) -> None:
        """Close the file in a forked process; the lock stays with its parent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _refuse(self, holder: str, timeout: float) -> NoReturn:
        waited = f" for {timeout:g} seconds" if timeout else ""
        raise StoreLockedError(
            f"'{self._file.parent}' is being written by {holder}, which did not end{waited}. One process may write at a "
            "time, until it closes or releases the store; others may read. Wait until it is done, or pass timeout=SECONDS.",
            holder,
        ) from None


def _holder(written: bytes) -> str:
    try:
        holder = json.loads(written)
        return f"process {holder['pid']} on {holder['host']} (since {holder['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
