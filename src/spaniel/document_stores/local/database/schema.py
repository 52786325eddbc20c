"""The tables of a store's database. The format is described in docs/format.md."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from spaniel.document_stores.local.database.settings import write_settings
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import apsw

    from spaniel.json_types import Json

FORMAT = 1
APPLICATION_ID = int.from_bytes(b"Span", "big")

_TABLES = """
CREATE TABLE documents (
    slot INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    change INTEGER NOT NULL,
    searched INTEGER NOT NULL,
    meta TEXT NOT NULL,
    score TEXT,
    content TEXT,
    embedding_type TEXT,
    embedding BLOB,
    sparse_embedding TEXT,
    blob_type TEXT,
    blob_meta TEXT,
    blob BLOB
);
CREATE INDEX documents_by_change ON documents (change);
CREATE TABLE tombstones (slot INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE INDEX tombstones_by_change ON tombstones (change);
CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    change INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    next_slot INTEGER NOT NULL,
    forgotten INTEGER NOT NULL,
    lineage TEXT NOT NULL
);
"""


def create_tables(connection: apsw.Connection, settings: Mapping[str, Json]) -> None:
    """Create the tables of an empty database, unless another process has done so."""
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _read_number(connection, "user_version") == 0:
            connection.execute(_TABLES)
            connection.execute("INSERT INTO state VALUES (1, 0, 0, 0, 0, ?)", (uuid.uuid4().hex,))
            write_settings(connection, settings)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def has_tables(connection: apsw.Connection, file: Path) -> bool:
    """Return if a database is a store; an empty database is not yet.

    :raises StoreFileError: it belongs to another application, or has an unsupported format.
    """
    application, version = _read_number(connection, "application_id"), _read_number(connection, "user_version")
    if application == 0 and version == 0 and not connection.execute("SELECT 1 FROM sqlite_schema").fetchall():
        return False
    if application != APPLICATION_ID:
        raise StoreFileError(f"'{file}' is a database of another application, not a store. Choose a new folder.")
    if version != FORMAT:
        raise StoreFileError(
            f"'{file}' has format {version}, but this version of Spaniel reads format {FORMAT}. Use a newer version."
        )
    return True


def _read_number(connection: apsw.Connection, pragma: str) -> int:
    value = connection.pragma(pragma)
    return value if isinstance(value, int) else 0
