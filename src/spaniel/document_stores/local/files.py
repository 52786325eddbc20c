"""The folder of a store and the files in it; every change of an index file goes through `Files`."""

import logging
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from spaniel.errors import DocumentStoreError

logger = logging.getLogger(__name__)

DATABASE, INDEX, LOCK = "documents.db", "index", "writer.lock"
_STORE_FILES = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", INDEX, LOCK})
_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "afs", "9p", "ceph", "fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse")


class Files:
    """The files of a folder, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make_folder(self) -> None:
        """Create the folder durably if it is missing."""
        make_durable_folder(self.folder)

    def names(self) -> list[str]:
        """Return the names of the files; none if there is no folder."""
        try:
            return sorted(os.listdir(self.folder))  # noqa: PTH208 (names, not paths)
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self.folder / name).read_bytes()

    def signature(self, name: str) -> tuple[int, ...] | None:
        """Return numbers that change when a file is replaced; None if it is missing."""
        try:
            stat = os.stat(f"{self.folder}/{name}")  # noqa: PTH116 (called by every write)
        except OSError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file and fsync its content; `sync` makes its name durable."""
        with (self.folder / name).open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def rename(self, old: str, new: str) -> None:
        """Rename a file atomically, replacing a file of the new name."""
        (self.folder / old).replace(self.folder / new)

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        (self.folder / name).unlink(missing_ok=True)

    def sync(self) -> None:
        """Fsync the folder so that new names are durable."""
        sync_folder(self.folder)


class FileAccess(NamedTuple):
    """Injection point for file-system access: tests record operations or let them fail."""

    vfs: str | None  # the name of an SQLite VFS; None is the default
    files: Callable[[Path], Files]


DEFAULT_ACCESS = FileAccess(None, Files)


def sync_folder(folder: Path) -> None:
    """Fsync a folder so that creations and renames in it are durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_durable_folder(folder: Path) -> None:
    """Create a folder and its parents if they are missing, and fsync their names."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


def prepare_folder(path: str | os.PathLike[str]) -> Path:
    """Return the absolute path of a folder that is a store or can become one; create it if missing."""
    folder = Path(os.path.realpath(path))
    if folder.exists() and not folder.is_dir():
        raise DocumentStoreError(f"'{folder}' is a file, but a store is a folder. Give the path of a folder.")
    try:
        make_durable_folder(folder)
        names = {entry.name for entry in folder.iterdir()}
        (folder / DATABASE).exists()  # raises if names can be listed, but files can't be accessed
    except OSError as error:
        raise DocumentStoreError(
            f"The folder '{folder}' can't be opened: {error.strerror}. Check that this user may enter it."
        ) from error
    if DATABASE not in names and (others := names - _STORE_FILES):
        raise DocumentStoreError(
            f"'{folder}' is not a store, and holds other things, such as '{min(others)}'. Choose a new folder."
        )
    if (kind := _file_system(folder)).startswith(_NETWORK_FILE_SYSTEMS):
        logger.warning(
            "'%s' is on a network file system (%s), where locks may fail and writes may damage the store. Use a local disk.",
            folder,
            kind,
        )
    return folder


def is_read_only(folder: Path) -> bool:
    """Return if no file can be written in a folder."""
    return not os.access(folder, os.W_OK)


def _file_system(folder: Path) -> str:
    if sys.platform != "linux":
        return ""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()]
    except OSError:
        return ""
    ancestors = {str(place) for place in (folder, *folder.parents)}
    found = [(len(mount[1]), mount[2]) for mount in mounts if mount[1].replace("\\040", " ") in ancestors]
    return max(found, default=(0, ""), key=lambda mount: mount[0])[1]
