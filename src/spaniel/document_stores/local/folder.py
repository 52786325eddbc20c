"""The folder of a local store: what is in it, and whether it can be one."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from spaniel.document_stores.local.files import make_lasting
from spaniel.errors import DocumentStoreError

logger = logging.getLogger(__name__)

DATABASE, INDEX, LOCK = "documents.db", "index", "writer.lock"
_OURS = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", INDEX, LOCK})
_OF_NETWORKS = ("nfs", "cifs", "smb", "afs", "9p", "ceph", "fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse")


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
