"""Source and target of a transfer: a store, with the records of its knowledge base."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses import Document
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.urls import is_url, open_store, parse_store_url, with_options
from spaniel.errors import DocumentsRefusedError, DocumentStoreError, KnowledgeBaseError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.backend import wrap_store
from spaniel.knowledge_base.folder_backend import DATABASE, FolderBackend
from spaniel.knowledge_base.paths import expand_path

if TYPE_CHECKING:
    from spaniel.knowledge_base.opensearch_backend import OpenSearchBackend

COPY = "copy"
"""Key of the record with the progress of a transfer."""

_BATCH = 1_000


class Endpoint(ABC):
    """A store and the records beside it.

    :param backend: of the knowledge base.
    """

    def __init__(self, backend: "FolderBackend | OpenSearchBackend") -> None:
        self.place = backend.place
        self.backend = backend

    @abstractmethod
    def exists(self) -> bool:
        """Return True if there is a store."""

    @abstractmethod
    def get_identity(self) -> str:
        """Return a text that no other store has, nor a later store with the same name."""

    @abstractmethod
    def count_changes(self) -> int:
        """Return a number that differs after each change."""

    @abstractmethod
    def add(self, documents: Iterable[Document], get_state: Callable[[], JsonObject]) -> dict[str, str]:
        """Write documents in place of those with the same ids, then record the progress.

        :returns: the reason for each id that the store rejected.
        """

    @abstractmethod
    def clear(self) -> None:
        """Delete all documents and records."""

    @abstractmethod
    def refresh(self) -> None:
        """Make all writes visible to searches."""

    def get_store_options(self) -> dict[str, str]:
        """Return the options for a new store of the same kind: embedding size and search scope."""
        size = self.backend.store.vector_size()
        return {"search": self.backend.store.search_scope} | ({} if size is None else {"embedding_dim": str(size)})

    @abstractmethod
    def get_words(self) -> dict[str, Any]:
        """Return the analyzer and the fields for a new store."""

    def count(self) -> int:
        """Return the number of documents."""
        return self.backend.store.count_documents()

    def iterate(self, after: str | None = None) -> Iterator[Document]:
        """Yield the documents in the order of their ids.

        :param after: begin after this id.
        """
        return self.backend.store.iterate(batch=_BATCH, after=after)

    def read_records(self) -> JsonObject:
        """Return all records by key."""
        return self.backend.read_records() if self.backend.exists() else {}

    def close(self) -> None:
        """Close the store."""
        self.backend.close()


class FolderEndpoint(Endpoint):
    """A local store."""

    backend: FolderBackend

    def exists(self) -> bool:
        return (self.backend.folder / DATABASE).exists()

    def get_identity(self) -> str:
        """Return the path and the id of the database."""
        return f"{self.backend.folder.resolve()} {self.backend.store.store_id}"

    def count_changes(self) -> int:
        return self.backend.store.version

    def add(self, documents: Iterable[Document], get_state: Callable[[], JsonObject]) -> dict[str, str]:
        """Write documents and progress in a transaction."""
        store = self.backend.store
        with store.transaction():
            store.write_documents(documents, DuplicatePolicy.OVERWRITE)
            store.records[COPY] = get_state()
        return {}

    def clear(self) -> None:
        """Delete all documents and records in a transaction."""
        with self.backend.store.transaction():
            self.backend.store.delete_all_documents()
            self.backend.delete_records(list(self.backend.store.records))

    def refresh(self) -> None:
        """Do nothing: writes are visible at once."""

    def get_words(self) -> dict[str, Any]:
        """Return the analyzer and the fields of the store."""
        return {"analyzer": self.backend.store.analyzer, "fields": self.backend.store.fields or {}}


class OpenSearchEndpoint(Endpoint):
    """An OpenSearch index, with the index of its records."""

    backend: "OpenSearchBackend"

    def exists(self) -> bool:
        return self.backend.store.exists()

    def get_identity(self) -> str:
        """Return the URL and the id of the index."""
        return f"{self.place} {self.backend.store.identity()}"

    def count_changes(self) -> int:
        return self.backend.store.changes()

    def count(self) -> int:
        if self.exists():
            self.refresh()
        return self.backend.store.count_if_there()

    def iterate(self, after: str | None = None) -> Iterator[Document]:
        """Yield the documents in the order of their ids, with embeddings as 32-bit floats."""
        yield from map(_round_embedding, super().iterate(after))

    def add(self, documents: Iterable[Document], get_state: Callable[[], JsonObject]) -> dict[str, str]:
        """Write documents, then the progress."""
        rejected: dict[str, str] = {}
        try:
            self.backend.store.write_documents(
                self.backend.add_languages(documents), DuplicatePolicy.OVERWRITE, refresh=False
            )
        except DocumentsRefusedError as error:
            rejected = error.refused
        self.backend.write_records({COPY: get_state()})
        return rejected

    def clear(self) -> None:
        self.backend.delete_records(self.read_records())
        self.backend.store.delete_all_documents()

    def refresh(self) -> None:
        self.backend.store.refresh()

    def get_words(self) -> dict[str, Any]:
        """Return those of the index; nothing for one of other software."""
        words = self.backend.store.word_fields()
        return {} if words is None else {"analyzer": words.analyzer, "fields": words.weights}


def open_endpoint(place: str | os.PathLike[str], like: Endpoint | None = None) -> Endpoint:
    """Return the endpoint at a folder or URL.

    :param like: the source, whose options a new target gets.
    :raises KnowledgeBaseError: the URL is malformed, or the folder contains other files.
    """
    if not (isinstance(place, str) and is_url(place)):
        folder = expand_path(place)
        options: dict[str, Any] = {}
        if like is not None and not (folder / DATABASE).exists():
            options["search"] = like.backend.store.search_scope
            options |= like.get_words()
        return FolderEndpoint(FolderBackend(folder, **options))
    try:
        url = parse_store_url(place)
        store = open_store(url)
        words: dict[str, Any] = {}
        if like is not None and not store.exists():
            url = with_options(url, **like.get_store_options())
            words = like.get_words()
            store.close()
            store = open_store(url)
        return OpenSearchEndpoint(wrap_store(url, store, **words))
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def _round_embedding(document: Document) -> Document:
    """Return a document with a 32-bit embedding: a server returns shortened decimals."""
    if document.embedding is None:
        return document
    import numpy as np

    return replace(document, embedding=np.asarray(document.embedding, np.float32).astype(np.float64).tolist())
