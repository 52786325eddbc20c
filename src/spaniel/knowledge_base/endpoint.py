"""Where documents are copied from and to: a folder or a cluster."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from spaniel.dataclasses import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.urls import is_url, open_store, parse_store_url, with_options
from spaniel.errors import DocumentsRefusedError, DocumentStoreError, KnowledgeBaseError
from spaniel.knowledge_base.backend import KnowledgeBaseBackend, wrap_store
from spaniel.knowledge_base.folder_backend import DATABASE
from spaniel.knowledge_base.knowledge_base import validate_folder
from spaniel.knowledge_base.paths import expand_path

COPY = "copy"
"""The key of the record that tells how far a copy is."""

State = dict[str, Any]
_BATCH = 1_000


class Endpoint(Protocol):
    """One end of a copy."""

    place: str

    def is_there(self) -> bool:
        """Return whether it holds anything."""
        ...

    def identity(self) -> str:
        """Return what tells it from others, also from a later one of its name."""
        ...

    def version(self) -> int:
        """Return a number that is another one after a change."""
        ...

    def options(self) -> dict[str, str]:
        """Return what a target that is made should be like: the size of its vectors, and what it searches."""
        ...

    def count(self) -> int:
        """Return how many documents there are."""
        ...

    def documents(self, after: str | None = None) -> Iterator[Document]:
        """Yield the documents in the order of their ids.

        :param after: those after this id.
        """
        ...

    def records(self) -> dict[str, Any]:
        """Return all records of the knowledge base, by key."""
        ...

    def turn(self) -> AbstractContextManager[None]:
        """Let no other process write for the block."""
        ...

    def add(self, documents: Iterable[Document], state: Callable[[], State]) -> dict[str, str]:
        """Write documents in place of those of the same ids; when that is safe, note how far the copy is.

        :returns: the ids that it can't keep, with the reason.
        """
        ...

    def note(self, records: dict[str, Any]) -> None:
        """Set records."""
        ...

    def forget(self, key: str) -> None:
        """Delete a record."""
        ...

    def clear(self) -> None:
        """Delete all documents and records."""
        ...

    def refresh(self) -> None:
        """Let everything that was written be read."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class FolderEndpoint:
    """A local store, with the records of a knowledge base if it is one.

    :param folder: of the store.
    :param search: what it searches, if it is made.
    """

    def __init__(self, folder: Path, search: str | None = None) -> None:
        self.place = str(folder)
        self._folder = folder
        self._search: Any = search
        self._opened: LocalDocumentStore | None = None

    @property
    def _store(self) -> LocalDocumentStore:
        if self._opened is None:
            search = None if self.is_there() else self._search
            self._opened = LocalDocumentStore(self._folder, search=search)
        return self._opened

    def is_there(self) -> bool:
        """Return whether there is a database."""
        return (self._folder / DATABASE).exists()

    def identity(self) -> str:
        """Return where it is, and which database."""
        return f"{self._folder.resolve()} {self._store.store_id}"

    def version(self) -> int:
        """Return the number of the last change."""
        return self._store.version

    def options(self) -> dict[str, str]:
        """Return what a target that is made should be like."""
        size = self._store.vector_size()
        return {"search": self._store.search_scope} | ({} if size is None else {"embedding_dim": str(size)})

    def count(self) -> int:
        """Return how many documents there are."""
        return self._store.count_documents()

    def documents(self, after: str | None = None) -> Iterator[Document]:
        """Yield the documents in the order of their ids."""
        return self._store.iterate(batch=_BATCH, after=after)

    def records(self) -> dict[str, Any]:
        """Return all records, by key."""
        return dict(self._store.records.items())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no other process write for the block, from its first write on."""
        try:
            with self._store.exclusive():
                yield
        finally:
            self._store.release()

    def add(self, documents: Iterable[Document], state: Callable[[], State]) -> dict[str, str]:
        """Write documents, and note how far the copy is, in one transaction."""
        with self._store.transaction():
            self._store.write_documents(documents, DuplicatePolicy.OVERWRITE)
            self._store.records[COPY] = state()
        return {}

    def note(self, records: dict[str, Any]) -> None:
        """Set records."""
        with self._store.transaction():
            self._store.records.update(records)

    def forget(self, key: str) -> None:
        """Delete a record."""
        self._store.records.pop(key, None)

    def clear(self) -> None:
        """Delete all documents and records."""
        with self._store.transaction():
            self._store.delete_all_documents()
            for key in list(self._store.records):
                del self._store.records[key]

    def refresh(self) -> None:
        """Do nothing: what is written is there."""

    def close(self) -> None:
        """Let the store go."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


class OpenSearchEndpoint:
    """An index of a cluster, with the records beside it.

    :param store: of the documents.
    :param backend: of the records.
    """

    def __init__(self, store: Any, backend: KnowledgeBaseBackend) -> None:
        self.place = backend.place
        self._store, self._keeping = store, backend

    def is_there(self) -> bool:
        """Return whether the index is there."""
        return bool(self._store.exists())

    def identity(self) -> str:
        """Return where it is, and which index."""
        return f"{self.place} {self._store.identity()}"

    def version(self) -> int:
        """Return a number that grows with every change."""
        return int(self._store.changes())

    def options(self) -> dict[str, str]:
        """Return what a target that is made should be like."""
        size = self._store.vector_size()
        return {"search": self._store.search_scope} | ({} if size is None else {"embedding_dim": str(size)})

    def count(self) -> int:
        """Return how many documents there are, those included that were written a moment ago."""
        if self._store.exists():
            self._store.refresh()
        return int(self._store.count_if_there())

    def documents(self, after: str | None = None) -> Iterator[Document]:
        """Yield the documents in the order of their ids."""
        yield from map(_rounded, self._store.iterate(batch=_BATCH, after=after))

    def records(self) -> dict[str, Any]:
        """Return all records, by key."""
        return self._keeping.records() if self._keeping.is_made() else {}

    def turn(self) -> AbstractContextManager[None]:
        """Let no other process write for the block."""
        return self._keeping.turn()

    def add(self, documents: Iterable[Document], state: Callable[[], State]) -> dict[str, str]:
        """Write documents, then note how far the copy is."""
        refused: dict[str, str] = {}
        try:
            self._store.write_documents(documents, DuplicatePolicy.OVERWRITE, refresh=False)
        except DocumentsRefusedError as error:
            refused = error.refused
        self._keeping.note(COPY, state())
        return refused

    def note(self, records: dict[str, Any]) -> None:
        """Set records."""
        self._keeping.note_all(records)

    def forget(self, key: str) -> None:
        """Delete a record."""
        self._keeping.forget([key])

    def clear(self) -> None:
        """Delete all documents and records."""
        self._keeping.forget(self.records())
        self._store.delete_all_documents()

    def refresh(self) -> None:
        """Let searches see what was written."""
        self._store.refresh()

    def close(self) -> None:
        """Close the connections."""
        self._keeping.close()


def open_endpoint(place: str | os.PathLike[str], like: Endpoint | None = None) -> Endpoint:
    """Return the end at a folder or URL.

    :param like: for a target: the source, which it should be like if it is made.
    :raises KnowledgeBaseError: the URL is wrong, or the folder holds something else.
    """
    if not (isinstance(place, str) and is_url(place)):
        folder = expand_path(place)
        validate_folder(folder)
        return FolderEndpoint(folder, None if like is None else like.options()["search"])
    try:
        url = parse_store_url(place)
        store = open_store(url)
        if like is not None and not store.exists():
            url = with_options(url, **like.options())
            store.close()
            store = open_store(url)
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error
    return OpenSearchEndpoint(store, wrap_store(url, store))


def _rounded(document: Document) -> Document:
    """Return a document with its embedding as 32-bit floats: an index of vectors gives them as decimals, cut short."""
    if document.embedding is None:
        return document
    import numpy as np

    return replace(document, embedding=np.asarray(document.embedding, np.float32).astype(np.float64).tolist())
