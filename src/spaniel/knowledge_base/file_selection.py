"""The files of a folder that are indexed: patterns, ``.gitignore`` files, and kinds by suffix."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from spaniel.components.converters.files import list_suffixes
from spaniel.errors import KnowledgeBaseError
from spaniel.json_types import JsonObject

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_GITIGNORE = ".gitignore"

Patterns: TypeAlias = "list[tuple[Path, GitIgnoreSpec]]"
"""The patterns of ``.gitignore`` files, each with its folder, from above."""


@dataclass(frozen=True)
class FileSelection:
    """Options of an indexed folder; the paths in it are relative to the folder.

    :param include: patterns as in ``.gitignore``, one of which a file must match; none: any file.
    :param exclude: patterns that no file and no folder may match, unless a later one with ``!``
        does.
    :param kinds: by suffix the one whose converter reads the files.
    :param gitignore: leave out the files that ``.gitignore`` files name.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    gitignore: bool = True

    @classmethod
    def from_record(cls, record: JsonObject) -> Self:
        """Return the options that `to_record` wrote."""
        return cls(tuple(record["include"]), tuple(record["exclude"]), record["kinds"], record["gitignore"])

    def to_record(self) -> JsonObject:
        """Return the options as plain data."""
        patterns = {"include": list(self.include), "exclude": list(self.exclude)}
        return {**patterns, "kinds": dict(self.kinds), "gitignore": self.gitignore}


@dataclass(frozen=True)
class SelectionChange:
    """The options that a run names; the others stay as they are recorded.

    :param include: as in `FileSelection`, as are the others. Empty patterns are dropped, so that
        ``[""]`` selects as if there were none.
    :raises KnowledgeBaseError: a pattern is malformed, or a kind is unknown.
    """

    include: Collection[str] | None = None
    exclude: Collection[str] | None = None
    kinds: Mapping[str, str] | None = None
    gitignore: bool | None = None

    def apply(self, selection: FileSelection) -> FileSelection:
        """Return options with the changes."""
        include = selection.include if self.include is None else _validate_patterns("include", self.include)
        exclude = selection.exclude if self.exclude is None else _validate_patterns("exclude", self.exclude)
        kinds = selection.kinds if self.kinds is None else _normalize_kinds(self.kinds)
        return FileSelection(include, exclude, kinds, selection.gitignore if self.gitignore is None else self.gitignore)


class SelectionWalk:
    """The decisions of a selection about the files and folders below a folder, which is walked
    from above.

    :param selection: of the indexed folder.
    :param place: the indexed folder.
    :param start: the folder to walk: `place` or one below it.
    """

    def __init__(self, selection: FileSelection, place: Path, start: Path) -> None:
        self._place = place
        self._include = _compile(selection.include)
        self._exclude = _compile(selection.exclude)
        self._uses_gitignore = selection.gitignore
        self._ignored: dict[Path, Patterns] = {}
        above = self._find_repository(start) if selection.gitignore else []
        patterns: Patterns = []
        for folder in above:
            if self._is_ignored(start, patterns, is_folder=True):  # and yet it was named
                patterns = []
                break
            patterns = [*patterns, *_read_gitignore(folder)]
        self._ignored[start.parent] = [] if self._is_ignored(start, patterns, is_folder=True) else patterns

    def enter(self, folder: Path) -> None:
        """Read the patterns of a folder, whose parent was entered before."""
        if self._uses_gitignore:
            self._ignored[folder] = [*self._ignored[folder.parent], *_read_gitignore(folder)]

    def admits(self, path: Path, *, is_folder: bool = False) -> bool:
        """Return True if a file is selected, or a folder may have such files."""
        name = path.relative_to(self._place).as_posix() + "/" * is_folder
        if self._exclude is not None and self._exclude.check_file(name).include:
            return False
        if not is_folder and self._include is not None and not self._include.check_file(name).include:
            return False
        return not self._uses_gitignore or not self._is_ignored(path, self._ignored[path.parent], is_folder=is_folder)

    @staticmethod
    def _find_repository(start: Path) -> list[Path]:
        """Return the folders above the start, from the root of its Git repository on."""
        above: list[Path] = []
        for folder in (start, *start.parents):
            above.append(folder)
            if (folder / ".git").exists():
                return above[:0:-1]
        return []

    @staticmethod
    def _is_ignored(path: Path, patterns: Patterns, *, is_folder: bool) -> bool:
        for folder, spec in reversed(patterns):
            found = spec.check_file(path.relative_to(folder).as_posix() + "/" * is_folder).include
            if found is not None:
                return found
        return False


def _read_gitignore(folder: Path) -> Patterns:
    try:
        text = (folder / _GITIGNORE).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    spec = _compile([line for line in text.splitlines() if line.strip() and _is_valid(line)])
    return [] if spec is None else [(folder, spec)]


def _is_valid(pattern: str) -> bool:
    try:
        _compile([pattern])
    except ValueError:
        return False  # as Git, which matches nothing with it
    return True


def _compile(patterns: Collection[str]) -> "GitIgnoreSpec | None":
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def _validate_patterns(option: str, patterns: Collection[str]) -> tuple[str, ...]:
    given = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    for pattern in given:
        if pattern and not _is_valid(pattern):
            raise KnowledgeBaseError(f"`{option}` has the malformed pattern '{pattern}'. Pass one such as 'docs/*.md'.")
    return tuple(pattern for pattern in given if pattern)


def _normalize_kinds(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return kinds with suffixes in lower case, with a dot; "" is for names without a suffix."""
    known = list_suffixes()
    found = {_normalize_suffix(suffix): _normalize_suffix(kind) for suffix, kind in kinds.items()}
    for suffix, kind in found.items():
        if kind not in known:
            names = ", ".join(sorted(name.removeprefix(".") for name in known if name))
            raise KnowledgeBaseError(f"The kind '{kind[1:]}' for '{suffix}' is unknown. Kinds: {names}.")
    return found


def _normalize_suffix(suffix: str) -> str:
    return f".{suffix.lower().removeprefix('.')}" if suffix else ""
