"""A knowledge base on a cluster: its documents in an index, its records in a second one beside that."""

import hashlib
import itertools
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import orjson

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentsRefusedError, DocumentStoreError
from spaniel.knowledge_base.backend import UNFINISHED, file_key

BESIDE = "-spaniel"
"""Behind the name of an index: the index of its records."""

logger = logging.getLogger(__name__)

_LONGEST_NAME = 255  # bytes of the name of an index
_TURN = "turn"  # the id of the document that says who is writing
_UNREAD: dict[str, Any] = {"type": "keyword", "index": False, "doc_values": False}
_MAPPING = {"dynamic": False, "properties": {"id": {"type": "keyword"}, "key": _UNREAD, "value": _UNREAD}}
_WAITING = 2_000  # documents that are sent together
_VALUES = 10_000  # of one question: below what a server takes in one clause


@dataclass(frozen=True)
class _PendingFile:
    tree: Sequence[Document]
    record: dict[str, Any]
    known: bool


class OpenSearchBackend:
    """Keeps a knowledge base on a cluster.

    There are no transactions, so the order counts: the record of a file first says that it is unfinished, then its
    documents are replaced, then the record says what they are of. Files are sent several at a time.

    :param store: of the documents.
    """

    is_remote = True

    def __init__(self, store: OpenSearchDocumentStore, place: str) -> None:
        self.store = store
        self.place = place
        self.remedy = f"Delete the index '{store.index}{BESIDE}' and index again."
        self._records = _beside(store)
        self._lease = self._records.lease(_TURN)
        self._waiting: dict[str, _PendingFile] = {}
        self._refused: dict[str, str] = {}
        self._holds_some = False

    def is_made(self) -> bool:
        """Return whether there are records."""
        return self._records.exists()

    def holds_documents(self) -> bool:
        """Return whether the index is there and holds a document; once it does, it is not asked again."""
        self._holds_some = self._holds_some or self.store.count_if_there() > 0
        return self._holds_some

    def version(self) -> Hashable:
        """Return the version of the document that says who is writing."""
        return self._lease.version()

    def records(self) -> dict[str, Any]:
        """Return all records, by key."""
        self._records.refresh()
        found = (document.meta for document in self._records.iterate(batch=2_000) if document.id != _TURN)
        return {meta["key"]: orjson.loads(meta["value"]) for meta in found}

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no other process write for the block; its turn ends by itself if this machine fails."""
        self._make_index()
        self._lease.take()
        try:
            yield
        finally:
            self._lease.give_back()

    def _make_index(self) -> None:
        """Make the index of the documents if it is missing: where it can't be made, nothing is left beside it."""
        if (length := len((self.store.index + BESIDE).encode())) > _LONGEST_NAME:
            raise DocumentStoreError(
                f"The name of the index '{self.store.index}' is too long by {length - _LONGEST_NAME} bytes, as '{BESIDE}' is put "
                "behind it for the records."
            )
        self.store.prepare()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the changes of the block."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, DocumentStoreError):
                with suppress(DocumentStoreError):
                    self.save()
            raise
        else:
            self.save()

    def save(self) -> None:
        """Send the files that wait."""
        if not self._waiting:
            return
        files, self._waiting = self._waiting, {}
        self._lease.check()
        self._write({file_key(path): _unfinished(file.record) for path, file in files.items()})
        old = self._ids_of([path for path, file in files.items() if file.known])
        try:
            self._send(files, old)
        except ValueError:  # one of them holds what JSON has no form for
            for path, file in files.items():
                try:
                    self._send({path: file}, set())
                except ValueError as error:
                    self._refused[path] = str(error)
        self._lease.check()
        self._write({file_key(path): file.record for path, file in files.items() if path not in self._refused})

    def _send(self, files: Mapping[str, _PendingFile], old: set[str]) -> None:
        documents = {document.id: document for file in files.values() for document in file.tree}
        bad = self._replace(documents.values(), old - documents.keys())
        for path, file in files.items():
            if reasons := [f"document '{each.id}': {bad[each.id]}" for each in file.tree if each.id in bad]:
                self._refused[path] = f"the cluster refused {len(reasons)} of its documents, such as {reasons[0]}"

    def refused(self) -> dict[str, str]:
        """Return the files of which documents were refused since this was last asked, with the reason."""
        refused, self._refused = self._refused, {}
        return refused

    def note(self, key: str, value: Any) -> None:
        """Set a record."""
        self.note_all({key: value})

    def note_all(self, records: Mapping[str, Any]) -> None:
        """Set several records."""
        self._lease.check()
        self._write(records)

    def forget(self, keys: Iterable[str]) -> None:
        """Delete records."""
        self._records.delete_documents([_id_of(key) for key in keys], refresh=False)

    def replace(self, path: str, tree: Sequence[Document], record: dict[str, Any], *, known: bool) -> None:
        """Take up a file's documents; they are sent with those of other files, at the latest by `save`."""
        if not _is_text(path):
            self._refused[path] = "its name holds bytes that are no text, which a cluster can't keep"
            return
        self._waiting[path] = _PendingFile(tree, record, known)
        if sum(len(file.tree) for file in self._waiting.values()) >= _WAITING:
            self.save()

    def replace_rows(
        self, path: str, rows: Iterator[Document], record: Callable[[], dict[str, Any]], *, known: bool
    ) -> int:
        """Return how many documents were taken up. The old ones are there until the new ones are."""
        self.save()
        first = next(rows, None)  # a file that can't be read changes nothing
        written: set[str] = set()

        def noted() -> Iterator[Document]:
            for row in itertools.chain([first] if first is not None else [], rows):
                written.add(row.id)
                yield row

        self._lease.check()
        self._write({file_key(path): _unfinished(record())})
        try:
            bad = self._replace(noted(), set())
        except ValueError as error:
            self._refused[path] = str(error)
            return 0
        old = self._ids_of([path]) - written if known else set()
        self.store.delete_documents(sorted(old))
        if bad:
            id, reason = next(iter(bad.items()))
            self._refused[path] = f"the cluster refused {len(bad)} of its documents, such as document '{id}': {reason}"
        else:
            self._lease.check()
            self._write({file_key(path): record()})
        return len(written) - len(bad)

    def remove(self, path: str, record: dict[str, Any]) -> int:
        """Return how many documents of a file were taken out, and its record with them."""
        self.save()
        self._lease.check()
        self._write({file_key(path): _unfinished(record)})
        count = self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
        self._records.delete_documents([_id_of(file_key(path))], refresh=False)
        return count

    def owners_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which file each of these documents is from; ten thousand ids a question."""
        self.save()
        return {
            document.id: document.meta.get("path", "a document that was written otherwise")
            for document in self._having("id", ids, ["path"])
        }

    def fields(self, noted: set[str]) -> set[str]:
        """Return the keys of the mapping, so that neither records nor documents are looked at."""
        del noted
        return set(self.store.get_metadata_fields_info())

    def roots(self, ids: Sequence[str] | None = None) -> Iterable[Document]:
        """Yield the documents of whole files and rows, with their path and links only."""
        keys = ["path", "links", "broken_links"]
        if ids is not None:
            return self._having("id", ids, keys)
        return self.store.iterate({"field": "meta.__level", "operator": "==", "value": 0}, batch=5_000, keys=keys)

    def anchors(self, names: Sequence[str]) -> set[str]:
        """Return which of these anchors a document has."""
        return {document.meta["anchor"] for document in self._having("meta.anchor", names, ["anchor"])}

    def ids_starting_with(self, start: str) -> list[str]:
        """Return the ids that begin with a text; of very many, the first thousand."""
        return self.store.ids_starting_with(start)

    def statistics(self) -> dict[str, int]:
        """Return how many documents are searched; the cluster does not count words."""
        return self.store.search_statistics()

    def size_in_bytes(self) -> int:
        """Return how much room the index takes, with its replicas."""
        return self.store.size_in_bytes()

    def problems(self, files: Mapping[str, Any]) -> list[str]:
        """Return what is wrong: with the health of the index, and where records and documents do not agree."""
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
            there, said = counts.get(path, 0), record.get("documents")
            if record.get(UNFINISHED):
                found.append(f"'{path}' is unfinished: a run that indexed it was ended. Index it again.")
            elif said is not None and there != said:
                found.append(f"'{path}' has {there} documents, but {said} were written. Index it again.")
        return found

    def close(self) -> None:
        """Close the connections."""
        self.store.close()
        self._records.close()

    def _replace(self, documents: Iterable[Document], gone: set[str]) -> dict[str, str]:
        """Write and delete; return why documents were refused."""
        refused: dict[str, str] = {}
        try:
            self.store.write_documents(documents, DuplicatePolicy.OVERWRITE, refresh=False)
        except DocumentsRefusedError as error:
            refused = error.refused
        self.store.delete_documents(sorted(gone), refresh=False)
        self.store.refresh()
        return refused

    def _ids_of(self, paths: Sequence[str]) -> set[str]:
        return {document.id for document in self._having("meta.path", paths, [])}

    def _having(self, field: str, values: Iterable[str], keys: Sequence[str]) -> Iterator[Document]:
        """Yield the documents with one of the values, with some of their metadata."""
        rest = iter(dict.fromkeys(values))
        while some := list(itertools.islice(rest, _VALUES)):
            yield from self.store.iterate({"field": field, "operator": "in", "value": some}, batch=5_000, keys=keys)

    def _write(self, records: Mapping[str, Any]) -> None:
        documents = [
            Document(id=_id_of(key), meta={"key": key, "value": orjson.dumps(value).decode()})
            for key, value in records.items()
        ]
        self._records.write_documents(documents, DuplicatePolicy.OVERWRITE, refresh=False)


def _unfinished(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, UNFINISHED: True}


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _id_of(key: str) -> str:
    """Return the id of a record: a path may be longer than an id may be."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _beside(store: OpenSearchDocumentStore) -> OpenSearchDocumentStore:
    """Return the store of the records, reached as that of the documents is."""
    settings = store.settings or {}
    return OpenSearchDocumentStore(
        hosts=store.hosts,
        index=store.index + BESIDE,
        mappings=_MAPPING,
        settings={key: value for key, value in settings.items() if key == "index.number_of_replicas"},
        http_auth=store.http_auth,
        use_ssl=store.use_ssl,
        verify_certs=store.verify_certs,
        timeout=store.timeout,
        patience=store.patience,
        **store.kwargs,
    )
