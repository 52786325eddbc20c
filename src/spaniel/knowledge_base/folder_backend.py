"""A knowledge base in a folder: a local store, whose records change with the documents in one transaction."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.knowledge_base.backend import file_key

DATABASE = "documents.db"
_LOOKUPS = ("path", "anchor", "source_id")


class FolderBackend:
    """Keeps a knowledge base in a folder.

    :param folder: need not exist yet.
    """

    is_remote = False

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)
        self.remedy = f"Delete the folder '{folder}' and index again."
        self._folder = folder
        self._store: LocalDocumentStore | None = None
        self._transaction = ExitStack()

    @property
    def store(self) -> LocalDocumentStore:
        """The store of the documents; it is made if it is missing."""
        if self._store is None:
            self._store = LocalDocumentStore(self._folder, search="leaves")
        return self._store

    def is_made(self) -> bool:
        """Return whether there is a database."""
        return self._store is not None or (self._folder / DATABASE).exists()

    def holds_documents(self) -> bool:
        """Return whether the store holds a document."""
        return (self._folder / DATABASE).exists() and self.store.count_documents() > 0

    def version(self) -> Hashable:
        """Return the number of the last change."""
        return self.store.version

    def records(self) -> dict[str, Any]:
        """Return all records, by key."""
        return dict(self.store.records.items())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no other process write for the block; it begins with the first write."""
        try:
            with self.store.exclusive():
                yield
        finally:
            self.store.release()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the changes of the block in a transaction, or in several if `save` is called."""
        self.save()
        for key in _LOOKUPS:
            self.store.add_lookup(key)
        try:
            yield
        finally:
            self._transaction.close()

    def save(self) -> None:
        """Make all changes so far safe."""
        self._transaction.close()
        self._transaction.enter_context(self.store.transaction())

    def refused(self) -> dict[str, str]:
        """Return nothing: a local store takes every document."""
        return {}

    def note(self, key: str, value: Any) -> None:
        """Set a record."""
        self.store.records[key] = value

    def note_all(self, records: dict[str, Any]) -> None:
        """Set several records."""
        self.store.records.update(records)

    def forget(self, keys: Iterable[str]) -> None:
        """Delete records."""
        for key in keys:
            self.store.records.pop(key, None)

    def replace(self, path: str, tree: Sequence[Document], record: dict[str, Any], *, known: bool) -> None:
        """Take up a file's documents in place of those of an earlier version."""
        kept = {document.id for document in tree}
        with self.store.transaction():
            old = [document.id for document in self._documents_of(path) if document.id not in kept] if known else []
            self.store.write_documents(list(tree), policy=DuplicatePolicy.OVERWRITE)
            self.store.delete_documents(old)
            self.note(file_key(path), record)

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], dict[str, Any]], *, known: bool
    ) -> int:
        """Return how many documents were taken up. Nothing changes if `rows` fails."""
        with self.store.transaction():
            if known:
                self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
            count = self.store.write_documents(rows, policy=DuplicatePolicy.OVERWRITE)
            self.note(file_key(path), record())
        return count

    def remove(self, path: str, record: dict[str, Any]) -> int:
        """Return how many documents of a file were taken out, and its record with them."""
        del record
        with self.store.transaction():
            ids = [document.id for document in self._documents_of(path)]
            self.store.delete_documents(ids)
            self.store.records.pop(file_key(path), None)
        return len(ids)

    def owners_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which file each of these documents is from."""
        return {document.id: document.meta["path"] for document in self.store.get_documents_by_id(list(ids))}

    def fields(self, noted: set[str]) -> set[str]:
        """Return the keys that the records name, so that no document is looked at."""
        return noted

    def roots(self, ids: Sequence[str] | None = None) -> Iterable[Document]:
        """Return the documents of whole files and rows."""
        if ids is not None:
            return self.store.get_documents_by_id(ids)
        return self.store.filter_documents({"field": "meta.__level", "operator": "==", "value": 0})

    def anchors(self, names: Sequence[str]) -> set[str]:
        """Return which of these anchors a document has."""
        return {document.meta["anchor"] for document in self.store.get_documents_by_key("meta.anchor", names)}

    def ids_starting_with(self, start: str) -> list[str]:
        """Return the ids that begin with a text."""
        return [id for id in self.store.storage if id.startswith(start)]

    def statistics(self) -> dict[str, int]:
        """Return the numbers of the keyword index."""
        return self.store.search_statistics()

    def size_in_bytes(self) -> int:
        """Return how large the folder is."""
        return sum(file.stat().st_size for file in self._folder.rglob("*") if file.is_file())

    def problems(self, files: dict[str, Any]) -> list[str]:
        """Return what is wrong with the store."""
        del files  # they change with the documents, or not at all
        return self.store.check()

    def close(self) -> None:
        """Let the store go."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _documents_of(self, path: str) -> list[Document]:
        return self.store.get_documents_by_key("meta.path", [path])
