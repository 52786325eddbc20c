"""One state of the database, as one read transaction sees it."""

import time
from collections.abc import Iterable, Iterator, Sequence

import apsw

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import IndexedText, IndexSettings
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.json_text import from_json
from spaniel.document_stores.local.database.rows import COLUMNS, decode_document, decode_text, encode_text
from spaniel.errors import StoreFileError
from spaniel.json_types import Json

_COLUMNS = ", ".join(COLUMNS)
_STATE = "SELECT change, documents, next_slot, forgotten, lineage FROM state"
_BY_SLOT = f"SELECT {_COLUMNS} FROM documents WHERE slot = ?"  # noqa: S608 (column names)
_BY_ID = f"SELECT slot, {_COLUMNS} FROM documents WHERE id = ?"  # noqa: S608 (column names)
_SLOT_BY_ID = "SELECT slot FROM documents WHERE id = ?"
_ALL = f"SELECT slot, {_COLUMNS} FROM documents ORDER BY slot"  # noqa: S608 (column names)
_NEXT = f"SELECT {_COLUMNS} FROM documents WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608 (column names)
_FIRST = f"SELECT {_COLUMNS} FROM documents ORDER BY id LIMIT ?"  # noqa: S608 (column names)
_TEXTS = (
    "SELECT slot, id, content, meta FROM documents WHERE slot >= ? AND searched AND content IS NOT NULL ORDER BY slot"
)
_SINCE = f"SELECT slot, {_COLUMNS} FROM documents WHERE change > ? ORDER BY slot"  # noqa: S608 (column names)
_SCAN_FRACTION = 4  # from a quarter of the documents on, a scan is faster than look-ups


class MissingSlotError(KeyError):
    """The database lacks a document that an index holds."""


class ReadSnapshot:
    """The documents as a transaction sees them.

    `change` is the number of the last change, `count` the number of documents, `next_slot` the slot
    of the next document. Deletions up to the change `tombstone_horizon` are not recorded any more.
    `store_id` differs between any two databases.
    """

    change: int
    count: int
    next_slot: int
    tombstone_horizon: int
    store_id: str

    def __init__(self, connection: apsw.Connection) -> None:
        self.began = time.monotonic()
        self.connection = connection
        state: Json = connection.execute(_STATE).fetchone()
        self.change, self.count, self.next_slot, self.tombstone_horizon, self.store_id = state

    @property
    def version(self) -> tuple[str, int]:
        """The database and the number of its last change."""
        return self.store_id, self.change

    def documents(self) -> Iterator[tuple[int, Document]]:
        """Yield every document with its slot, in store order."""
        for slot, *row in self.connection.execute(_ALL):
            yield slot, decode_document(row)

    def documents_after(self, id: str | None, count: int) -> list[Document]:
        """Return the next documents in the order of their ids; after None, the first."""
        if id is None:
            return [decode_document(row) for row in self.connection.execute(_FIRST, (count,))]
        return [decode_document(row) for row in self.connection.execute(_NEXT, (encode_text(id), count))]

    def readable_documents(self) -> Iterator[Document]:
        """Yield the documents in store order, without those that are damaged."""
        for slot in range(self.next_slot):
            try:
                yield from self.documents_at([slot])
            except (MissingSlotError, StoreFileError, UnicodeDecodeError, apsw.Error):
                continue

    def texts(self, indexing: IndexSettings, first: int = 0) -> Iterator[tuple[int, IndexedText]]:
        """Yield slot and text of each searched document, from the slot `first` on."""
        needs_meta = indexing.scores_words
        for slot, id, content, meta in self.connection.execute(_TEXTS, (first,)):
            yield slot, indexing.read_text(decode_text(id), decode_text(content), from_json(meta) if needs_meta else {})

    def documents_since(self, change: int) -> Iterator[tuple[int, Document]]:
        """Yield the documents that were written or updated after a change, in store order."""
        for slot, *row in self.connection.execute(_SINCE, (change,)):
            yield slot, decode_document(row)

    def slots_deleted_since(self, change: int) -> list[int]:
        """Return the slots of the documents that were deleted after a change."""
        return [slot for (slot,) in self.connection.execute("SELECT slot FROM tombstones WHERE change > ?", (change,))]

    def documents_at(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of some slots, in the order given."""
        found = [decode_document(row) for row in self.connection.executemany(_BY_SLOT, ((slot,) for slot in slots))]
        if len(found) != len(slots):
            raise MissingSlotError("a document is missing")
        return found

    def select_documents(self, slots: Sequence[int]) -> NumberedDocuments:
        """Return the documents of some slots, in store order."""
        if _SCAN_FRACTION * len(slots) < self.count:
            return list(zip(slots, self.documents_at(slots), strict=True))
        wanted = set(slots)
        rows = self.connection.execute(_ALL)
        return [(row[0], decode_document(row[1:])) for row in rows if row[0] in wanted]

    def documents_with_ids(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with some ids, in store order."""
        rows = list(self.connection.executemany(_BY_ID, ((encode_text(id),) for id in dict.fromkeys(ids))))
        return [decode_document(row[1:]) for row in sorted(rows, key=lambda row: int(row[0]))]

    def slots_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the slots of the ids that are stored, in the order given."""
        found: dict[str, int] = {}
        for id in ids:
            for (slot,) in self.connection.execute(_SLOT_BY_ID, (encode_text(id),)):
                found[id] = slot
        return found

    def slots(self) -> list[int]:
        """Return all slots."""
        return [slot for (slot,) in self.connection.execute("SELECT slot FROM documents ORDER BY slot")]

    def ids(self) -> list[str]:
        """Return all ids, in store order."""
        return [decode_text(id) for (id,) in self.connection.execute("SELECT id FROM documents ORDER BY slot")]

    def rows(self, sql: str, bindings: Sequence[Json] = ()) -> Iterator[Json]:
        """Yield the rows of a query."""
        yield from self.connection.execute(sql, bindings)
