"""Where a knowledge base is kept: its documents, and a record for each of its files. A folder or a cluster."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from spaniel.dataclasses import Document
from spaniel.document_stores.urls import StoreUrl, open_store, parse_store_url
from spaniel.errors import DocumentStoreError, KnowledgeBaseError

FOLDERS, FILE = "folders", "file "
"""The keys of records: of the indexed folders, and, with its path behind it, of a file."""

UNFINISHED = "unfinished"
"""Stands in the record of a file whose documents are being replaced: only some of them may be there."""


def file_key(path: str) -> str:
    """Return the key of the record of a file."""
    return FILE + path


class KnowledgeBaseBackend(Protocol):
    """Keeps documents and records. Changes are made inside `turn` and `writing`.

    A file is never claimed by its record before its documents are there. So whatever ends a run, the next one sees what is
    to be done.
    """

    place: str
    """What to call it in messages."""
    remedy: str
    """What to do if it is damaged."""
    is_remote: bool
    """Whether every question takes a request: then it is asked as few as possible, and several at once."""

    @property
    def store(self) -> Any:
        """The store of the documents; it is made if it is missing."""
        ...

    def is_made(self) -> bool:
        """Return whether there is anything to read."""
        ...

    def holds_documents(self) -> bool:
        """Return whether it holds a document."""
        ...

    def version(self) -> Hashable:
        """Return a value that is another one after a change, by whomever."""
        ...

    def records(self) -> dict[str, Any]:
        """Return all records, by key."""
        ...

    def turn(self) -> AbstractContextManager[None]:
        """Let no other process write for the block.

        :raises StoreLockedError: another one is writing.
        """
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Make the changes of the block, those before an error too."""
        ...

    def save(self) -> None:
        """Make all changes so far safe."""
        ...

    def refused(self) -> dict[str, str]:
        """Return the files of which documents were refused since this was last asked, with the reason."""
        ...

    def note(self, key: str, value: Any) -> None:
        """Set a record."""
        ...

    def note_all(self, records: dict[str, Any]) -> None:
        """Set several records."""
        ...

    def forget(self, keys: Iterable[str]) -> None:
        """Delete records; those that are not there are no error."""
        ...

    def replace(self, path: str, tree: Sequence[Document], record: dict[str, Any], *, known: bool) -> None:
        """Take up a file's documents in place of those of an earlier version.

        :param known: whether there may be an earlier version.
        """
        ...

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], dict[str, Any]], *, known: bool
    ) -> int:
        """Return how many documents were taken up, in place of those of an earlier version.

        :param rows: are read one by one.
        :param record: gives the record, when they are read.
        """
        ...

    def remove(self, path: str, record: dict[str, Any]) -> int:
        """Return how many documents of a file were taken out, and its record with them.

        :param record: of the file.
        """
        ...

    def owners_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which file each of these documents is from; unknown ids are left out."""
        ...

    def fields(self, noted: set[str]) -> set[str]:
        """Return the metadata keys of all documents.

        :param noted: those that the records of the files name.
        """
        ...

    def roots(self, ids: Sequence[str] | None = None) -> Iterable[Document]:
        """Return the documents of whole files and rows, with their path and links at least.

        :param ids: only those of these ids.
        """
        ...

    def anchors(self, names: Sequence[str]) -> set[str]:
        """Return which of these anchors a document has."""
        ...

    def ids_starting_with(self, start: str) -> list[str]:
        """Return the ids that begin with a text; of very many, the first ones."""
        ...

    def statistics(self) -> dict[str, int]:
        """Return how many ``documents`` are searched, and where known their ``tokens`` and the ``vocabulary``."""
        ...

    def size_in_bytes(self) -> int:
        """Return how much room it takes."""
        ...

    def problems(self, files: dict[str, Any]) -> list[str]:
        """Return what is wrong with it, a sentence each.

        :param files: the records of the files.
        """
        ...

    def close(self) -> None:
        """Let it go. It can be used again."""
        ...


def _on_cluster(store: Any, place: str) -> KnowledgeBaseBackend:
    from spaniel.knowledge_base.opensearch_backend import OpenSearchBackend

    return OpenSearchBackend(store, place)


KINDS: Mapping[str, Callable[[Any, str], KnowledgeBaseBackend]] = {
    "opensearch": _on_cluster,
    "opensearch+https": _on_cluster,
}
"""What keeps a knowledge base in the store of a URL, by its scheme."""


def open_url_backend(url: str) -> KnowledgeBaseBackend:
    """Return what keeps a knowledge base at a URL. Nothing is asked before it is used.

    :raises KnowledgeBaseError: the URL is wrong, or names a store that can keep none.
    """
    try:
        parts = parse_store_url(url)
        return wrap_store(parts, open_store(parts))
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def wrap_store(parts: StoreUrl, store: Any) -> KnowledgeBaseBackend:
    """Return what keeps a knowledge base in a store.

    :param parts: of its URL.
    :raises KnowledgeBaseError: it can keep none.
    """
    if (keep := KINDS.get(parts.scheme)) is None:
        raise KnowledgeBaseError(f"'{parts}' can't keep a knowledge base; these can: a folder, {', '.join(KINDS)}.")
    return keep(store, str(parts))
