"""What a store does to the files of its index, and nothing else: tests put a layer in its place that records or fails."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


class System(NamedTuple):
    """What reaches the files of a store.

    :param vfs: the name of SQLite's own layer; None: the usual one.
    :param files: what reaches those of the index.
    """

    vfs: str | None
    files: Callable[[Path], Files]


class Files:
    """The files of one folder, by name. Every change goes through one of these methods.

    :param folder: where they are; `make` makes it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """Make the folder if it is missing, and make that last."""
        make_lasting(self.folder)

    def names(self) -> list[str]:
        """Return the names of the files; none if there is no folder."""
        try:
            return sorted(os.listdir(self.folder))  # noqa: PTH208 (names, no paths)
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """Return what is in a file.

        :raises OSError: there is no such file, or it can't be read.
        """
        return (self.folder / name).read_bytes()

    def signature(self, name: str) -> tuple[int, ...] | None:
        """Return numbers that change when another file takes a name; None if there is no file of that name."""
        try:
            found = os.stat(f"{self.folder}/{name}")  # noqa: PTH116 (every write does it)
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file and make its content last; `sync` makes its name last.

        :raises OSError: it can't be written.
        """
        with (self.folder / name).open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def rename(self, old: str, new: str) -> None:
        """Give a file a name, in place of the one that has it."""
        (self.folder / old).replace(self.folder / new)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self.folder / name).unlink(missing_ok=True)

    def sync(self) -> None:
        """Make the names of the files last."""
        sync_folder(self.folder)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_lasting(folder: Path) -> None:
    """Make a folder if it is missing, and those above it, so that a power cut does not take it away.

    :raises OSError: it can't be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


SYSTEM = System(None, Files)
"""The files of the machine."""
