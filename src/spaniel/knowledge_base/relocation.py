"""The places of indexed folders after a knowledge base was moved or copied with them."""

import os
from collections.abc import Iterable
from pathlib import Path


def find_moved(places: Iterable[Path], before: Path, now: Path) -> dict[Path, Path]:
    """Return the new places of folders that moved together with a knowledge base.

    A folder moved if it exists at the same place relative to the knowledge base as before.

    :param before: the place of the knowledge base when the folders were indexed.
    :param now: its place now.
    """
    moved = {}
    for place in places:
        there = Path(os.path.normpath(now / os.path.relpath(place, before)))
        if there != place and there.is_dir():
            moved[place] = there
    return moved


def move_place(place: Path, moved: dict[Path, Path]) -> Path:
    """Return the new place of a file or folder that is at or below a moved folder, else its own.

    >>> move_place(Path("/old/docs/a.md"), {Path("/old/docs"): Path("/new/docs")})
    PosixPath('/new/docs/a.md')
    """
    around = next((folder for folder in (place, *place.parents) if folder in moved), None)
    return place if around is None else moved[around] / place.relative_to(around)
