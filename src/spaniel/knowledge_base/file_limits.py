"""Bounds on the conversion of a file, so that none holds up the others."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn

MEMORY_EXCEEDED = 77
"""The exit code of a process that needed more memory than is allowed."""

_SECONDS_PER_MB = 20
_CHECK_SECONDS = 0.1


@dataclass(frozen=True)
class FileLimits:
    """The bounds of a file.

    :param max_seconds: to convert it, plus 20 per megabyte of it; then to divide it.
    :param max_memory: of the process that converts it, in megabytes, beyond its start.
    """

    max_seconds: float = 60
    max_memory: int = 2048

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"`{name}` must be a number above 0, got {value!r}.")

    def compute_seconds(self, size: int) -> float:
        """Return the bound for a file of a size in bytes.

        >>> FileLimits().compute_seconds(500_000)
        70.0
        """
        return self.max_seconds + size / 1e6 * _SECONDS_PER_MB

    def describe_timeout(self, size: int) -> str:
        """Return the reason of a file that took too long."""
        return f"took longer than {self.compute_seconds(size):.0f} s; --max-seconds (`max_seconds`) allows more"

    def describe_memory(self) -> str:
        """Return the reason of a file that needed too much memory."""
        return f"needs more than {self.max_memory} MB of memory; --max-memory (`max_memory`) allows more"


class OutOfTimeError(BaseException):
    """A file took too long; no converter may catch it as an error of the file."""


def can_limit_time() -> bool:
    """Return True if `limit_time` works here: on POSIX, in the main thread."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise `OutOfTimeError` in the block when the time is over; a timer of the caller goes on."""
    is_over = False

    def end(_number: int, _frame: object) -> None:
        if not is_over:
            raise OutOfTimeError

    start = time.monotonic()
    before = signal.signal(signal.SIGALRM, end)
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        is_over = True
        left = max(remaining - (time.monotonic() - start), 0.001) if remaining else 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process from now on: by the system on Linux, else by a thread."""
    if sys.platform == "win32":
        return
    import resource

    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123 (a file of the kernel)
                used = int(status.read().split()[0]) * resource.getpagesize()
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            limit = used + (megabytes << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
            return
    threading.Thread(target=_watch_memory, args=(megabytes,), daemon=True).start()


def _watch_memory(megabytes: int) -> NoReturn:
    import resource

    unit = 1 if sys.platform == "darwin" else 1024  # of `ru_maxrss`
    limit = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + (megabytes << 20)
    while True:
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > limit:
            os._exit(MEMORY_EXCEEDED)
        time.sleep(_CHECK_SECONDS)


def limit_processor_time(seconds: float) -> None:
    """End this process after this much more processor time, even if its parent is gone."""
    if sys.platform != "win32":
        import resource

        used = time.process_time()
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        limit = int(used + seconds) + 2
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (limit if hard < 0 else min(limit, hard), hard))
