"""One process at a time may change a knowledge base."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spaniel.errors import KnowledgeBaseError


@contextmanager
def exclusive(file: Path) -> Iterator[None]:
    """Hold a lock for the block; the system frees it when the process ends, however it ends.

    :param file: the lock file; it names the process that holds it.
    :raises KnowledgeBaseError: another process holds it, or the folder can't be written.
    """
    import fcntl

    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise KnowledgeBaseError(
            f"'{file.parent}' can't be written: {error.strerror}. Searching it works; to change it, make it writable."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
            who = f"process {holder}" if holder else "another process"
            raise KnowledgeBaseError(
                f"'{file.parent}' is being changed by {who}. Wait until that is done, then try again."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
        yield
    finally:
        os.close(descriptor)
