"""Which files belong to a knowledge base, and under which paths.

A file's path is relative to the folder that was indexed. Where that would give two files one path, all files of the later
folder get its name in front.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spaniel.components.converters.files import converter_for
from spaniel.errors import KnowledgeBaseError

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "target", "dist-packages"})


@dataclass(frozen=True)
class Folder:
    """An indexed folder.

    :param place: where it is.
    :param prefix: what stands before the paths of its files: "" or ``name/``.
    """

    place: Path
    prefix: str = ""

    def path_of(self, file: Path) -> str:
        """Return the path of one of its files in the knowledge base."""
        return self.prefix + file.relative_to(self.place).as_posix()


@dataclass(frozen=True)
class Scan:
    """What is below the given paths.

    :param folders: the known folders with the new ones.
    :param files: the files that can be converted, by their path in the knowledge base.
    :param scope: the given paths, absolute.
    :param passed_over: how many files of a kind that is not converted, by suffix.
    """

    folders: list[Folder]
    files: dict[str, Path]
    scope: list[Path]
    passed_over: dict[str, int]

    def covers(self, file: Path) -> bool:
        """Return whether a file is one of the given paths, or below one."""
        return any(file == place or place in file.parents for place in self.scope)


def scan(paths: Sequence[str | os.PathLike[str]], known: Sequence[Folder], taken: dict[str, Path]) -> Scan:
    """Return the files below some paths.

    :param paths: files and folders.
    :param known: the folders that were indexed before.
    :param taken: the files that are indexed, by their path.
    :raises KnowledgeBaseError: a path does not exist.
    """
    scope = [_existing(path) for path in paths]
    folders = list(known)
    files: dict[str, Path] = {}
    passed_over: dict[str, int] = {}
    for place in scope:
        found = [place] if place.is_file() else list(_convertible(place, passed_over))
        folder = _folder_of(place if place.is_dir() else place.parent, found, folders, taken)
        files |= {folder.path_of(file): file for file in found}
    return Scan(folders, files, scope, passed_over)


def _existing(path: str | os.PathLike[str]) -> Path:
    place = Path(path).expanduser()
    if not place.exists():
        raise KnowledgeBaseError(f"There is no file or folder '{place}'.")
    return place.resolve()


def _convertible(folder: Path, passed_over: dict[str, int]) -> Iterator[Path]:
    for file in _walk(folder):
        if converter_for(file.name) is None:
            passed_over[file.suffix or file.name] = passed_over.get(file.suffix or file.name, 0) + 1
        else:
            yield file


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, sorted; hidden ones, links to folders and what programs generate are left out."""
    for root, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            file = Path(root, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _unreadable(error: OSError) -> None:
    raise KnowledgeBaseError(f"The folder '{error.filename}' can't be read: {error.strerror}.") from error


def _folder_of(place: Path, found: Iterable[Path], folders: list[Folder], taken: dict[str, Path]) -> Folder:
    """Return the folder to which the paths of `place` are relative, adding it to `folders` if it is new."""
    around = [folder for folder in folders if folder.place == place or folder.place in place.parents]
    if around:
        return max(around, key=lambda folder: len(folder.place.parts))
    folders[:] = [folder for folder in folders if place not in folder.place.parents]  # they are part of this one now
    folder = Folder(place, _prefix(place, found, folders, taken))
    folders.append(folder)
    return folder


def _prefix(place: Path, found: Iterable[Path], folders: Sequence[Folder], taken: dict[str, Path]) -> str:
    plain = Folder(place)
    others = {path for path, file in taken.items() if place not in file.parents}
    if not any(plain.path_of(file) in others for file in found):
        return ""
    used = {folder.prefix for folder in folders}
    number = 1
    while (prefix := f"{place.name or 'root'}{'' if number == 1 else f'-{number}'}/") in used:
        number += 1
    return prefix
