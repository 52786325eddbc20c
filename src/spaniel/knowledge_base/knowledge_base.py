"""Documents that can be searched, in a folder or on a cluster: what ``spaniel.open`` returns."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.document_stores.urls import is_url
from spaniel.errors import KnowledgeBaseError
from spaniel.filters.parse import Comparison, Filter, parse_filter
from spaniel.knowledge_base.backend import open_url_backend
from spaniel.knowledge_base.file_catalog import FileCatalog, translate_store_errors
from spaniel.knowledge_base.folder_backend import DATABASE, FolderBackend
from spaniel.knowledge_base.index_report import IndexReport, Progress
from spaniel.knowledge_base.indexed_file import RowFields
from spaniel.knowledge_base.indexing import IndexHooks, index_files
from spaniel.knowledge_base.interrupts import defer_interrupt
from spaniel.knowledge_base.passage_search import SearchOptions, search
from spaniel.knowledge_base.paths import expand_path
from spaniel.knowledge_base.references import find_document, find_files
from spaniel.knowledge_base.results import SearchResults
from spaniel.knowledge_base.statistics import Statistics, statistics_of

_LOCK, _OLDER = "writer.lock", "documents.log"
_SAVE_SECONDS = 5.0
_ALWAYS_FIELDS = ("id", "content")


def open_knowledge_base(path: str | os.PathLike[str]) -> "KnowledgeBase":
    """Return the knowledge base in a folder or on a cluster; it is created when something is indexed.

    :param path: the folder, or a URL such as ``opensearch://localhost:9200/docs``.
    :raises KnowledgeBaseError: the folder holds something else, or is damaged.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = Path(folder, "note.md").write_text("Apples are red.")
    >>> kb = open_knowledge_base(folder / "kb")
    >>> kb.index(folder / "note.md").added
    ['note.md']
    >>> [result.text for result in kb.search("red apples")]
    ['Apples are red.']
    """
    return KnowledgeBase(path)


class KnowledgeBase:
    """The documents of some files and folders, searchable; kept in a folder of its own, or on a cluster.

    :param path: that folder, or a URL.
    :raises KnowledgeBaseError: it holds something else, or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path | None = None
        if isinstance(path, str) and is_url(path):
            backend = open_url_backend(path)
        else:
            self.path = expand_path(path)
            validate_folder(self.path)
            backend = FolderBackend(self.path)
        self._catalog = FileCatalog(backend)
        self._splitter = SectionSplitter()

    @property
    def exists(self) -> bool:
        """Whether anything was indexed yet."""
        self._catalog.refresh()
        backend = self._catalog.backend
        with translate_store_errors(backend):
            return (not backend.is_remote and bool(self._catalog.files)) or backend.holds_documents()

    @property
    def place(self) -> str:
        """Where it is: the path of its folder, or its URL without user name and password."""
        return self._catalog.backend.place

    @property
    def document_store(self) -> Any:
        """The store of its documents, for components of your own that read it."""
        return self._catalog.store

    def index(
        self,
        *paths: str | os.PathLike[str],
        text_field: str | None = None,
        id_field: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> IndexReport:
        """Return what was done to bring the index up to date with files and folders.

        New and changed files are indexed, files that are gone below the given paths are removed, others stay. It saves on
        the way, and on Ctrl-C, so that the next run goes on from there.

        :param paths: files and folders.
        :param text_field: the field of JSONL and CSV rows that is the text; None: ``content``, ``text`` or ``body``. A file
            that was indexed with another one is indexed anew.
        :param id_field: the field that is the id; None: ``id`` or ``_id``.
        :param progress: called before each file.
        :raises KnowledgeBaseError: a path does not exist, or another process is writing.
        """
        if not paths:
            raise KnowledgeBaseError("Nothing to index: give at least one file or folder.")
        for path in paths:
            self._check_there(expand_path(path))
        with defer_interrupt() as interrupted, self._changing() as catalog:
            return index_files(
                paths,
                catalog=catalog,
                splitter=self._splitter,
                fields=RowFields(text_field, id_field),
                watch=IndexHooks(progress, _PeriodicSave(catalog.save).checkpoint, interrupted),
                leave_out=None if self.path is None else self.path.resolve(),
            )

    def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        filters: dict[str, Any] | None = None,
        merge: bool = True,
        threshold: float = 0.5,
        window: int = 0,
        follow: Sequence[str] = (),
        depth: int = 1,
        min_score: float | None = None,
        budget: int | None = None,
    ) -> SearchResults:
        """Return the best passages for a query, with the reasons for each.

        :param query: text. In a question, words such as ``how``, ``is`` and ``the`` do not count.
        :param top_k: how many passages; with `follow`, as many linked ones may come on top.
        :param filters: what passages must match, on fields that some document has.
        :param merge: whether hits give way to their section where enough of it matched.
        :param threshold: the share of a section's parts that must be exceeded.
        :param window: how many chunks to show before and after each passage.
        :param follow: metadata keys whose links to follow, such as ``links``.
        :param depth: how many hops.
        :param min_score: what a passage must score.
        :param budget: how many tokens the passages may have together: each is then a hit, a window, a section or a whole file,
            so that the most score fits.
        :raises KnowledgeBaseError: nothing is indexed, or a filter or `follow` names a field that no document has.
        :raises ValueError: the query has no words, or a number is out of its range.
        :raises FilterError: the filter is malformed.
        """
        self._check_exists()
        follow = (follow,) if isinstance(follow, str) else tuple(follow)
        self._check_fields([*follow, *(_fields_of(parse_filter(filters)) if filters else ())])
        options = SearchOptions(top_k, filters, merge, threshold, window, follow, depth, min_score, budget)
        return search(self._catalog.store, query, options)

    def get(self, document_id: str) -> Document | None:
        """Return the document with this id, or None."""
        if not self.exists:
            return None
        found = self._catalog.store.get_documents_by_id([document_id])
        return found[0] if found else None

    def find(self, reference: str) -> Document:
        """Return the one document that a reference means: an id, the start of one, or an anchor (``path#section``).

        :raises MissingDocumentError: none is meant.
        :raises KnowledgeBaseError: several are, or nothing is indexed.
        :raises TypeError: the reference is no text.
        """
        self._check_exists()
        return find_document(reference, self._catalog)

    def delete(self, *, path: str) -> int:
        """Return how many documents of a file, or of the files below a folder, were deleted.

        :param path: as it is in the knowledge base, relative to the folder that was indexed; else a place on disk.
        :raises KnowledgeBaseError: no such file is indexed, or another process is writing.
        """
        self._check_exists()
        with defer_interrupt(), self._changing() as catalog:
            deleted = sum(catalog.remove(name) for name in find_files(path, catalog))
            left = {place for file in catalog.files.values() for place in Path(file.file).parents}
            catalog.set_folders([folder for folder in catalog.folders if folder.place in left])
        return deleted

    def statistics(self) -> Statistics:
        """Return the numbers of the knowledge base: files, sections, passages, words, links."""
        self._check_exists()
        return statistics_of(self._catalog)

    def check(self) -> list[str]:
        """Return what is wrong, a sentence each; nothing if everything is whole.

        In a folder everything is read. On a cluster, the records of the files are compared with their documents, and its
        health is asked.
        """
        self._check_exists()
        return self._catalog.problems()

    def close(self) -> None:
        """Let the files go. The next call opens them again."""
        self._catalog.close()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[FileCatalog]:
        """Have the turn to write, see what another process has written before, and keep the changes."""
        with self._catalog.changing():
            yield self._catalog

    def _check_exists(self) -> None:
        if not self.exists:
            raise KnowledgeBaseError(
                f"Nothing is indexed at '{self.place}' yet. Index something first: spaniel index PATH"
            )

    def _check_there(self, path: Path) -> None:
        """Raise before anything is made or changed if there is nothing to index."""
        if path.exists():
            return
        place = path.absolute()
        known = any(place in (Path(file.file), *Path(file.file).parents) for file in self._catalog.files.values())
        hint = f" To take what was there out of the index: spaniel delete {path}" if known else ""
        raise KnowledgeBaseError(f"There is no file or folder '{path}'. Nothing was changed.{hint}")

    def _check_fields(self, fields: Sequence[str]) -> None:
        if not fields:
            return
        known = self._catalog.fields()
        for name in fields:
            key = name.removeprefix("meta.")
            if key not in known and key.split(".")[0] not in known and key not in _ALWAYS_FIELDS:
                valid = ", ".join(sorted(field for field in known if not field.startswith("__")))
                raise KnowledgeBaseError(f"No document has the field '{name}'. Fields: {valid}.")


def validate_folder(folder: Path) -> None:
    """Make sure that a folder is a knowledge base, or can become one.

    :raises KnowledgeBaseError: it holds something else.
    """
    if folder.exists() and not folder.is_dir():
        raise KnowledgeBaseError(f"'{folder}' is a file, but a knowledge base is a folder.")
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if _OLDER in names and DATABASE not in names:
        raise KnowledgeBaseError(
            f"'{folder}' was written by an older version of Spaniel. Delete the folder and index again."
        )
    if names and not names & {DATABASE, _LOCK}:
        raise KnowledgeBaseError(
            f"The folder '{folder}' holds other things, and no knowledge base. Choose a new folder for it."
        )


class _PeriodicSave:
    """Saves from time to time."""

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._due = time.monotonic() + _SAVE_SECONDS

    def checkpoint(self) -> None:
        if time.monotonic() >= self._due:
            self._save()
            self._due = time.monotonic() + _SAVE_SECONDS


def _fields_of(filter: Filter) -> list[str]:
    if isinstance(filter, Comparison):
        return [filter.field]
    return [name for condition in filter.conditions for name in _fields_of(condition)]
