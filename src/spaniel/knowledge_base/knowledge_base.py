"""A folder of documents that can be searched: what ``spaniel.open`` returns."""

import contextlib
import difflib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import KnowledgeBaseError
from spaniel.filters.parse import Comparison, Filter, parse_filter
from spaniel.knowledge_base.indexing import IndexReport, Progress, index_files, remove_file
from spaniel.knowledge_base.interrupts import deferred_interrupt
from spaniel.knowledge_base.lock import exclusive
from spaniel.knowledge_base.manifest import Manifest
from spaniel.knowledge_base.results import SearchResults
from spaniel.knowledge_base.search import SearchOptions, search
from spaniel.knowledge_base.statistics import Statistics, statistics_of

_DOCUMENTS, _FILES, _LOCK = "documents.json", "files.json", "lock"
_SAVE_SECONDS = 10.0
_SAVE_SHARE = 10  # a save on the way may take a tenth of the time


def open_knowledge_base(path: str | os.PathLike[str]) -> "KnowledgeBase":
    """Return the knowledge base in a folder; it is created when something is indexed.

    :param path: the folder.
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
    """The documents of some files and folders, searchable; kept in a folder of its own.

    :param path: that folder.
    :raises KnowledgeBaseError: it holds something else, or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if "://" in str(path):
            raise KnowledgeBaseError(f"'{path}' is no store that can be opened. Valid stores: the path of a folder.")
        self.path = Path(path).expanduser()
        _check_folder(self.path)
        self._manifest = Manifest.read(self.path / _FILES)
        self._store = _read_store(self.path / _DOCUMENTS)
        self._splitter = SectionSplitter()

    @property
    def exists(self) -> bool:
        """Whether anything was indexed yet."""
        return (self.path / _DOCUMENTS).exists()

    @property
    def document_store(self) -> InMemoryDocumentStore:
        """The store of its documents, for components of your own."""
        return self._store

    def index(self, *paths: str | os.PathLike[str], progress: Callable[[Progress], None] | None = None) -> IndexReport:
        """Return what was done to bring the index up to date with files and folders.

        New and changed files are indexed, files that are gone below the given paths are removed, others stay. It saves on
        the way, and on Ctrl-C, so that the next run goes on from there.

        :param paths: files and folders.
        :param progress: called before each file.
        :raises KnowledgeBaseError: a path does not exist, or another process is writing.
        """
        if not paths:
            raise KnowledgeBaseError("Nothing to index: give at least one file or folder.")
        with self._changing(), deferred_interrupt() as interrupted:
            report = index_files(
                paths,
                store=self._store,
                manifest=self._manifest,
                splitter=self._splitter,
                progress=progress,
                checkpoint=_Saving(self._save).checkpoint,
                stop=interrupted,
            )
            self._save()
        return report

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
    ) -> SearchResults:
        """Return the best passages for a query, with the reasons for each.

        :param query: text.
        :param top_k: how many passages; with `follow`, as many linked ones may come on top.
        :param filters: what passages must match, on fields that some document has.
        :param merge: whether hits give way to their section where enough of it matched.
        :param threshold: the share of a section's parts that must be exceeded.
        :param window: how many chunks to show before and after each passage.
        :param follow: metadata keys whose links to follow, such as ``links``.
        :param depth: how many hops.
        :param min_score: what a passage must score.
        :raises KnowledgeBaseError: nothing is indexed, or a filter or `follow` names a field that no document has.
        :raises ValueError: the query is empty, or a number is out of its range.
        :raises FilterError: the filter is malformed.
        """
        self._check_exists()
        follow = (follow,) if isinstance(follow, str) else tuple(follow)
        self._check_fields([*follow, *(_fields_of(parse_filter(filters)) if filters else ())])
        options = SearchOptions(top_k, filters, merge, threshold, window, follow, depth, min_score)
        return search(self._store, query, options)

    def get(self, document_id: str) -> Document | None:
        """Return the document with this id, or None."""
        found = self._store.get_documents_by_id([document_id])
        return found[0] if found else None

    def find(self, reference: str) -> Document:
        """Return the one document that a reference means: an id, the start of one, or an anchor (``path#section``).

        :raises KnowledgeBaseError: none is meant, or several are.
        """
        self._check_exists()
        found = self._store.get_documents_by_id([reference]) or self._store.get_documents_by_key(
            "meta.anchor", [reference]
        )
        if not found:
            found = [document for document in self._store.filter_documents() if document.id.startswith(reference)]
        if len(found) > 1:
            raise KnowledgeBaseError(f"'{reference}' is the start of {len(found)} ids. Give more of it.")
        if not found:
            close = difflib.get_close_matches(reference, self._manifest.files, n=3)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise KnowledgeBaseError(f"No document has the id or the path '{reference}'.{hint}")
        return found[0]

    def delete(self, *, path: str) -> int:
        """Return how many documents of a file, or of the files below a folder, were deleted.

        :param path: as it is in the knowledge base: relative to the folder that was indexed.
        :raises KnowledgeBaseError: no such file is indexed, or another process is writing.
        """
        below = path.rstrip("/") + "/"
        with self._changing():
            files = [name for name in self._manifest.files if name == path or name.startswith(below)]
            if not files:
                close = difflib.get_close_matches(path, self._manifest.files, n=3)
                hint = f" Did you mean {' or '.join(close)}?" if close else ""
                raise KnowledgeBaseError(f"No indexed file is named '{path}'.{hint}")
            deleted = sum(remove_file(name, self._store, self._manifest) for name in files)
            self._save()
        return deleted

    def statistics(self) -> Statistics:
        """Return the numbers of the knowledge base: files, sections, passages, words, links."""
        self._check_exists()
        return statistics_of(self._store, self._manifest, self.path)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock of the folder, and see what another process has written since it was opened."""
        self.path.mkdir(parents=True, exist_ok=True)
        with exclusive(self.path / _LOCK):
            manifest = Manifest.read(self.path / _FILES)
            if manifest != self._manifest:
                self._manifest, self._store = manifest, _read_store(self.path / _DOCUMENTS)
            yield

    def _save(self) -> None:
        # Documents first: a file that the manifest does not know is indexed again, onto the same ids.
        self._store.save_to_disk(self.path / _DOCUMENTS)
        self._manifest.write(self.path / _FILES)

    def _check_exists(self) -> None:
        if not self.exists:
            raise KnowledgeBaseError(
                f"There is no knowledge base at '{self.path}'. Index something first: spaniel index PATH"
            )

    def _check_fields(self, fields: Sequence[str]) -> None:
        if not fields:
            return
        known = self._store.get_metadata_fields_info()
        for name in fields:
            key = name.removeprefix("meta.")
            if key not in known and key.split(".")[0] not in known and key not in ("id", "content"):
                valid = ", ".join(sorted(field for field in known if not field.startswith("__")))
                raise KnowledgeBaseError(f"No document has the field '{name}'. Fields: {valid}.")


class _Saving:
    """Saves from time to time, the seldomer the longer a save takes."""

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._due = time.monotonic() + _SAVE_SECONDS

    def checkpoint(self) -> None:
        started = time.monotonic()
        if started >= self._due:
            self._save()
            ended = time.monotonic()
            self._due = ended + max(_SAVE_SECONDS, _SAVE_SHARE * (ended - started))


def _fields_of(filter: Filter) -> list[str]:
    if isinstance(filter, Comparison):
        return [filter.field]
    return [name for condition in filter.conditions for name in _fields_of(condition)]


def _check_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise KnowledgeBaseError(f"'{path}' is a file, but a knowledge base is a folder.")
    if path.is_dir() and any(path.iterdir()) and not (path / _DOCUMENTS).exists() and not (path / _LOCK).exists():
        raise KnowledgeBaseError(
            f"The folder '{path}' holds other things, and no knowledge base. Choose a new folder for it."
        )


def _read_store(file: Path) -> InMemoryDocumentStore:
    if file.exists():
        return InMemoryDocumentStore.load_from_disk(file)
    return InMemoryDocumentStore(shared=False, search="leaves")
