"""A knowledge base in a folder: a local store with records, which share its transactions."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import FILE_NAME, LANGUAGE
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import KnowledgeBaseError
from spaniel.json_types import Json, JsonObject
from spaniel.knowledge_base.backend import SearchedWords, file_key

DATABASE = "documents.db"
_LOCK, _LEGACY_DATABASE = "writer.lock", "documents.log"
_LOOKUPS = ("path", "anchor", "source_id")
_MAX_LANGUAGES = 100
DEFAULTS: Mapping[str, Any] = {
    "search": "leaves",
    "analyzer": "auto",
    "fields": {"title": 2.0, "section": 2.0, FILE_NAME: 2.0},
}
"""Settings of a new store (docs/quality.md has the measurements)."""


class FolderBackend:
    """The `KnowledgeBaseBackend` of a folder.

    :param folder: created by the first write.
    :param options: settings of the store; a new store has `DEFAULTS` for those that are missing.
    :raises KnowledgeBaseError: the folder contains other files.
    """

    is_remote = False
    searches_words = True

    def __init__(self, folder: Path, **options: Any) -> None:
        _validate_folder(folder)
        self.place = str(folder)
        self.remedy = f"Delete the folder '{folder}' and index again."
        self.folder = folder
        self._options = options
        self._store: LocalDocumentStore | None = None
        self._transaction = ExitStack()

    @property
    def store(self) -> LocalDocumentStore:
        if self._store is None:
            defaults = {} if (self.folder / DATABASE).exists() else DEFAULTS
            given = {name: value for name, value in self._options.items() if value is not None}
            self._store = LocalDocumentStore(self.folder, return_embedding=False, **{**defaults, **given})
        return self._store

    def exists(self) -> bool:
        return self._store is not None or (self.folder / DATABASE).exists()

    def has_documents(self) -> bool:
        return (self.folder / DATABASE).exists() and self.store.count_documents() > 0

    def get_version(self) -> Hashable:
        return self.store.version

    def read_records(self, keys: Iterable[str] | None = None) -> JsonObject:
        records = self.store.records
        return dict(records.items()) if keys is None else {key: records[key] for key in keys if key in records}

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Exclude other writing processes from the first write to the end of the block."""
        try:
            with self.store.exclusive():
                yield
        finally:
            self.store.release()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Run the block in a transaction; each `flush` commits it and begins the next."""
        self.flush()
        for key in _LOOKUPS:
            self.store.add_lookup(key)
        try:
            yield
        finally:
            self._transaction.close()

    def flush(self) -> None:
        self._transaction.close()
        self._transaction.enter_context(self.store.transaction())

    def pop_rejected(self) -> dict[str, str]:
        """Return nothing: a local store accepts every document."""
        return {}

    def write_records(self, records: Mapping[str, Json]) -> None:
        with self.store.transaction():
            self.store.records.update(records)

    def delete_records(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.store.records.pop(key, None)

    def replace_file(self, path: str, tree: Sequence[Document], record: JsonObject, *, known: bool) -> None:
        ids = {document.id for document in tree}
        with self.store.transaction():
            old = [document.id for document in self._find_documents(path) if document.id not in ids] if known else []
            self.store.write_documents(list(tree), policy=DuplicatePolicy.OVERWRITE)
            self.store.delete_documents(old)
            self.store.records[file_key(path)] = record

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], JsonObject], *, known: bool
    ) -> int:
        """Store the rows of a file; nothing changes if `rows` fails."""
        with self.store.transaction():
            if known:
                self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
            count = self.store.write_documents(rows, policy=DuplicatePolicy.OVERWRITE)
            self.store.records[file_key(path)] = record()
        return count

    def delete_file(self, path: str, record: JsonObject) -> int:
        del record
        with self.store.transaction():
            ids = [document.id for document in self._find_documents(path)]
            self.store.delete_documents(ids)
            self.store.records.pop(file_key(path), None)
        return len(ids)

    def find_embedded(self, path: str) -> Iterable[Document]:
        stored = self.store.storage
        return [stored[document.id] for document in self._find_documents(path)]

    def find_owners(self, ids: Iterable[str]) -> dict[str, str]:
        return {document.id: document.meta["path"] for document in self.store.get_documents_by_id(list(ids))}

    def list_fields(self, recorded: set[str]) -> set[str]:
        """Return the recorded keys, so that no document is read."""
        return recorded

    def find_roots(
        self, ids: Sequence[str] | None = None, keys: Sequence[str] = ("path", "links", "broken_links")
    ) -> Iterable[Document]:
        del keys
        if ids is not None:
            return self.store.get_documents_by_id(ids)
        return self.store.filter_documents({"field": "meta.__level", "operator": "==", "value": 0})

    def find_anchors(self, names: Sequence[str]) -> set[str]:
        return {document.meta["anchor"] for document in self.store.get_documents_by_key("meta.anchor", names)}

    def find_ids_by_prefix(self, prefix: str) -> list[str]:
        return [id for id in self.store.storage if id.startswith(prefix)]

    def count_searchable(self) -> dict[str, int]:
        return self.store.search_statistics()

    def describe_words(self) -> SearchedWords:
        store, field = self.store, f"meta.{LANGUAGE}"
        labels = store.get_metadata_field_unique_values(field, size=_MAX_LANGUAGES)[0]
        counts = {
            str(label): store.count_documents_by_filter({"field": field, "operator": "==", "value": label})
            for label in labels
        }
        analyzer = store.analyzer if isinstance(store.analyzer, str) else repr(store.analyzer)
        return SearchedWords(analyzer, counts, store.fields or {})

    def measure_size(self) -> int:
        return measure_folder(self.folder)

    def find_problems(self, files: JsonObject) -> list[str]:
        del files  # records change in the same transaction as the documents
        return self.store.check()

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _find_documents(self, path: str) -> list[Document]:
        return self.store.get_documents_by_key("meta.path", [path])


def measure_folder(folder: Path) -> int:
    """Return the size in bytes of the files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _validate_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise KnowledgeBaseError(f"'{folder}' is a file, but a knowledge base is a folder.")
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if _LEGACY_DATABASE in names and DATABASE not in names:
        raise KnowledgeBaseError(
            f"'{folder}' was written by an older version of Spaniel. Delete the folder and index again."
        )
    if names and not names & {DATABASE, _LOCK}:
        raise KnowledgeBaseError(
            f"The folder '{folder}' holds other things, and no knowledge base. Choose a new folder for it."
        )
