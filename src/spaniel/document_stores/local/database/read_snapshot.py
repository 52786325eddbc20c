"""One state of the database, as one read transaction sees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.local.database.rows import COLUMNS, document_of, stored_text, text_of
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import apsw

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.store_state import NumberedDocuments

_COLUMNS = ", ".join(COLUMNS)
_STATE = "SELECT change, documents, next_slot, forgotten, lineage FROM state"
_BY_SLOT = f"SELECT {_COLUMNS} FROM documents WHERE slot = ?"  # noqa: S608 (column names)
_BY_ID = f"SELECT slot, {_COLUMNS} FROM documents WHERE id = ?"  # noqa: S608 (column names)
_SLOT_BY_ID = "SELECT slot, id FROM documents WHERE id = ?"
_ALL = f"SELECT slot, {_COLUMNS} FROM documents ORDER BY slot"  # noqa: S608 (column names)
_NEXT = f"SELECT {_COLUMNS} FROM documents WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608 (column names)
_FIRST = f"SELECT {_COLUMNS} FROM documents ORDER BY id LIMIT ?"  # noqa: S608 (column names)
_STORED = f"SELECT searched, {_COLUMNS} FROM documents ORDER BY slot"  # noqa: S608 (column names)
_TEXTS = "SELECT slot, content FROM documents WHERE slot >= ? AND searched AND content IS NOT NULL ORDER BY slot"
_SINCE = f"SELECT slot, {_COLUMNS} FROM documents WHERE change > ? ORDER BY slot"  # noqa: S608 (column names)
_INDEX = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?"
_FEW = 4  # below a quarter of the documents, each is looked up; else all are passed over


class GoneError(KeyError):
    """A document is not there, which an index knows."""


class View:
    """What one transaction sees.

    :param connection: in a transaction.

    `change` is the number of the last change, `count` how many documents there are, `next_slot` the slot of the next
    document; changes up to `forgotten` left no trace of what they deleted. `lineage` is another in every other database.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.began = time.monotonic()
        self.connection = connection
        state: Any = connection.execute(_STATE).fetchone()
        self.change: int
        self.count: int
        self.next_slot: int
        self.forgotten: int
        self.lineage: str
        self.change, self.count, self.next_slot, self.forgotten, self.lineage = state

    @property
    def version(self) -> tuple[str, int]:
        """The state of the view: which database, and the number of its last change."""
        return self.lineage, self.change

    def all(self) -> Iterator[tuple[int, Document]]:
        """Yield every document, in store order."""
        for slot, *row in self.connection.execute(_ALL):
            yield slot, document_of(row)

    def after(self, id: str | None, count: int) -> list[Document]:
        """Return the next documents in the order of their ids.

        :param id: that of the document before; None: from the first on.
        """
        rows = (
            self.connection.execute(_FIRST, (count,))
            if id is None
            else self.connection.execute(_NEXT, (stored_text(id), count))
        )
        return [document_of(row) for row in rows]

    def readable(self) -> Iterator[Document]:
        """Yield those documents that can be read, in store order."""
        import apsw

        for slot in range(self.next_slot):
            try:
                yield from self.by_slot([slot])
            except (GoneError, StoreFileError, UnicodeDecodeError, apsw.Error):
                continue

    def stored_rows(self) -> Iterator[tuple[list[Any], int]]:
        """Yield the columns of every document as they are stored, and whether it is marked as searched."""
        for searched, *row in self.connection.execute(_STORED):
            yield row, searched

    def texts(self, first: int = 0) -> Iterator[tuple[int, str]]:
        """Yield the slots and texts of the documents that are searched, from a slot on."""
        for slot, content in self.connection.execute(_TEXTS, (first,)):
            yield slot, text_of(content)

    def since(self, change: int) -> Iterator[tuple[int, Document]]:
        """Yield the documents that were written or updated after a change, in store order."""
        for slot, *row in self.connection.execute(_SINCE, (change,)):
            yield slot, document_of(row)

    def deleted_since(self, change: int) -> list[int]:
        """Return the slots of the documents that were deleted after a change."""
        return [slot for (slot,) in self.connection.execute("SELECT slot FROM tombstones WHERE change > ?", (change,))]

    def by_slot(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of these slots, in the order given.

        :raises GoneError: one is gone.
        """
        found = [document_of(row) for row in self.connection.executemany(_BY_SLOT, ((slot,) for slot in slots))]
        if len(found) != len(slots):
            raise GoneError("a document is gone")
        return found

    def numbered(self, slots: Sequence[int]) -> NumberedDocuments:
        """Return the documents of these slots, in store order."""
        if _FEW * len(slots) < self.count:
            return list(zip(slots, self.by_slot(slots), strict=True))
        wanted = set(slots)
        rows = self.connection.execute(_ALL)
        return [(row[0], document_of(row[1:])) for row in rows if row[0] in wanted]

    def by_id(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""
        rows = list(self.connection.executemany(_BY_ID, ((stored_text(id),) for id in dict.fromkeys(ids))))
        return [document_of(row[1:]) for row in sorted(rows, key=lambda row: int(row[0]))]

    def slots_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the slots of those ids that are stored, in the order given."""
        found: dict[str, int] = {}
        for id in ids:
            for slot, _ in self.connection.execute(_SLOT_BY_ID, (stored_text(id),)):
                found[id] = slot
        return found

    def slots(self) -> list[int]:
        """Return all slots."""
        return [slot for (slot,) in self.connection.execute("SELECT slot FROM documents ORDER BY slot")]

    def has_index(self, name: str) -> bool:
        """Return whether there is an SQL index of that name."""
        return self.connection.execute(_INDEX, (name,)).fetchone() is not None

    def rows(self, sql: str, bindings: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield the rows of a query."""
        yield from self.connection.execute(sql, bindings)
