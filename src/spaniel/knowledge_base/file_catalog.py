"""The files of a knowledge base with their documents, wherever they are kept."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.errors import DocumentStoreError, KnowledgeBaseError, StoreFileError, StoreLockedError
from spaniel.knowledge_base.backend import FILE, FOLDERS, UNFINISHED, KnowledgeBaseBackend
from spaniel.knowledge_base.file_scan import IndexedFolder
from spaniel.knowledge_base.indexed_file import IndexedFile, unfinished


class FileCatalog:
    """What is indexed. Changes are made inside `changing`; what another process has changed is seen by `refresh`.

    :param backend: where.
    :raises KnowledgeBaseError: it is damaged, or of another format.
    """

    def __init__(self, backend: KnowledgeBaseBackend) -> None:
        self.backend = backend
        self._seen: object = None
        self._is_stale = True
        self._files: dict[str, IndexedFile] = {}
        self._folders: list[IndexedFolder] = []
        self._fields: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self.leaving: set[str] = set()
        """Files that are removed when others have taken up what is in them, so that their ids are free."""
        self.refresh()

    @property
    def store(self) -> Any:
        """The store of the documents; it is made if it is missing."""
        with translate_store_errors(self.backend):
            return self.backend.store

    @property
    def files(self) -> dict[str, IndexedFile]:
        """The indexed files, by their path."""
        self._look()
        return self._files

    @property
    def folders(self) -> list[IndexedFolder]:
        """The indexed folders."""
        self._look()
        return self._folders

    def refresh(self) -> None:
        """See what has changed since it was read."""
        self._is_stale = True
        if not self.backend.is_remote:
            self._look()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make the changes of the block; others wait, or are refused. Each is made wholly or not at all, also if one fails.

        :raises KnowledgeBaseError: another process is writing, or the disk or the cluster fails.
        """
        with translate_store_errors(self.backend), self.backend.turn():
            try:
                with self.backend.writing():
                    self.refresh_within()
                    yield
                self._seen = self.backend.version()
            except BaseException:
                self._seen = None  # what is in memory may be ahead of what was made
                self._is_stale = True
                raise

    def refresh_within(self) -> None:
        """See what other processes have written before this one had its turn."""
        self._load()
        self._is_stale = False

    def save(self) -> None:
        """Make all changes so far safe."""
        self.backend.save()

    def refused(self) -> dict[str, str]:
        """Return the files that could not be taken up, with the reason, after all changes are made; the next run tries again."""
        self.backend.save()
        return self.backend.refused()

    def put(self, path: str, file: IndexedFile, tree: Sequence[Document]) -> None:
        """Take up a file, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param tree: its documents, root first; none if it holds no text.
        """
        fields = _fields_of(tree)
        self.backend.replace(path, tree, _record(file, fields, len(tree)), known=path in self.files)
        self._note(path, file, fields)

    def put_rows(self, path: str, file: IndexedFile, batches: Iterable[Sequence[Sequence[Document]]]) -> int:
        """Return how many documents were taken up: those of a file of rows, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param batches: trees of documents, some at a time; no more are held at once.
        """
        fields: set[str] = set()
        count = 0

        def rows() -> Iterator[Document]:
            nonlocal count
            for trees in batches:
                for tree in trees:
                    fields.update(_fields_of(tree))
                    count += len(tree)
                    yield from tree

        def read() -> IndexedFile:
            return replace(file, holds_rows=True, ids_taken_by=sorted(set(file.ids_taken_by)))  # filled meanwhile

        written = self.backend.replace_rows(
            path, rows(), lambda: _record(read(), fields, count), known=path in self.files
        )
        self._note(path, read(), fields)
        return written

    def remove(self, path: str) -> int:
        """Return how many documents of a file were taken out."""
        file = self.files[path]
        count = self.backend.remove(path, _record(file, self._fields[path], 0))
        self.files.pop(path)
        self._fields.pop(path)
        return count

    def owners_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which file each of these documents is from; ids that there are not are left out."""
        owners = self.backend.owners_of(ids)
        return {id: path for id, path in owners.items() if path not in self.leaving} if self.leaving else owners

    def fields(self) -> set[str]:
        """Return the metadata keys of all documents; they are noted by file, so no document is looked at."""
        return self.backend.fields(set() if self.backend.is_remote else set().union(*self._fields.values()))

    def set_folders(self, folders: Sequence[IndexedFolder]) -> None:
        """Note which folders are indexed."""
        if self.folders != list(folders):
            self._folders = list(folders)
            self.backend.note(FOLDERS, [{"place": str(folder.place), "prefix": folder.prefix} for folder in folders])

    def roots(self) -> Iterable[Document]:
        """Return the documents of whole files, with their path and links at least."""
        return self.backend.roots([file.root_id for file in self.files.values() if file.root_id])

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        with translate_store_errors(self.backend):
            files = {path: _record(file, set(), self._counts.get(path)) for path, file in self.files.items()}
            return self.backend.problems(files)

    def close(self) -> None:
        """Let the store go."""
        self.backend.close()

    def _note(self, path: str, file: IndexedFile, fields: set[str]) -> None:
        self.files[path], self._fields[path] = file, fields

    def _look(self) -> None:
        """Read the records, if they have changed."""
        if not self._is_stale:
            return
        with translate_store_errors(self.backend):
            if self.backend.is_made():
                version = self.backend.version()
                if version != self._seen or version is None:
                    self._load()
                    self._seen = version
        self._is_stale = False

    def _load(self) -> None:
        files, folders, fields, counts = {}, [], {}, {}
        try:
            for key, value in self.backend.records().items():
                if key == FOLDERS:
                    folders = [_folder(folder) for folder in value]
                elif key.startswith(FILE):
                    path = key.removeprefix(FILE)
                    file = IndexedFile(**value["file"])
                    files[path] = unfinished(file) if value.get(UNFINISHED) else file
                    fields[path] = set(value["fields"])
                    if (count := value.get("documents")) is not None:
                        counts[path] = count
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreFileError(f"The records of '{self.backend.place}' are damaged: {error!r}.") from error
        self._files, self._folders, self._fields, self._counts = files, folders, fields, counts


@contextmanager
def translate_store_errors(backend: KnowledgeBaseBackend) -> Iterator[None]:
    """Raise errors of the store as errors of a knowledge base.

    :param backend: where it is kept.
    """
    try:
        yield
    except StoreLockedError as error:
        raise KnowledgeBaseError(
            f"'{backend.place}' is being changed by {error.holder}. Wait until that is done, then try again."
        ) from error
    except StoreFileError as error:
        raise KnowledgeBaseError(f"{error} {backend.remedy}") from error
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def _record(file: IndexedFile, fields: set[str], documents: int | None) -> dict[str, Any]:
    state = {UNFINISHED: True} if file.is_unfinished else {}
    counted = {} if documents is None else {"documents": documents}
    return {"file": asdict(file), "fields": sorted(fields), **counted, **state}


def _fields_of(tree: Sequence[Document]) -> set[str]:
    return set().union(*(document.meta for document in tree))


def _folder(data: dict[str, Any]) -> IndexedFolder:
    return IndexedFolder(Path(data["place"]), data["prefix"])
