"""The convertible files below some paths, each under its path in the knowledge base.

A file's path is relative to the indexed folder. If that would give two files the same path, the
paths of the later folder begin with its name.
"""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Self

from spaniel.components.converters.files import converter_for, find_kind, holds_rows
from spaniel.errors import KnowledgeBaseError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.file_selection import FileSelection, SelectionChange, SelectionWalk
from spaniel.knowledge_base.paths import expand_path

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "target", "dist-packages"})
_NO_SUFFIX = "no suffix"
_HEAD_BYTES = 1024
_UTF_16_AND_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True)
class IndexedFolder:
    """An indexed folder.

    :param place: its absolute path.
    :param prefix: the beginning of its files' paths: "" or ``name/``.
    :param selection: of its files.
    """

    place: Path
    prefix: str = ""
    selection: FileSelection = field(default_factory=FileSelection)

    @classmethod
    def from_record(cls, record: JsonObject) -> Self:
        """Return the folder that `to_record` wrote."""
        selection = FileSelection.from_record(record["selection"]) if "selection" in record else FileSelection()
        return cls(Path(record["place"]), record["prefix"], selection)

    def to_record(self) -> JsonObject:
        """Return the folder as plain data."""
        return {"place": str(self.place), "prefix": self.prefix, "selection": self.selection.to_record()}

    def make_path(self, file: Path) -> str:
        """Return the path of a file in the knowledge base."""
        return self.prefix + file.relative_to(self.place).as_posix()


@dataclass
class FileScan:
    """The files below some paths.

    :param scope: the given paths, absolute, without those below others.
    :param folders: the indexed folders, including new ones.
    :param files: the convertible files by their path in the knowledge base.
    :param kinds: the suffix as whose kind a file is read, if it is not its own.
    :param passed_over: number of files of other kinds, by suffix.
    :param num_ignored: number of files and folders that the selection leaves out.
    :param links_outside: symbolic links to files outside of the indexed folder; they are skipped.
    :param failed: inaccessible files and folders, with the reason.
    :param is_stopped: called in each folder; True ends the scan early.
    """

    scope: list[Path]
    folders: list[IndexedFolder]
    files: dict[str, Path] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    num_ignored: int = 0
    links_outside: list[Path] = field(default_factory=list)
    failed: dict[Path, str] = field(default_factory=dict)
    is_stopped: Callable[[], bool] = lambda: False

    def covers(self, file: Path) -> bool:
        """Return True if the scan finds this file in case it exists."""
        around = [file, *file.parents]
        return any(place in around for place in self.scope) and not any(place in around for place in self.failed)

    def make_name(self, place: Path) -> str:
        """Return the name of a file or folder in reports: its indexed path, or its path on disk."""
        around = [folder for folder in self.folders if folder.place in place.parents]
        return around[-1].make_path(place) if around else str(place)

    def add(self, folder: IndexedFolder, file: Path, indexed: Mapping[str, Path]) -> None:
        """Add a file, or a failure if its path belongs to another file."""
        path = folder.make_path(file)
        other = self.files.get(path)
        if other is None and path in indexed and not self.covers(indexed[path]):
            other = indexed[path]
        if other is None or other == file:
            self.files[path] = file
            if (kind := folder.selection.kinds.get(get_suffix(file.name)) or find_kind(file)) is not None:
                self.kinds[path] = kind
        else:
            self.failed[file] = f"its path '{path}' belongs to {other}; rename one of them"


def scan_files(
    paths: Sequence[str | os.PathLike[str]],
    folders: Sequence[IndexedFolder],
    indexed: Mapping[str, Path],
    *,
    exclude: Path | None = None,
    change: SelectionChange | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> FileScan:
    """Return the convertible files below some paths.

    :param paths: files and folders.
    :param folders: the folders indexed before.
    :param indexed: the files indexed before, by path.
    :param exclude: a folder to skip: that of the knowledge base itself.
    :param change: of the selections of the indexed folders.
    :param is_stopped: called in each folder; True ends the scan early.
    :raises KnowledgeBaseError: a path does not exist, or a given folder can't be read.
    """
    places = list(dict.fromkeys(_resolve(path) for path in paths))
    scope = [place for place in places if not set(place.parents) & set(places)]
    scan = FileScan(scope, list(folders), is_stopped=is_stopped)
    for place in scan.scope:
        base = place if place.is_dir() else place.parent
        around = _find_around(base, scan.folders)
        selection = (change or SelectionChange()).apply(around.selection if around else FileSelection())
        walk = SelectionWalk(selection, around.place if around else base, base)
        found = list(_iterate_convertible(place, selection, walk, exclude, scan)) if place.is_dir() else [place]
        folder = _add_folder(around or base, selection, found, scan.folders, {**indexed, **scan.files})
        for file in found:
            scan.add(folder, file, indexed)
    return scan


def _resolve(path: str | os.PathLike[str]) -> Path:
    try:
        place = expand_path(path).resolve(strict=True)
        if place.is_dir():
            with os.scandir(place) as entries:
                next(entries, None)
    except FileNotFoundError:
        raise KnowledgeBaseError(f"There is no file or folder '{path}'. Nothing was changed.") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise KnowledgeBaseError(f"'{path}' can't be read: {get_reason(error)}. Nothing was changed.") from error
    if not place.is_dir() and not place.is_file():
        raise KnowledgeBaseError(f"'{path}' is neither a file nor a folder. Nothing was changed.")
    return place


def get_reason(error: BaseException) -> str:
    """Return the message of the operating system, without Python's additions."""
    return getattr(error, "strerror", None) or str(error)


def get_suffix(path: str) -> str:
    """Return a file's suffix in lower case, without ``.gz``.

    >>> get_suffix("guide/start.MD"), get_suffix("changelog.txt.gz"), get_suffix("README")
    ('.md', '.txt', '')
    """
    name = PurePosixPath(path)
    return (PurePosixPath(name.stem).suffix if name.suffix == ".gz" else name.suffix).lower()


def get_kind(path: str) -> str:
    """Return a file's suffix as `get_suffix` does; "no suffix" if it has none."""
    return get_suffix(path) or _NO_SUFFIX


def _iterate_convertible(
    folder: Path, selection: FileSelection, walk: SelectionWalk, exclude: Path | None, scan: FileScan
) -> Iterator[Path]:
    inside = [folder, *(known.place for known in scan.folders if known.place in folder.parents)]
    for file in _walk(folder, walk, exclude, scan):
        suffix = get_suffix(file.name)
        is_convertible = suffix in selection.kinds or converter_for(file.name) is not None or holds_rows(file.name)
        if not is_convertible or (not suffix and _is_binary(file)):
            kind = suffix or _NO_SUFFIX
            scan.passed_over[kind] = scan.passed_over.get(kind, 0) + 1
        elif file.is_symlink() and not any(map(file.resolve().is_relative_to, inside)):
            scan.links_outside.append(file)  # a shared folder must not expose other files of its reader
        else:
            yield file


def _is_binary(file: Path) -> bool:
    """Return True if the first bytes contain NUL and no UTF-16 or UTF-32 mark."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
    except OSError:
        return False  # the conversion reports the reason
    return b"\0" in head and not head.startswith(_UTF_16_AND_32) and file.suffix != ".gz"


def _walk(folder: Path, walk: SelectionWalk, exclude: Path | None, scan: FileScan) -> Iterator[Path]:
    """Yield the selected files below a folder in order, except hidden and generated ones; linked
    folders are not followed.
    """

    def record_failure(error: OSError) -> None:
        scan.failed[Path(error.filename)] = f"the folder can't be read: {error.strerror}"

    def is_selected(path: Path, *, is_folder: bool) -> bool:
        is_admitted = walk.admits(path, is_folder=is_folder)
        scan.num_ignored += not is_admitted
        return is_admitted

    for root, folders, names in os.walk(folder, onerror=record_failure):
        if scan.is_stopped():
            return
        place = Path(root)
        walk.enter(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED_FOLDERS
            and place / name != exclude
            and is_selected(place / name, is_folder=True)
        )
        for name in sorted(names):
            file = place / name
            try:
                if not name.startswith(".") and file.is_file() and is_selected(file, is_folder=False):
                    yield file
            except OSError as error:
                scan.failed[file] = get_reason(error)


def _find_around(place: Path, folders: Iterable[IndexedFolder]) -> IndexedFolder | None:
    """Return the innermost indexed folder that contains a folder."""
    around = [folder for folder in folders if folder.place == place or folder.place in place.parents]
    return max(around, key=lambda folder: len(folder.place.parts), default=None)


def _add_folder(
    known: IndexedFolder | Path,
    selection: FileSelection,
    found: Iterable[Path],
    folders: list[IndexedFolder],
    indexed: Mapping[str, Path],
) -> IndexedFolder:
    """Return a known folder with another selection, or a new one that takes over those below it."""
    if isinstance(known, IndexedFolder):
        folder = replace(known, selection=selection)
        folders[folders.index(known)] = folder
    else:
        folders[:] = [folder for folder in folders if known not in folder.place.parents]
        folder = IndexedFolder(known, _choose_prefix(known, found, indexed), selection)
        folders.append(folder)
    return folder


def _choose_prefix(place: Path, found: Iterable[Path], indexed: Mapping[str, Path]) -> str:
    unprefixed = IndexedFolder(place)
    others = {path for path, file in indexed.items() if place not in file.parents}
    if not any(unprefixed.make_path(file) in others for file in found):
        return ""
    number = 1
    while any(
        path.startswith(prefix := f"{place.name or 'root'}{'' if number == 1 else f'-{number}'}/") for path in others
    ):
        number += 1
    return prefix
