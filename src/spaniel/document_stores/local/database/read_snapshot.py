"""One state of the database, as one read transaction sees it."""

import time
from collections.abc import Iterable, Iterator, Sequence

import apsw

from spaniel.dataclasses import Document, hierarchy
from spaniel.document_stores.embedded.indexing import IndexedText, IndexSettings
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.ids import ID_KEY, decode_id, encode_id, find_next_hash, make_key
from spaniel.document_stores.local.database.json_text import from_json
from spaniel.document_stores.local.database.rows import (
    CONTENT,
    DOCUMENT,
    METAS,
    RELATIVES,
    DamagedRowError,
    decode_document,
)
from spaniel.document_stores.local.database.shapes import Shapes
from spaniel.document_stores.local.database.text import StoredText, decode_text
from spaniel.errors import StoreFileError
from spaniel.json_types import Json

_STATE = "SELECT change, documents, next_slot, forgotten, lineage FROM state"
_BY_SLOT = f"{DOCUMENT} AND n.slot = ?"
_SLOT_BY_ID = f"SELECT slot FROM nodes WHERE {ID_KEY} = ? AND id = ? AND searched IS NOT NULL"  # noqa: S608 (column names)
_IDS = "SELECT id FROM nodes WHERE searched IS NOT NULL ORDER BY slot"
_BY_ID = f"{DOCUMENT} AND n.slot = ({_SLOT_BY_ID})"
_ALL = f"{DOCUMENT} ORDER BY n.slot"
_NEXT_IDS = f"""
SELECT slot, id FROM nodes WHERE {ID_KEY} >= ? AND {ID_KEY} < ? AND id >= ? AND id IS NOT ? AND searched IS NOT NULL
ORDER BY {ID_KEY}, id LIMIT ?
"""  # noqa: S608 (column names)
_AFTER_TEXTS, _AFTER_HASHES = b"", b"\xff" * 8
_TEXTS = f"SELECT n.slot, n.id, {CONTENT} FROM nodes AS n WHERE n.slot >= ? AND n.searched ORDER BY n.slot"  # noqa: S608 (column names)
_SEARCHED = f"{DOCUMENT} AND n.slot >= ? AND n.searched ORDER BY n.slot"
_UPDATED = f"{DOCUMENT} AND n.updated > ? AND n.slot < ? ORDER BY n.slot"
_NEW = f"{DOCUMENT} AND n.slot >= ? ORDER BY n.slot"
_SHAPE, _CHILDREN, _LENGTH = 3, 8, 11  # columns of `DOCUMENT`
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

    def __init__(self, connection: apsw.Connection, shapes: Shapes) -> None:
        self.began = time.monotonic()
        self.connection = connection
        self.shapes = shapes
        state: Json = connection.execute(_STATE).fetchone()
        self.change, self.count, self.next_slot, self.tombstone_horizon, self.store_id = state

    def decode(self, row: Sequence[Json]) -> Document:
        """Return the document of a row of `DOCUMENT`."""
        if row[_CHILDREN] is not None or row[_LENGTH] is not None:
            row = (*row[:_CHILDREN], *self._find_relatives(row[0]), *row[_LENGTH:])
        if row[_SHAPE] is not None and row[_SHAPE] not in self.shapes:
            self.shapes.read(self.connection)
        return decode_document(row, self.shapes)

    def _find_relatives(self, slot: int) -> tuple[str, str | None, StoredText | None]:
        """Return the ids of the children of a parent, the values that these share, and its content."""
        ((children, shared, content),) = self.rows(RELATIVES, (slot,))
        return children, shared, content

    @property
    def version(self) -> tuple[str, int]:
        """The database and the number of its last change."""
        return self.store_id, self.change

    def documents(self) -> Iterator[tuple[int, Document]]:
        """Yield every document with its slot, in store order."""
        for row in self.connection.execute(_ALL):
            yield row[0], self.decode(row)

    def values(self, key: str) -> Iterator[tuple[int, Json]]:
        """Yield the slot of every document and its value of a metadata key, in store order."""
        self.shapes.read(self.connection)
        for slot, own, shape, tree, items, siblings, parent, children, shared in self.connection.execute(METAS):
            try:
                if shape is None:
                    yield slot, from_json(own).get(key)
                    continue
                is_list = children is not None and key == hierarchy.CHILDREN
                ids = self._find_relatives(slot)[0] if is_list else None
                yield slot, self.shapes[shape].find_value(key, own, tree, items, siblings, parent, ids, shared)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise DamagedRowError(f"The metadata of slot {slot} is damaged: {error!r}") from error

    def documents_after(self, id: str | None, count: int) -> list[Document]:
        """Return the next documents in the order of their ids; after None, the first."""
        stored = "" if id is None else encode_id(id)
        text = stored.hex() if isinstance(stored, bytes) else stored
        ranges: list[Json] = [(text, _AFTER_TEXTS, text)]
        if (lowest := find_next_hash(text)) is not None:
            ranges.append((make_key(lowest), _AFTER_HASHES, lowest))
        same = None if id is None else stored
        rows = [row for each in ranges for row in self.connection.execute(_NEXT_IDS, (*each, same, count))]
        rows.sort(key=lambda row: row[1].hex() if isinstance(row[1], bytes) else row[1])
        return self.documents_at([slot for slot, _ in rows[:count]])

    def readable_documents(self) -> Iterator[Document]:
        """Yield the documents in store order, without those that are damaged."""
        for slot in range(self.next_slot):
            try:
                yield from self.documents_at([slot])
            except (MissingSlotError, StoreFileError, UnicodeDecodeError, apsw.Error):
                continue

    def texts(self, indexing: IndexSettings, first: int = 0) -> Iterator[tuple[int, IndexedText]]:
        """Yield slot and text of each searched document, from the slot `first` on."""
        if indexing.scores_words:
            for row in self.connection.execute(_SEARCHED, (first,)):
                document = self.decode(row)
                if document.content is not None:
                    yield row[0], indexing.read_text(document.id, document.content, document.meta)
            return
        for slot, id, content in self.connection.execute(_TEXTS, (first,)):
            if content is not None:
                yield slot, indexing.read_text(decode_id(id), decode_text(content), {})

    def documents_since(self, change: int, next_slot: int) -> Iterator[tuple[int, Document]]:
        """Yield the documents that were updated or written after a change, in store order.

        :param next_slot: that of the state which the change left.
        """
        for sql, bindings in ((_UPDATED, (change, next_slot)), (_NEW, (next_slot,))):
            for row in self.connection.execute(sql, bindings):
                yield row[0], self.decode(row)

    def slots_deleted_since(self, change: int) -> list[int]:
        """Return the slots of the documents that were deleted after a change."""
        return [slot for (slot,) in self.connection.execute("SELECT slot FROM tombstones WHERE change > ?", (change,))]

    def documents_at(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of some slots, in the order given."""
        found = [self.decode(row) for row in self.connection.executemany(_BY_SLOT, ((slot,) for slot in slots))]
        if len(found) != len(slots):
            raise MissingSlotError("a document is missing")
        return found

    def select_documents(self, slots: Sequence[int]) -> NumberedDocuments:
        """Return the documents of some slots, in store order."""
        if _SCAN_FRACTION * len(slots) < self.count:
            return list(zip(slots, self.documents_at(slots), strict=True))
        wanted = set(slots)
        rows = self.connection.execute(_ALL)
        return [(row[0], self.decode(row)) for row in rows if row[0] in wanted]

    def documents_with_ids(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with some ids, in store order."""
        stored = map(encode_id, dict.fromkeys(ids))
        rows = self.connection.executemany(_BY_ID, ((make_key(id), id) for id in stored))
        return [self.decode(row) for row in sorted(rows, key=lambda row: int(row[0]))]

    def slots_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the slots of the ids that are stored, in the order given."""
        found: dict[str, int] = {}
        for id in ids:
            stored = encode_id(id)
            for (slot,) in self.connection.execute(_SLOT_BY_ID, (make_key(stored), stored)):
                found[id] = slot
        return found

    def slots(self) -> list[int]:
        """Return all slots."""
        return [
            slot
            for (slot,) in self.connection.execute("SELECT slot FROM nodes WHERE searched IS NOT NULL ORDER BY slot")
        ]

    def ids(self) -> list[str]:
        """Return all ids, in store order."""
        return [decode_id(id) for (id,) in self.connection.execute(_IDS)]

    def rows(self, sql: str, bindings: Sequence[Json] = ()) -> Iterator[Json]:
        """Yield the rows of a query."""
        yield from self.connection.execute(sql, bindings)
