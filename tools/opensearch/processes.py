"""Processes known by their number and by a mark in their command, as numbers are used again."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def is_running(pid: int, mark: str) -> bool:
    """Return whether the process lives and its command has the mark."""
    listing = Path("/proc", str(pid), "cmdline")
    try:
        if Path("/proc/self").exists():
            return mark in listing.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        command = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
        return mark in subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return False


def exists(pid: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def wait_until(condition: Callable[[], bool], seconds: float, pause: float = 0.1) -> bool:
    """Return whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
