"""Storage of a knowledge base in a folder or on OpenSearch: documents, and a record per file."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from spaniel.dataclasses import Document
from spaniel.document_stores.urls import StoreUrl, open_store, parse_store_url
from spaniel.errors import DocumentStoreError, KnowledgeBaseError
from spaniel.json_types import Json, JsonObject

if TYPE_CHECKING:
    from spaniel.document_stores.local import LocalDocumentStore
    from spaniel.document_stores.opensearch import OpenSearchDocumentStore
    from spaniel.knowledge_base.opensearch_backend import OpenSearchBackend

AnyStore: TypeAlias = "LocalDocumentStore | OpenSearchDocumentStore"

FOLDERS, PLACE, LINK_TARGETS, EMBEDDER, FILE = "folders", "place", "link targets", "embedder", "file "
"""Keys of records: the indexed folders, the place of the knowledge base itself when they were
recorded, the digest of the targets of links, the embedder of passages, the prefix of a file's key.
"""

UNFINISHED = "unfinished"
"""Set in the record of a file while its documents are being replaced."""

_OPENSEARCH_SCHEMES = ("opensearch", "opensearch+https")


def file_key(path: str) -> str:
    """Return the key of a file's record."""
    return FILE + path


@dataclass(frozen=True)
class SearchedWords:
    """The words that a search finds.

    :param analyzer: by name; a pattern or a function is described.
    :param languages: number of searched documents by language, if the analyzer recognises it.
    :param fields: metadata keys that are searched with the text, with their weights.
    """

    analyzer: str
    languages: Mapping[str, int]
    fields: Mapping[str, float]


class KnowledgeBaseBackend(Protocol):
    """Stores documents and records. Changes are made inside `write_lock` and `batch`.

    The documents of a file are stored before its record claims them, so that a run that ends
    early leaves its remaining work visible to the next one.
    """

    place: str
    """The folder or URL, as messages show it."""
    remedy: str
    """The sentence that ends the message of a damaged knowledge base."""
    is_remote: bool
    """Each question is a request, so callers ask few and batch them."""

    @property
    def folder(self) -> Path | None:
        """The folder; None on a server."""
        ...

    @property
    def searches_words(self) -> bool:
        """True if words are searched by fields and forms: not in an index of other software."""
        ...

    @property
    def store(self) -> AnyStore:
        """The document store; created on first use."""
        ...

    def exists(self) -> bool:
        """Return True if there are records to read."""
        ...

    def has_documents(self) -> bool:
        """Return True if the store holds a document."""
        ...

    def get_version(self) -> Hashable:
        """Return a value that differs after each change by any process."""
        ...

    def read_records(self, keys: Iterable[str] | None = None) -> JsonObject:
        """Return records by key; unknown keys are left out.

        :param keys: None: all.
        """
        ...

    def write_lock(self) -> AbstractContextManager[None]:
        """Exclude other writing processes for the block.

        :raises StoreLockedError: another process is writing.
        """
        ...

    def batch(self) -> AbstractContextManager[None]:
        """Flush the changes of the block when it ends, also after an error."""
        ...

    def flush(self) -> None:
        """Make all changes so far durable."""
        ...

    def pop_rejected(self) -> dict[str, str]:
        """Return the files with rejected documents since the last call, and the reason."""
        ...

    def write_records(self, records: Mapping[str, Json]) -> None:
        """Write records in place of those with the same keys."""
        ...

    def delete_records(self, keys: Iterable[str]) -> None:
        """Delete records; unknown keys are ignored."""
        ...

    def replace_file(self, path: str, tree: Sequence[Document], record: JsonObject, *, known: bool) -> None:
        """Store a file's documents in place of those of an earlier version.

        :param known: False if there is no earlier version.
        """
        ...

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], JsonObject], *, known: bool
    ) -> int:
        """Store the rows of a file in place of an earlier version; return the number of documents.

        :param rows: read one by one.
        :param record: called after the last row.
        :param known: False if there is no earlier version.
        """
        ...

    def delete_file(self, path: str, record: JsonObject) -> int:
        """Delete a file's documents and its record, and return the number of documents.

        :param record: of the file, so that a remote backend can mark it as unfinished.
        """
        ...

    def find_embedded(self, path: str) -> Iterable[Document]:
        """Return the documents of a file with their vectors; a remote backend returns none."""
        ...

    def find_owners(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the file of each of these documents; unknown ids are left out."""
        ...

    def list_fields(self, recorded: set[str]) -> set[str]:
        """Return the metadata keys of all documents.

        :param recorded: the keys that the records of the files name.
        """
        ...

    def find_roots(
        self, ids: Sequence[str] | None = None, keys: Sequence[str] = ("path", "links", "broken_links")
    ) -> Iterable[Document]:
        """Return the documents of whole files and rows.

        :param ids: None: all.
        :param keys: the metadata that they have at least.
        """
        ...

    def find_anchors(self, names: Sequence[str]) -> set[str]:
        """Return those of the anchors that a document has."""
        ...

    def find_ids_by_prefix(self, prefix: str) -> list[str]:
        """Return the ids with a prefix; a remote backend returns at most the first thousand."""
        ...

    def count_searchable(self) -> dict[str, int]:
        """Return the number of searchable ``documents``, ``tokens`` and ``vocabulary``, if known."""
        ...

    def describe_words(self) -> "SearchedWords | None":
        """Return the searched words; None if the index was made by other software."""
        ...

    def measure_size(self) -> int:
        """Return the size in bytes."""
        ...

    def find_problems(self, files: JsonObject) -> list[str]:
        """Return a sentence per problem.

        :param files: the records of the files.
        """
        ...

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        ...


def open_url_backend(
    url: str, analyzer: object = None, fields: Mapping[str, float] | None = None
) -> "OpenSearchBackend":
    """Return the backend at a URL. No request is sent before its first use.

    :param analyzer: as for `wrap_store`, as are the fields.
    :raises KnowledgeBaseError: the URL is malformed, or its store cannot hold a knowledge base.
    """
    try:
        parts = parse_store_url(url)
        return wrap_store(parts, open_store(parts), analyzer, fields)
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def wrap_store(
    url: StoreUrl,
    store: "OpenSearchDocumentStore",
    analyzer: object = None,
    fields: Mapping[str, float] | None = None,
) -> "OpenSearchBackend":
    """Return the backend that keeps a knowledge base in a store.

    :param url: of the store.
    :param analyzer: of a new index; None: the default, or that of an existing one.
    :param fields: of a new index, likewise.
    :raises KnowledgeBaseError: the store cannot hold a knowledge base.
    """
    if url.scheme not in _OPENSEARCH_SCHEMES:
        valid = ", ".join(("a folder", *_OPENSEARCH_SCHEMES))
        raise KnowledgeBaseError(f"'{url}' can't keep a knowledge base; these can: {valid}.")
    from spaniel.knowledge_base.opensearch_backend import OpenSearchBackend

    return OpenSearchBackend(store, str(url), analyzer, fields)
