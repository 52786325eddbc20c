"""Paths on disk as users type them."""

import os
from pathlib import Path

from spaniel.errors import KnowledgeBaseError


def expand_path(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` replaced by the home folder.

    :param path: absolute, or relative to the working folder.
    :raises KnowledgeBaseError: the path is empty, or begins with the home folder of an unknown
        user.

    >>> expand_path("guide/start.md")
    PosixPath('guide/start.md')
    """
    if not os.fspath(path):
        raise KnowledgeBaseError("The path is empty. Name a file or folder; '.' is the current folder.")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise KnowledgeBaseError(
            f"'{path}' names no place: there is no such home folder. Write the path in full."
        ) from error
