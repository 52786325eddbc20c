"""A knowledge base on OpenSearch: its documents in an index, its records in another."""

import hashlib
import itertools
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import orjson

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.indexing import LANGUAGE, STANDARD, WORD_ANALYZERS, validate_fields
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.word_fields import AUTO
from spaniel.document_stores.opensearch.search.word_query import DEFAULT_LANGUAGE
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentsRefusedError, DocumentStoreError
from spaniel.json_types import Json, JsonObject
from spaniel.knowledge_base.backend import UNFINISHED, SearchedWords, file_key
from spaniel.knowledge_base.folder_backend import DEFAULTS

RECORDS_SUFFIX = "-spaniel"
"""Ends the name of the index of the records."""

logger = logging.getLogger(__name__)

_MAX_NAME_BYTES = 255
_LEASE_ID = "turn"
_UNINDEXED: JsonObject = {"type": "keyword", "index": False, "doc_values": False}
_MAPPING = {"dynamic": False, "properties": {"id": {"type": "keyword"}, "key": _UNINDEXED, "value": _UNINDEXED}}
_MAX_PENDING_DOCUMENTS = 2_000
_MAX_VALUES_PER_QUERY = 10_000


@dataclass(frozen=True)
class _PendingFile:
    tree: Sequence[Document]
    record: JsonObject
    known: bool


class OpenSearchBackend:
    """The `KnowledgeBaseBackend` of two OpenSearch indexes.

    Without transactions the order of writes keeps it consistent: the record of a file is marked
    as unfinished, its documents are replaced, then the record is written. Files are sent in
    batches.

    :param store: of the documents.
    :param place: the URL without credentials.
    :param analyzer: of a new index, and of an existing one if it is given; None: the default.
    :param fields: likewise.
    :raises DocumentStoreError: a cluster has no such analyzer.
    """

    is_remote = True
    folder = None

    def __init__(
        self,
        store: OpenSearchDocumentStore,
        place: str,
        analyzer: object = None,
        fields: Mapping[str, float] | None = None,
    ) -> None:
        self.store = store
        self._given: dict[str, object] = {"analyzer": analyzer, "fields": None if fields is None else dict(fields)}
        defaults = DEFAULTS if analyzer != STANDARD else {"fields": {}}
        chosen = {**defaults, **{name: value for name, value in self._given.items() if value is not None}}
        store.add_searched_fields(chosen["analyzer"], dict(validate_fields(chosen["fields"])))
        self._is_validated = analyzer is None and fields is None
        self.place = place
        self.remedy = f"Delete the index '{store.index}{RECORDS_SUFFIX}' and index again."
        self._records = _make_record_store(store)
        self._lease = self._records.lease(_LEASE_ID)
        self._pending: dict[str, _PendingFile] = {}
        self._rejected: dict[str, str] = {}
        self._has_documents = False

    def exists(self) -> bool:
        return self._records.exists()

    def has_documents(self) -> bool:
        """Return True if the index holds a document; no request follows the first such answer."""
        self._has_documents = self._has_documents or self.store.count_if_there() > 0
        if self._has_documents:
            self._validate_words()
        return self._has_documents

    @property
    def searches_words(self) -> bool:
        return self.store.word_fields() is not None

    def _validate_words(self) -> None:
        """Raise DocumentStoreError if the index has another analyzer or other fields than given."""
        if self._is_validated:
            return
        words = self.store.word_fields()
        stored = (
            {"analyzer": STANDARD, "fields": {}} if words is None else vars(words) | {"fields": dict(words.weights)}
        )
        for name, value in self._given.items():
            if value is not None and value != stored[name]:
                raise DocumentStoreError(
                    f"'{self.place}' is indexed with {name}={stored[name]!r}, got {value!r}. Omit {name}, or index into a new index."
                )
        self._is_validated = True

    def get_version(self) -> Hashable:
        return self._lease.version()

    def read_records(self, keys: Iterable[str] | None = None) -> JsonObject:
        documents: Iterable[Document]
        if keys is None:
            self._records.refresh()
            documents = self._records.iterate(batch=2_000)
        else:
            documents = self._records.get_documents_by_id([_make_record_id(key) for key in keys])
        found = (document.meta for document in documents if document.id != _LEASE_ID)
        return {meta["key"]: orjson.loads(meta["value"]) for meta in found}

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Hold the lease for the block; it expires if this machine fails."""
        self._create_index()
        self._lease.acquire()
        try:
            yield
            self._records.refresh()  # for `read_records` with keys, in any process
        finally:
            self._lease.release()

    def _create_index(self) -> None:
        """Create the index of the documents first: if that fails, no index of records remains."""
        length = len((self.store.index + RECORDS_SUFFIX).encode())
        if length > _MAX_NAME_BYTES:
            raise DocumentStoreError(
                f"The name of the index '{self.store.index}' is too long by {length - _MAX_NAME_BYTES} bytes: the index of "
                f"the records appends '{RECORDS_SUFFIX}'."
            )
        self.store.prepare()
        self._validate_words()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Send the pending files when the block ends, unless the store itself failed."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, DocumentStoreError):
                with suppress(DocumentStoreError):
                    self.flush()
            raise
        else:
            self.flush()

    def flush(self) -> None:
        if not self._pending:
            return
        files, self._pending = self._pending, {}
        self.write_records({file_key(path): _mark_unfinished(file.record) for path, file in files.items()})
        old = self._find_ids([path for path, file in files.items() if file.known])
        try:
            self._send(files, old)
        except ValueError:  # a document that JSON cannot represent: send each file by itself
            for path, file in files.items():
                try:
                    self._send({path: file}, set())
                except ValueError as error:
                    self._rejected[path] = str(error)
        self.write_records({file_key(path): file.record for path, file in files.items() if path not in self._rejected})

    def _send(self, files: Mapping[str, _PendingFile], old: set[str]) -> None:
        documents = {document.id: document for file in files.values() for document in file.tree}
        rejected = self._replace(documents.values(), old - documents.keys())
        for path, file in files.items():
            if reasons := {document.id: rejected[document.id] for document in file.tree if document.id in rejected}:
                self._rejected[path] = _describe_rejection(reasons)

    def pop_rejected(self) -> dict[str, str]:
        rejected, self._rejected = self._rejected, {}
        return rejected

    def write_records(self, records: Mapping[str, Json]) -> None:
        """Write records if this process still holds the lease."""
        self._lease.check()
        documents = [
            Document(id=_make_record_id(key), meta={"key": key, "value": orjson.dumps(value).decode()})
            for key, value in records.items()
        ]
        self._records.write_documents(documents, DuplicatePolicy.OVERWRITE, refresh=False)

    def delete_records(self, keys: Iterable[str]) -> None:
        self._records.delete_documents([_make_record_id(key) for key in keys], refresh=False)

    def replace_file(self, path: str, tree: Sequence[Document], record: JsonObject, *, known: bool) -> None:
        """Add a file to the pending ones, which are sent when they are many, and by `flush`."""
        if not _is_utf8(path):
            self._rejected[path] = "its name is not valid UTF-8, which a cluster requires"
            return
        self._pending[path] = _PendingFile(tree, record, known)
        if sum(len(file.tree) for file in self._pending.values()) >= _MAX_PENDING_DOCUMENTS:
            self.flush()

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], JsonObject], *, known: bool
    ) -> int:
        """Store the rows of a file, then delete those of the earlier version."""
        self.flush()
        first = next(rows, None)  # an unreadable file raises here, before any change
        written: set[str] = set()

        def iterate_rows() -> Iterator[Document]:
            for row in itertools.chain([first] if first is not None else [], rows):
                written.add(row.id)
                yield row

        self.write_records({file_key(path): _mark_unfinished(record())})
        try:
            rejected = self._replace(iterate_rows(), set())
        except ValueError as error:
            self._rejected[path] = str(error)
            return 0
        old = self._find_ids([path]) - written if known else set()
        self.store.delete_documents(sorted(old))
        if rejected:
            self._rejected[path] = _describe_rejection(rejected)
        else:
            self.write_records({file_key(path): record()})
        return len(written) - len(rejected)

    def delete_file(self, path: str, record: JsonObject) -> int:
        self.flush()
        self.write_records({file_key(path): _mark_unfinished(record)})
        count = self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
        self.delete_records([file_key(path)])
        return count

    def find_embedded(self, path: str) -> Iterable[Document]:
        """Return nothing: to fetch vectors takes about as long as to compute them."""
        del path
        return ()

    def find_owners(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the file of each of these documents; a request per ten thousand ids."""
        self.flush()
        return {
            document.id: document.meta.get("path", "a document from another program")
            for document in self._find_by_values("id", ids, ["path"])
        }

    def list_fields(self, recorded: set[str]) -> set[str]:
        """Return the keys of the mapping, so that neither records nor documents are read."""
        del recorded
        return set(self.store.get_metadata_fields_info())

    def find_roots(
        self, ids: Sequence[str] | None = None, keys: Sequence[str] = ("path", "links", "broken_links")
    ) -> Iterable[Document]:
        """Yield the documents of whole files and rows, with these metadata keys alone."""
        if ids is not None:
            return self._find_by_values("id", ids, keys)
        return self.store.iterate({"field": "meta.__level", "operator": "==", "value": 0}, batch=5_000, keys=keys)

    def find_anchors(self, names: Sequence[str]) -> set[str]:
        return {document.meta["anchor"] for document in self._find_by_values("meta.anchor", names, ["anchor"])}

    def find_ids_by_prefix(self, prefix: str) -> list[str]:
        return self.store.ids_starting_with(prefix)

    def count_searchable(self) -> dict[str, int]:
        """Return the number of searchable documents; a server does not count tokens."""
        return self.store.search_statistics()

    def describe_words(self) -> SearchedWords | None:
        if (words := self.store.word_fields()) is None:
            return None
        return SearchedWords(words.analyzer, self.store.count_by_value(LANGUAGE), words.weights)

    def add_languages(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield documents, each when the index has stems of its language."""
        words = self.store.word_fields()
        known = None if words is None or words.analyzer != AUTO else set(words.languages)
        for document in documents:
            if known is not None and not document.meta.get(CHILDREN):
                language = document.meta.get(LANGUAGE) or DEFAULT_LANGUAGE
                if language not in known and language in WORD_ANALYZERS:
                    self.store.add_languages([language])
                    known.add(language)
            yield document

    def measure_size(self) -> int:
        return self.store.size_in_bytes()

    def find_problems(self, files: JsonObject) -> list[str]:
        """Return problems of the health of the index, and records that disagree with documents."""
        found = []
        if (health := self.store.health()) == "red":
            found.append(f"The index '{self.store.index}' is red: some of its documents can't be reached.")
        elif health == "yellow":
            logger.warning(
                "The index '%s' is yellow: it lacks replicas, so a node that fails may lose documents. On a cluster of one node "
                "that is usual: ?replicas=0 in the URL of a new index says so.",
                self.store.index,
            )
        counts = self.store.count_by_value("path")
        for path, record in files.items():
            count, expected = counts.get(path, 0), record.get("documents")
            if record.get(UNFINISHED):
                found.append(f"'{path}' is unfinished: a run that indexed it was ended. Index it again.")
            elif expected is not None and count != expected:
                found.append(f"'{path}' has {count} documents, but {expected} were written. Index it again.")
        return found

    def close(self) -> None:
        self.store.close()
        self._records.close()

    def _replace(self, documents: Iterable[Document], obsolete: set[str]) -> dict[str, str]:
        """Write and delete documents; return the reasons of rejected ones."""
        rejected: dict[str, str] = {}
        try:
            self.store.write_documents(self.add_languages(documents), DuplicatePolicy.OVERWRITE, refresh=False)
        except DocumentsRefusedError as error:
            rejected = error.refused
        self.store.delete_documents(sorted(obsolete), refresh=False)
        self.store.refresh()
        return rejected

    def _find_ids(self, paths: Sequence[str]) -> set[str]:
        return {document.id for document in self._find_by_values("meta.path", paths, [])}

    def _find_by_values(self, field: str, values: Iterable[str], keys: Sequence[str]) -> Iterator[Document]:
        """Yield the documents with any of the values, with the given metadata keys alone."""
        rest = iter(dict.fromkeys(values))
        while some := list(itertools.islice(rest, _MAX_VALUES_PER_QUERY)):
            yield from self.store.iterate({"field": field, "operator": "in", "value": some}, batch=5_000, keys=keys)


def _mark_unfinished(record: JsonObject) -> JsonObject:
    return {**record, UNFINISHED: True}


def _describe_rejection(reasons: Mapping[str, str]) -> str:
    id, reason = next(iter(reasons.items()))
    return f"the cluster refused {len(reasons)} of its documents, such as document '{id}': {reason}"


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _make_record_id(key: str) -> str:
    """Return the hash of a key: a path may exceed the length limit of an id."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _make_record_store(store: OpenSearchDocumentStore) -> OpenSearchDocumentStore:
    """Return the store of the records, with the connection settings of the documents."""
    settings = store.settings or {}
    return OpenSearchDocumentStore(
        hosts=store.hosts,
        index=store.index + RECORDS_SUFFIX,
        mappings=_MAPPING,
        settings={key: value for key, value in settings.items() if key == "index.number_of_replicas"},
        http_auth=store.http_auth,
        use_ssl=store.use_ssl,
        verify_certs=store.verify_certs,
        timeout=store.timeout,
        patience=store.patience,
        **store.kwargs,
    )
