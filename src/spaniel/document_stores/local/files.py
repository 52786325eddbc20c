"""What a store does to the files of its index, and nothing else: tests put a layer in its place that records or fails."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


logger = logging.getLogger(__name__)

DATABASE, INDEX, LOCK = "documents.db", "index", "writer.lock"
_OURS = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", INDEX, LOCK})
_OF_NETWORKS = ("nfs", "cifs", "smb", "afs", "9p", "ceph", "fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse")


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


def checked_folder(path: str | os.PathLike[str]) -> Path:
    """Return the absolute path of a folder that is a store, or can become one. It is made if it is missing.

    :raises DocumentStoreError: it is a file, or holds something else.
    """
    folder = Path(os.path.realpath(path))
    if folder.exists() and not folder.is_dir():
        raise DocumentStoreError(f"'{folder}' is a file, but a store is a folder. Give the path of a folder.")
    try:
        make_lasting(folder)
        names = {entry.name for entry in folder.iterdir()}
        (folder / DATABASE).exists()  # raises where the names can be read, but no file
    except OSError as error:
        raise DocumentStoreError(
            f"The folder '{folder}' can't be opened: {error.strerror}. Check that this user may enter it."
        ) from error
    if DATABASE not in names and names - _OURS:
        raise DocumentStoreError(
            f"The folder '{folder}' holds other things, such as '{min(names - _OURS)}', and no store. Choose a new folder."
        )
    if (kind := _file_system(folder)).startswith(_OF_NETWORKS):
        logger.warning(
            "'%s' is on a network file system (%s), on which locks may not work: a write can be lost or damage the "
            "store. Use a local disk.",
            folder,
            kind,
        )
    return folder


def is_read_only(folder: Path) -> bool:
    """Return whether nothing can be written in a folder."""
    return not os.access(folder, os.W_OK)


def _file_system(folder: Path) -> str:
    if sys.platform != "linux":
        return ""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()]
    except OSError:
        return ""
    above = {str(place) for place in (folder, *folder.parents)}
    found = [(len(mount[1]), mount[2]) for mount in mounts if mount[1].replace("\\040", " ") in above]
    return max(found, default=(0, ""), key=lambda mount: mount[0])[1]


SYSTEM = System(None, Files)
"""The files of the machine."""
