"""The indexed files, as a list."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

from spaniel.errors import KnowledgeBaseError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.path_patterns import compile_pattern


@dataclass(frozen=True)
class ListedFile:
    """An indexed file.

    :param path: its path in the knowledge base.
    :param file: its absolute path on disk when it was indexed.
    :param title: its title; None for a file of rows.
    :param passages: number of searched passages; None if an earlier version indexed the file.
    :param languages: of its passages, as far as they were recognised.
    :param size: in bytes; None if an indexing run was ended while it replaced the file.
    :param rows: True if each of its rows is a document.
    """

    path: str
    file: str
    title: str | None
    passages: int | None
    languages: list[str]
    size: int | None
    rows: bool

    def to_dict(self) -> JsonObject:
        """Return the file as plain data."""
        return asdict(self)


def list_files(catalog: FileCatalog, patterns: Collection[str] = ()) -> list[ListedFile]:
    """Return the indexed files by path.

    :param patterns: of paths, as in `compile_pattern`; only files that match any; none: all.
    :raises KnowledgeBaseError: no file matches.
    :raises ValueError: a pattern is malformed.
    """
    wanted = list(map(compile_pattern, patterns))
    found = [path for path in catalog.files if not wanted or any(pattern.fullmatch(path) for pattern in wanted)]
    if wanted and not found:
        raise KnowledgeBaseError(f"No indexed file matches {' or '.join(map(repr, patterns))}.")
    return [_list_file(path, catalog) for path in sorted(found)]


def _list_file(path: str, catalog: FileCatalog) -> ListedFile:
    file = catalog.files[path]
    size = None if file.is_unfinished else file.size
    return ListedFile(path, file.file, file.title, file.passages, file.languages, size, file.holds_rows)
