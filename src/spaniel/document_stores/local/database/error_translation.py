"""Errors of SQLite and of damaged rows, raised as errors of a store with a remedy."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import orjson

from spaniel.document_stores.local.database.rows import DamagedRowError
from spaniel.errors import DocumentStoreError, StoreFileError, StoreWriteError

_DAMAGED = (
    "it is damaged. Restore it from a backup, or save the readable documents with export(path, skip_damaged=True)"
)
_LOCKED = "another program keeps it locked. Try again when that program has ended"
_ERRORS: dict[type[Exception], tuple[type[DocumentStoreError], str]] = {
    apsw.FullError: (StoreWriteError, "the disk is full. Nothing was written; make room, and write again"),
    apsw.IOError: (StoreWriteError, "the disk reports an error. A write that did not return was rolled back"),
    apsw.ReadOnlyError: (StoreWriteError, "it can't be written. Make the folder writable for this user"),
    apsw.CantOpenError: (DocumentStoreError, "it can't be opened. Check the permissions of its folder"),
    apsw.BusyError: (DocumentStoreError, _LOCKED),
    apsw.LockedError: (DocumentStoreError, _LOCKED),
    apsw.CorruptError: (StoreFileError, _DAMAGED),
    apsw.NotADBError: (
        StoreFileError,
        "it is not a database. Restore it from a backup, or write its documents to a new store",
    ),
}


@contextmanager
def translate_errors(file: Path) -> Iterator[None]:
    """Raise errors of SQLite as errors of a store."""
    try:
        yield
    except apsw.Error as error:
        kind, message = _ERRORS.get(type(error), (DocumentStoreError, "SQLite reports an error"))
        raise kind(f"'{file}': {message} ({error}).") from error


@contextmanager
def translate_row_errors(file: Path) -> Iterator[None]:
    """Raise errors caused by unreadable rows as errors of a store."""
    try:
        yield
    except (DamagedRowError, UnicodeDecodeError, orjson.JSONDecodeError, struct.error) as error:
        raise StoreFileError(f"'{file}': {_DAMAGED} ({error}).") from error
