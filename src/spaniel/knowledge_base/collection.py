"""The files of a knowledge base with their documents, in a local store."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentStoreError, KnowledgeBaseError, StoreFileError, StoreLockedError
from spaniel.knowledge_base.folders import Folder
from spaniel.knowledge_base.indexed_file import IndexedFile

DATABASE = "documents.db"
_FOLDERS, _FILE = "folders", "file "
_LOOKUPS = ("path", "anchor", "source_id")
_BATCH = 5000


class Collection:
    """What is indexed. Changes are made inside `changing`; what another process has changed is seen by `refresh`.

    :param folder: where it is kept; need not exist yet.
    :raises KnowledgeBaseError: it is damaged, or of another format.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store: LocalDocumentStore | None = None
        self._seen: int | None = None
        self._transaction = ExitStack()
        self.files: dict[str, IndexedFile] = {}
        self.folders: list[Folder] = []
        self._fields: dict[str, set[str]] = {}
        self.refresh()

    @property
    def store(self) -> LocalDocumentStore:
        """The store of the documents; it is made if it is missing."""
        if self._store is None:
            with told(self._folder):
                self._store = LocalDocumentStore(self._folder, search="leaves")
        return self._store

    def refresh(self) -> None:
        """See what has changed since it was read."""
        if self._store is None and not (self._folder / DATABASE).exists():
            return
        with told(self._folder):
            version = self.store.version
            if version != self._seen:
                self._load()
                self._seen = version

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make the changes of the block; others wait, or are refused. Each is made wholly or not at all, also if one fails.

        :raises KnowledgeBaseError: another process is writing, or the disk fails.
        """
        with told(self._folder):
            try:
                self.save()
                for key in _LOOKUPS:
                    self.store.add_lookup(key)
                self.refresh_within()
                try:
                    yield
                finally:
                    self._transaction.close()
                self._seen = self.store.version
            except BaseException:
                self._seen = None  # what is in memory may be ahead of what was made
                raise
            finally:
                self.store.release()

    def refresh_within(self) -> None:
        """See what other processes have written before this one had its turn."""
        self._load()

    def save(self) -> None:
        """Make all changes so far safe."""
        self._transaction.close()
        self._transaction.enter_context(self.store.transaction())

    def put(self, path: str, file: IndexedFile, tree: Sequence[Document]) -> None:
        """Take up a file, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param tree: its documents, root first; none if it holds no text.
        """
        kept = {document.id for document in tree}
        with self.store.transaction():
            old = [document.id for document in self._documents_of(path) if document.id not in kept]
            self.store.write_documents(list(tree), policy=DuplicatePolicy.OVERWRITE)
            self.store.delete_documents(old)
            self._note(path, file, _fields_of(tree))

    def put_rows(self, path: str, file: IndexedFile, batches: Iterable[Sequence[Sequence[Document]]]) -> int:
        """Return how many documents were taken up: those of a file of rows, in place of its earlier version.

        Nothing changes if `batches` fails.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param batches: trees of documents, some at a time; no more are held at once.
        """
        fields: set[str] = set()

        def rows() -> Iterator[Document]:
            for trees in batches:
                for tree in trees:
                    fields.update(_fields_of(tree))
                    yield from tree

        with self.store.transaction():
            if path in self.files:
                self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
            count = self.store.write_documents(rows(), policy=DuplicatePolicy.OVERWRITE)
            taken_by = sorted(set(file.ids_taken_by))  # is filled while the rows are read
            self._note(path, replace(file, holds_rows=True, ids_taken_by=taken_by), fields)
        return count

    def remove(self, path: str) -> int:
        """Return how many documents of a file were taken out."""
        with self.store.transaction():
            ids = [document.id for document in self._documents_of(path)]
            self.store.delete_documents(ids)
            self.store.records.pop(_FILE + path, None)
        self.files.pop(path, None)
        self._fields.pop(path, None)
        return len(ids)

    def owner_of(self, id: str) -> str | None:
        """Return the file that a document is from; None if there is no such document."""
        found = self.store.get_documents_by_id([id])
        return found[0].meta["path"] if found else None

    def fields(self) -> set[str]:
        """Return the metadata keys of all documents; they are noted by file, so no document is looked at."""
        return set().union(*self._fields.values())

    def set_folders(self, folders: Sequence[Folder]) -> None:
        """Note which folders are indexed."""
        if self.folders != list(folders):
            self.folders = list(folders)
            self.store.records[_FOLDERS] = [{"place": str(folder.place), "prefix": folder.prefix} for folder in folders]

    def roots(self) -> list[Document]:
        """Return the documents of whole files."""
        return self.store.get_documents_by_id([file.root_id for file in self.files.values() if file.root_id])

    def close(self) -> None:
        """Let the store go."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _note(self, path: str, file: IndexedFile, fields: set[str]) -> None:
        self.store.records[_FILE + path] = {"file": asdict(file), "fields": sorted(fields)}
        self.files[path], self._fields[path] = file, fields

    def _documents_of(self, path: str) -> list[Document]:
        return self.store.get_documents_by_key("meta.path", [path]) if path in self.files else []

    def _load(self) -> None:
        files, folders, fields = {}, [], {}
        try:
            for key, value in self.store.records.items():
                if key == _FOLDERS:
                    folders = [_folder(folder) for folder in value]
                elif key.startswith(_FILE):
                    path = key.removeprefix(_FILE)
                    files[path], fields[path] = IndexedFile(**value["file"]), set(value["fields"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreFileError(f"'{self._folder / DATABASE}' is damaged: {error!r}.") from error
        self.files, self.folders, self._fields = files, folders, fields


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Raise errors of the store as errors of a knowledge base.

    :param folder: where it is kept.
    """
    try:
        yield
    except StoreLockedError as error:
        raise KnowledgeBaseError(
            f"'{folder}' is being changed by {error.holder}. Wait until that is done, then try again."
        ) from error
    except StoreFileError as error:
        raise KnowledgeBaseError(f"{error} Delete the folder '{folder}' and index again.") from error
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def _fields_of(tree: Sequence[Document]) -> set[str]:
    return set().union(*(document.meta for document in tree))


def _folder(data: dict[str, Any]) -> Folder:
    return Folder(Path(data["place"]), data["prefix"])
