"""Which files belong to a knowledge base, and under which paths.

A file's path is relative to the folder that was indexed. Where that would give two files one path, all files of the later
folder get its name in front.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from spaniel.components.converters.files import converter_for, holds_rows
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.paths import expand_path

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "target", "dist-packages"})
_NO_SUFFIX = "no suffix"
_HEAD = 1024
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True)
class IndexedFolder:
    """An indexed folder.

    :param place: where it is.
    :param prefix: what stands before the paths of its files: "" or ``name/``.
    """

    place: Path
    prefix: str = ""

    def path_of(self, file: Path) -> str:
        """Return the path of one of its files in the knowledge base."""
        return self.prefix + file.relative_to(self.place).as_posix()


@dataclass
class Scan:
    """What is below the given paths.

    :param scope: the given paths, absolute, without those below others.
    :param folders: the known folders with the new ones.
    :param files: the files that can be converted, by their path in the knowledge base.
    :param passed_over: how many files of a kind that is not converted, by suffix.
    :param links_outside: links to files that are not below the indexed folder; they are left out.
    :param failed: files and folders that can't be looked at, with the reason.
    """

    scope: list[Path]
    folders: list[IndexedFolder]
    files: dict[str, Path] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    links_outside: list[Path] = field(default_factory=list)
    failed: dict[Path, str] = field(default_factory=dict)

    def covers(self, file: Path) -> bool:
        """Return whether a file is one of the given paths or below one, and could be seen if it were there."""
        around = [file, *file.parents]
        return any(place in around for place in self.scope) and not any(place in around for place in self.failed)

    def name_of(self, place: Path) -> str:
        """Return what to call a file or folder: its path in the knowledge base, if it is in an indexed folder."""
        around = [folder for folder in self.folders if folder.place in place.parents]
        return around[-1].path_of(place) if around else str(place)

    def add(self, path: str, file: Path, taken: Mapping[str, Path]) -> None:
        """Note a file, unless another one has its path."""
        other = self.files.get(path)
        if other is None and path in taken and not self.covers(taken[path]):
            other = taken[path]
        if other is None or other == file:
            self.files[path] = file
        else:
            self.failed[file] = f"its path '{path}' belongs to {other}; rename one of them"


def scan(
    paths: Sequence[str | os.PathLike[str]],
    known: Sequence[IndexedFolder],
    taken: Mapping[str, Path],
    *,
    leave_out: Path | None = None,
) -> Scan:
    """Return the files below some paths.

    :param paths: files and folders.
    :param known: the folders that were indexed before.
    :param taken: the files that are indexed, by their path.
    :param leave_out: a folder whose files do not count: that of the knowledge base itself.
    :raises KnowledgeBaseError: a path does not exist, or a folder that was given can't be read.
    """
    places = list(dict.fromkeys(_existing(path) for path in paths))
    result = Scan([place for place in places if not set(place.parents) & set(places)], list(known))
    for place in result.scope:
        found = [place] if place.is_file() else list(_convertible(place, leave_out, result))
        indexed = {**taken, **result.files}
        folder = _folder_of(place if place.is_dir() else place.parent, found, result.folders, indexed)
        for file in found:
            result.add(folder.path_of(file), file, taken)
    return result


def _existing(path: str | os.PathLike[str]) -> Path:
    try:
        place = expand_path(path).resolve(strict=True)
        if place.is_dir():
            with os.scandir(place) as entries:
                next(entries, None)
    except FileNotFoundError:
        raise KnowledgeBaseError(f"There is no file or folder '{path}'. Nothing was changed.") from None
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError
        raise KnowledgeBaseError(f"'{path}' can't be read: {reason_of(error)}. Nothing was changed.") from error
    return place


def reason_of(error: BaseException) -> str:
    """Return what the system says of an error, without what Python puts around it."""
    return getattr(error, "strerror", None) or str(error)


def _convertible(folder: Path, leave_out: Path | None, result: Scan) -> Iterator[Path]:
    inside = [folder, *(known.place for known in result.folders if known.place in folder.parents)]
    for file in _walk(folder, leave_out, result):
        kind = kind_of(file.name)
        known = converter_for(file.name) is not None or holds_rows(file.name)
        if not known or (kind == _NO_SUFFIX and _is_binary(file)):
            result.passed_over[kind] = result.passed_over.get(kind, 0) + 1
        elif file.is_symlink() and not any(map(file.resolve().is_relative_to, inside)):
            result.links_outside.append(file)  # who shares a folder must not get other files shown by it
        else:
            yield file


def kind_of(path: str) -> str:
    """Return the suffix of a file, before ``.gz`` if it is compressed, in lower case; "no suffix" if it has none.

    >>> kind_of("guide/start.MD"), kind_of("changelog.txt.gz"), kind_of("README")
    ('.md', '.txt', 'no suffix')
    """
    name = PurePosixPath(path)
    return (PurePosixPath(name.stem).suffix if name.suffix == ".gz" else name.suffix).lower() or _NO_SUFFIX


def _is_binary(file: Path) -> bool:
    """Return whether a file is a program or the like, judged by how it begins."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
    except OSError:
        return False  # reading it gives the reason
    return b"\0" in head and not head.startswith(_UTF_16) and file.suffix != ".gz"


def _walk(folder: Path, leave_out: Path | None, result: Scan) -> Iterator[Path]:
    """Yield the files below a folder, sorted; hidden ones, links to folders and what programs generate are left out."""

    def unreadable(error: OSError) -> None:
        result.failed[Path(error.filename)] = f"the folder can't be read: {error.strerror}"

    for root, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED_FOLDERS and Path(root, name) != leave_out
        )
        for name in sorted(names):
            file = Path(root, name)
            try:
                if not name.startswith(".") and file.is_file():
                    yield file
            except OSError as error:
                result.failed[file] = reason_of(error)


def _folder_of(
    place: Path, found: Iterable[Path], folders: list[IndexedFolder], taken: Mapping[str, Path]
) -> IndexedFolder:
    """Return the folder to which the paths of `place` are relative, adding it to `folders` if it is new."""
    around = [folder for folder in folders if folder.place == place or folder.place in place.parents]
    if around:
        return max(around, key=lambda folder: len(folder.place.parts))
    folders[:] = [folder for folder in folders if place not in folder.place.parents]  # they are part of this one now
    folder = IndexedFolder(place, _prefix(place, found, taken))
    folders.append(folder)
    return folder


def _prefix(place: Path, found: Iterable[Path], taken: Mapping[str, Path]) -> str:
    plain = IndexedFolder(place)
    others = {path for path, file in taken.items() if place not in file.parents}
    if not any(plain.path_of(file) in others for file in found):
        return ""
    number = 1
    while any(
        path.startswith(prefix := f"{place.name or 'root'}{'' if number == 1 else f'-{number}'}/") for path in others
    ):
        number += 1
    return prefix
