"""Folders of distributions and clusters, their permissions, and locks between runs."""

import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.opensearch.errors import OpenSearchNotStarted

HOME_VARIABLE = "SPANIEL_OPENSEARCH_HOME"


def home() -> Path:
    """Return the folder of everything these tools keep, made if need be.

    It is outside the checkout, so that all checkouts share one distribution:
    $SPANIEL_OPENSEARCH_HOME, else the user's cache. For root it is in /var/cache: OpenSearch
    refuses to run as root and is run as `nobody`, who can't open root's own folders.

    :raises OpenSearchNotStarted: if it can't be made or, for root, `nobody` can't open it.
    """
    place = os.environ.get(HOME_VARIABLE)
    if place:
        folder = Path(place).absolute()
    elif os.geteuid() == 0:
        folder = Path("/var/cache/spaniel-opensearch")
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spaniel-opensearch"
    try:
        open_folder(folder)
    except OSError as error:
        raise OpenSearchNotStarted(
            f"{folder} can't be made ({error.strerror}): set {HOME_VARIABLE} to another folder."
        ) from error
    closed = closed_to_others(folder) if os.geteuid() == 0 else None
    if closed is not None:
        raise OpenSearchNotStarted(
            f"The node runs as the user nobody when root starts it, and {closed} is closed to others: set {HOME_VARIABLE} to another "
            f"folder than {folder}."
        )
    return folder


def open_folder(folder: Path) -> Path:
    """Return the folder, created if missing, readable for the user of the nodes under any umask."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    return folder


def closed_to_others(folder: Path) -> Path | None:
    """Return the first folder on the way down to this one that other users can't pass, or None."""
    for place in [*reversed(folder.resolve().parents), folder.resolve()]:
        if not stat.S_IMODE(place.stat().st_mode) & stat.S_IXOTH:
            return place
    return None


@contextmanager
def locked(file: Path, *, waiting_for: str = "") -> Iterator[None]:
    """Hold the lock of this file; others wait, in this process and in others. It ends with the
    process, however that ends.
    """
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting_for:
                print(f"Waiting for {waiting_for} ...", file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
