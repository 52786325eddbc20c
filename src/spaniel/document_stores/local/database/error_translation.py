"""What SQLite reports, as errors of a store that say what to do."""

from __future__ import annotations

import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING

import orjson

from spaniel.document_stores.local.database.rows import DamagedRowError
from spaniel.errors import DocumentStoreError, StoreFileError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FAILURES: dict[str, tuple[type[DocumentStoreError], str]] = {
    "FullError": (StoreWriteError, "the disk is full. Nothing was written; make room, and write again"),
    "IOError": (StoreWriteError, "the disk reports an error. A write that did not return was not made"),
    "ReadOnlyError": (StoreWriteError, "it can't be written. Make the folder writable for this user"),
    "CantOpenError": (DocumentStoreError, "it can't be opened. Check the permissions of its folder"),
    "BusyError": (DocumentStoreError, "another program keeps it locked. Try again when that has ended"),
    "LockedError": (DocumentStoreError, "another program keeps it locked. Try again when that has ended"),
    "CorruptError": (
        StoreFileError,
        "it is damaged. Restore it from a backup; export(path, skip_damaged=True) writes down what can be read",
    ),
    "NotADBError": (StoreFileError, "it is no database. Restore it from a backup, or write its documents anew"),
}


@contextmanager
def told_of_files(folder: Path) -> Iterator[None]:
    """Raise errors of the system as errors of a store.

    :param folder: the store.
    """
    try:
        yield
    except OSError as error:
        raise StoreWriteError(f"The index in '{folder}' can't be written: {error.strerror}.") from error


@contextmanager
def told_of_rows(file: Path) -> Iterator[None]:
    """Raise what rows lead to that hold something else than was written as errors of a store.

    :param file: the database.
    """
    try:
        yield
    except (DamagedRowError, UnicodeDecodeError, orjson.JSONDecodeError, struct.error) as error:
        kind, message = _FAILURES["CorruptError"]
        raise kind(f"'{file}': {message} ({error}).") from error


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Raise errors of SQLite as errors of a store.

    :param file: the database.
    """
    import apsw

    try:
        yield
    except apsw.Error as error:
        kind, message = _FAILURES.get(type(error).__name__, (DocumentStoreError, "SQLite reports an error"))
        raise kind(f"'{file}': {message} ({error}).") from error
