"""The database of a store: its connections, one for the writer and some for readers."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from spaniel.document_stores.local.database import schema
from spaniel.document_stores.local.database.error_translation import told, told_of_rows
from spaniel.document_stores.local.database.read_snapshot import View
from spaniel.document_stores.local.database.settings import read_settings
from spaniel.document_stores.local.files import DATABASE, is_read_only
from spaniel.errors import DocumentStoreError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import apsw

logger = logging.getLogger(__name__)

_BUSY_MILLISECONDS = 10_000
_READERS_MILLISECONDS = 100  # how long the log waits for readers to be emptied: a write does not wait for a long read
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
        self._name = str(self.file)
        self._wal = folder / f"{DATABASE}-wal"
        self._journal = folder / f"{DATABASE}-journal"
        self.read_only = is_read_only(folder)
        self.vfs = vfs
        self._idle: list[apsw.Connection] = []
        self._readers: set[apsw.Connection] = set()
        self._writer: apsw.Connection | None = None
        self._local = threading.local()
        self._closed = False
        self._needed_log = 0  # how large the log was when readers needed it
        self._gate = threading.Lock()  # closed while the process forks
        with told(self.file), told_of_rows(self.file):
            self._open(settings)
        state = self.file.stat()
        self.place = (state.st_dev, state.st_ino)

    def _open(self, settings: Mapping[str, Any]) -> None:
        if self.file.is_dir():
            raise DocumentStoreError(
                f"'{self.file}' is a folder, and no database. Choose another folder for the store."
            )
        if self.read_only:
            self._check_read_only()
        elif self._journal.exists():
            self.writer().pragma(
                "user_version"
            )  # a process died while it made the database: whoever may write takes it back
        if not self.file.exists() or not self._has_tables():
            schema.create(self.writer(), settings)
            self.drop_writer()
        connection = self._connection()
        self.settings = read_settings(connection)
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
        for log in (self._wal, self._journal):
            if log.exists() and log.stat().st_size:
                raise DocumentStoreError(
                    f"'{self.file.parent}' is read-only, but changes wait in '{log.name}': a process is writing, or died. "
                    "Open the store once where it can be written, close it there, and try again."
                )

    def is_in_place(self) -> bool:
        """Return whether the file that was opened is still the one in the folder."""
        try:
            state = os.stat(self._name)  # noqa: PTH116 (every read does it: a third of the time)
        except OSError:
            return False
        return (state.st_dev, state.st_ino) == self.place

    def check_place(self) -> None:
        """Refuse to go on with a file that is not in the folder any more.

        :raises StoreWriteError: the folder or the file was deleted, or replaced.
        """
        if not self.is_in_place():
            raise StoreWriteError(
                f"'{self.file}' was deleted or replaced after the store was opened, so nothing can be read from it or written "
                "to it. Close the store and open it again."
            )

    def check_writable(self) -> None:
        """Refuse to write to a folder that is read-only.

        :raises StoreWriteError: it is.
        """
        if self.read_only:
            raise StoreWriteError(
                f"'{self.file.parent}' is read-only. Searching it works; to change it, make it writable."
            )

    @property
    def has_written(self) -> bool:
        """Whether the connection that writes is open."""
        return self._writer is not None

    def writer(self) -> apsw.Connection:
        """Return the connection that writes. Only whoever has the turn to write may use it.

        :raises StoreWriteError: the folder is read-only.
        """
        import apsw

        self.check_writable()
        if self._writer is None:
            connection = apsw.Connection(
                str(self.file), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs=self.vfs
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
            _empty_log(connection)
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
            size = self._wal.stat().st_size
            if size > (largest + self._needed_log if largest else 0):
                self._needed_log = size
                _empty_log(self.writer())
            if size <= largest or self._wal.stat().st_size == 0:
                self._needed_log = 0
        except (OSError, apsw.BusyError):
            pass  # it is tried again when the log has grown as much again
        except apsw.Error as error:
            logger.warning("'%s': the write-ahead log can't be emptied: %s", self.file, error)

    @property
    def current(self) -> View | None:
        """The view of this thread, inside `reading`."""
        view: View | None = getattr(self._local, "view", None)
        return view

    @contextmanager
    def reading(self) -> Iterator[View]:
        """Hold a read transaction for the block, or stay in that of the block around it."""
        if (view := self.current) is not None:
            yield view
            return
        with told(self.file), told_of_rows(self.file):
            connection = self._connection()
            try:
                self.check_place()
                connection.execute("BEGIN")
                self._local.view = View(connection)
                yield self._local.view
            finally:
                self._local.view = None
                self._put_back(connection)

    @contextmanager
    def hidden_view(self) -> Iterator[None]:
        """Let a transaction that is begun inside `reading`, by a callback, not see the view of that read."""
        before, self._local.view = self.current, None
        try:
            yield
        finally:
            self._local.view = before

    def _connection(self) -> apsw.Connection:
        if self._closed:
            raise DocumentStoreError(f"The store '{self.file.parent}' is closed. Open it again.")
        with self._gate:
            if self._idle:
                return self._idle.pop()
            connection = self._new_reader()
            self._readers.add(connection)
        return connection

    def _new_reader(self) -> apsw.Connection:
        import apsw

        options = "?immutable=1" if self.read_only else ""
        connection = apsw.Connection(
            f"file:{quote(str(self.file))}{options}",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
            vfs=self.vfs,
        )
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
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
        self.drop_writer()  # last, so that it can remove the log

    def before_fork(self, seconds: float, *, writer: bool) -> None:
        """Close the connections that are not in use, and let none be taken until `after_fork`.

        SQLite remembers in a forked process which locks its parent has, for all connections to a file that the parent had
        open. So the parent could take a log away that the fork writes to.

        :param seconds: how long to wait for reads in other threads.
        :param writer: the turn to write was taken, so the connection of the writer can be closed.
        """
        import apsw

        self._gate.acquire()
        own, end = 0 if self.current is None else 1, time.monotonic() + seconds
        while True:
            while self._idle:
                self._let_go(self._idle.pop())
            if len(self._readers) <= own or time.monotonic() > end:
                break
            time.sleep(0.001)
        if writer and self._writer is not None and not self._writer.in_transaction:
            connection, self._writer = self._writer, None
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # it takes time
            connection.close(True)

    def after_fork(self) -> None:
        """Let connections be taken again."""
        self._gate.release()

    def forked(self) -> None:
        """Start anew in a forked process. The connections belong to its parent and must never be closed here."""
        import ctypes

        for connection in (*self._readers, self._writer):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._idle, self._readers, self._writer, self._local = [], set(), None, threading.local()
        self._gate = threading.Lock()


def _empty_log(connection: apsw.Connection) -> None:
    """Empty the write-ahead log.

    :raises BusyError: a reader needs it.
    """
    import apsw

    connection.set_busy_timeout(_READERS_MILLISECONDS)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
