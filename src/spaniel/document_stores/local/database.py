"""The database of a store: its connections, one for the writer and some for readers."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from spaniel.document_stores.local import schema
from spaniel.document_stores.local.failures import told
from spaniel.document_stores.local.folder import DATABASE, is_read_only
from spaniel.document_stores.local.view import View
from spaniel.errors import DocumentStoreError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import apsw

logger = logging.getLogger(__name__)

_BUSY_MILLISECONDS = 10_000
_MOST_IDLE = 16
_LARGEST_WAL = 64 << 20


class Database:
    """The connections to ``documents.db``. A connection of the pool is used by one thread at a time.

    :param folder: where it is; it is made if it is missing.
    :param settings: how documents are indexed, if it is made.
    :param vfs: the name of SQLite's file layer; None: the usual one.
    :raises StoreFileError: it is damaged, of a newer format, or no store.
    :raises DocumentStoreError: it can't be opened.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], vfs: str | None = None) -> None:
        self.file = folder / DATABASE
        self._wal = folder / f"{DATABASE}-wal"
        self.read_only = is_read_only(folder)
        self._vfs = vfs
        self._idle: list[apsw.Connection] = []
        self._readers: set[apsw.Connection] = set()
        self._writer: apsw.Connection | None = None
        self._local = threading.local()
        self._closed = False
        with told(self.file):
            self._open(settings)

    def _open(self, settings: Mapping[str, Any]) -> None:
        if self.read_only:
            self._check_read_only()
        if not self.file.exists() or not self._has_tables():
            schema.create(self.writer(), settings)
            self.drop_writer()
        connection = self._connection()
        self.settings = schema.read_settings(connection)
        self._put_back(connection)

    def _has_tables(self) -> bool:
        connection = self._connection()
        try:
            return schema.check_format(connection, self.file)
        finally:
            self._let_go(connection)  # before the database is made it is in another mode

    def _check_read_only(self) -> None:
        if not self.file.exists():
            raise DocumentStoreError(f"There is no store in '{self.file.parent}', and the folder is read-only.")
        if self._wal.exists() and self._wal.stat().st_size:
            raise DocumentStoreError(
                f"'{self.file.parent}' is read-only, but changes wait in '{self._wal.name}': a process is writing, or died. Open "
                "the store once where it can be written, close it there, and try again."
            )

    def writer(self) -> apsw.Connection:
        """Return the connection that writes. Only whoever has the turn to write may use it.

        :raises StoreWriteError: the folder is read-only.
        """
        import apsw

        if self.read_only:
            raise StoreWriteError(
                f"'{self.file.parent}' is read-only. Searching it works; to change it, make it writable."
            )
        if self._writer is None:
            connection = apsw.Connection(
                str(self.file), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs=self._vfs
            )
            connection.set_busy_timeout(_BUSY_MILLISECONDS)
            connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536").fetchall()
            self._writer = connection
        return self._writer

    def drop_writer(self) -> None:
        """Close the connection that writes, its log emptied if no reader needs it; the next write opens another one."""
        import apsw

        connection, self._writer = self._writer, None
        if connection is None:
            return
        try:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            pass  # a reader needs it; whoever closes last empties it
        except apsw.Error as error:
            logger.warning("'%s': the changes stay in the write-ahead log, where they are safe: %s", self.file, error)
        connection.close(True)

    def roll_back(self) -> None:
        """Undo the transaction of the writer, if it is in one. A connection that can't is not used again."""
        import apsw

        connection = self._writer
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except apsw.Error:
            self._writer = None
            connection.close(True)

    def bound_wal(self, largest: int = _LARGEST_WAL) -> None:
        """Empty the write-ahead log if it has become large, as soon as no reader needs it.

        :param largest: how many bytes it may have.
        """
        import apsw

        try:
            if self._wal.stat().st_size > largest:
                self.writer().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except (OSError, apsw.BusyError):
            pass  # the next write tries again
        except apsw.Error as error:
            logger.warning("'%s': the write-ahead log can't be emptied: %s", self.file, error)

    @property
    def current(self) -> View | None:
        """The view of this thread, inside `reading` or `seeing`."""
        view: View | None = getattr(self._local, "view", None)
        return view

    @contextmanager
    def reading(self) -> Iterator[View]:
        """Hold a read transaction for the block, or stay in that of the block around it."""
        if (view := self.current) is not None:
            yield view
            return
        with told(self.file):
            connection = self._connection()
            try:
                connection.execute("BEGIN")
                with self.seeing(View(connection)) as view:
                    yield view
            finally:
                self._put_back(connection)

    @contextmanager
    def seeing(self, view: View) -> Iterator[View]:
        """Let this thread see a view for the block."""
        before, self._local.view = self.current, view
        try:
            yield view
        finally:
            self._local.view = before

    def _connection(self) -> apsw.Connection:
        import apsw

        if self._closed:
            raise DocumentStoreError(f"The store '{self.file.parent}' is closed. Open it again.")
        try:
            return self._idle.pop()
        except IndexError:
            pass
        options = "?immutable=1" if self.read_only else ""
        connection = apsw.Connection(
            f"file:{quote(str(self.file))}{options}",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
            vfs=self._vfs,
        )
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        self._readers.add(connection)
        return connection

    def _put_back(self, connection: apsw.Connection) -> None:
        import apsw

        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except apsw.Error:  # what failed before fails again; it has been told
            self._let_go(connection)
            return
        if self._closed or len(self._idle) >= _MOST_IDLE:
            self._let_go(connection)
        else:
            self._idle.append(connection)

    def _let_go(self, connection: apsw.Connection) -> None:
        self._readers.discard(connection)
        connection.close(True)

    def close(self) -> None:
        """Close all connections; those in use, when they are no longer."""
        self._closed = True
        while self._idle:
            self._let_go(self._idle.pop())
        self.drop_writer()

    def forked(self) -> None:
        """Start anew in a forked process. The connections belong to its parent and must never be closed here."""
        import ctypes

        for connection in (*self._readers, self._writer):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._idle, self._readers, self._writer, self._local = [], set(), None, threading.local()
