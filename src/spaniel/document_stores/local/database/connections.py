"""The connections to the database of a store: a writer, and a pool of readers."""

import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw

from spaniel.document_stores.local.database.error_translation import translate_errors, translate_row_errors
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.schema import create_tables, has_tables, read_settings
from spaniel.document_stores.local.database.shapes import Shapes
from spaniel.document_stores.local.files import DATABASE, is_read_only
from spaniel.errors import DocumentStoreError, StoreWriteError
from spaniel.json_types import Json

logger = logging.getLogger(__name__)

_BUSY_MILLISECONDS = 10_000
_CHECKPOINT_MILLISECONDS = 100  # the wait for readers: a write must not wait for a long read
_MAX_IDLE = 16
_MAX_WAL_BYTES = 64 << 20


class Database:
    """The connections to ``documents.db``; a single thread at a time uses a pooled connection."""

    def __init__(self, folder: Path, settings: Mapping[str, Json], vfs: str | None = None) -> None:
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
        self._shapes = Shapes()
        self._closed = False
        self._wal_bytes_in_use = 0  # size of the log at the last checkpoint that readers prevented
        self._gate = threading.Lock()  # held while the process forks
        with translate_errors(self.file), translate_row_errors(self.file):
            self._open(settings)
        stat = self.file.stat()
        self.inode = (stat.st_dev, stat.st_ino)

    def _open(self, settings: Mapping[str, Json]) -> None:
        if self.file.is_dir():
            raise DocumentStoreError(f"'{self.file}' is a folder, not a database. Choose another folder for the store.")
        if self.read_only:
            self._check_read_only()
        elif self._journal.exists():
            self.writer().pragma("user_version")  # rolls back a creation that was killed
        if not self.file.exists() or not self._has_tables():
            create_tables(self.writer(), settings)
            self.close_writer()
        connection = self._acquire_reader()
        self.settings = read_settings(connection)
        self._release_reader(connection)

    def _has_tables(self) -> bool:
        connection = self._acquire_reader()
        try:
            return has_tables(connection, self.file)
        finally:
            self._close_reader(connection)  # creating the tables changes the journal mode

    def _check_read_only(self) -> None:
        if not self.file.exists():
            raise DocumentStoreError(f"There is no store in '{self.file.parent}', and the folder is read-only.")
        for log in (self._wal, self._journal):
            if log.exists() and log.stat().st_size:
                raise DocumentStoreError(
                    f"'{self.file.parent}' is read-only, but changes wait in '{log.name}': a process is writing, or died. "
                    "Open and close the store where it can be written, and try again."
                )

    def is_in_place(self) -> bool:
        """Return if the folder still contains the file that was opened."""
        try:
            stat = os.stat(self._name)  # noqa: PTH116 (a third of the time of a read)
        except OSError:
            return False
        return (stat.st_dev, stat.st_ino) == self.inode

    def check_in_place(self) -> None:
        """Check that the folder still contains the file that was opened."""
        if not self.is_in_place():
            raise StoreWriteError(
                f"'{self.file}' was deleted or replaced after the store was opened. Close the store and open it again."
            )

    def check_writable(self) -> None:
        """Check that the folder is writable."""
        if self.read_only:
            raise StoreWriteError(
                f"'{self.file.parent}' is read-only. Searching it works; to change it, make it writable."
            )

    @property
    def has_writer(self) -> bool:
        """True if the connection that writes is open."""
        return self._writer is not None

    def writer(self) -> apsw.Connection:
        """Return the connection that writes. Callers must hold the write lock."""
        self.check_writable()
        if self._writer is None:
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            connection = apsw.Connection(self._name, flags=flags, vfs=self.vfs)
            _configure(connection)
            connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536").fetchall()
            self._writer = connection
        return self._writer

    def close_writer(self) -> None:
        """Checkpoint the log if no reader needs it, and close the writer until the next write."""
        connection, self._writer = self._writer, None
        if connection is None:
            return
        try:
            _checkpoint(connection)
        except apsw.BusyError:
            pass  # a reader needs the log; the last connection to close empties it
        except apsw.Error as error:
            logger.warning("'%s': the changes stay in the write-ahead log, where they are safe: %s", self.file, error)
        connection.close(True)

    def roll_back(self) -> None:
        """Roll back the open transaction of the writer, if any; drop a connection that fails."""
        connection = self._writer
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except apsw.Error:
            self._writer = None
            connection.close(True)

    def limit_wal(self, max_bytes: int = _MAX_WAL_BYTES) -> None:
        """Checkpoint the log if it is larger than `max_bytes` and no reader needs it."""
        try:
            size = self._wal.stat().st_size
            if size > (max_bytes + self._wal_bytes_in_use if max_bytes else 0):
                self._wal_bytes_in_use = size
                _checkpoint(self.writer())
            if size <= max_bytes or self._wal.stat().st_size == 0:
                self._wal_bytes_in_use = 0
        except (OSError, apsw.BusyError):
            pass  # retried when the log has grown by the same amount again
        except apsw.Error as error:
            logger.warning("'%s': the write-ahead log can't be emptied: %s", self.file, error)

    @property
    def current(self) -> ReadSnapshot | None:
        """The snapshot of this thread, inside `reading`."""
        snapshot: ReadSnapshot | None = getattr(self._local, "snapshot", None)
        return snapshot

    @contextmanager
    def reading(self) -> Iterator[ReadSnapshot]:
        """Hold a read transaction for the block; a nested block shares it."""
        if (snapshot := self.current) is not None:
            yield snapshot
            return
        with translate_errors(self.file), translate_row_errors(self.file):
            connection = self._acquire_reader()
            try:
                self.check_in_place()
                connection.execute("BEGIN")
                self._local.snapshot = ReadSnapshot(connection, self._shapes)
                yield self._local.snapshot
            finally:
                self._local.snapshot = None
                self._release_reader(connection)

    @contextmanager
    def hide_snapshot(self) -> Iterator[None]:
        """Hide the snapshot of an outer read from a transaction that begins inside it."""
        before, self._local.snapshot = self.current, None
        try:
            yield
        finally:
            self._local.snapshot = before

    def _acquire_reader(self) -> apsw.Connection:
        if self._closed:
            raise DocumentStoreError(f"The store '{self.file.parent}' is closed. Open it again.")
        with self._gate:
            if self._idle:
                return self._idle.pop()
            uri = f"file:{quote(self._name)}{'?immutable=1' if self.read_only else ''}"
            connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=self.vfs)
            _configure(connection)
            self._readers.add(connection)
            return connection

    def _release_reader(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except apsw.Error:  # the error that broke the transaction has been raised already
            self._close_reader(connection)
            return
        if self._closed or len(self._idle) >= _MAX_IDLE:
            self._close_reader(connection)
        else:
            self._idle.append(connection)

    def _close_reader(self, connection: apsw.Connection) -> None:
        self._readers.discard(connection)
        connection.close(True)

    def close(self) -> None:
        """Close all connections; a connection in use closes when it is released."""
        self._closed = True
        while self._idle:
            self._close_reader(self._idle.pop())
        self.close_writer()  # last, so that it can remove the log

    def before_fork(self, seconds: float, *, close_writer: bool) -> None:
        """Close idle connections and block new ones; wait up to `seconds` for other reads.

        SQLite remembers in a fork which locks its parent has on a file that the parent had open, so
        the parent could remove a log that the fork writes to. `close_writer` needs the write lock.
        """
        self._gate.acquire()
        own, end = 0 if self.current is None else 1, time.monotonic() + seconds
        while True:
            while self._idle:
                self._close_reader(self._idle.pop())
            if len(self._readers) <= own or time.monotonic() > end:
                break
            time.sleep(0.001)
        if close_writer and self._writer is not None and not self._writer.in_transaction:
            connection, self._writer = self._writer, None
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a checkpoint would delay the fork
            connection.close(True)

    def after_fork(self) -> None:
        """Allow new connections again, in the parent."""
        self._gate.release()

    def reset_after_fork(self) -> None:
        """Start without connections in the child: the parent's must never be closed here."""
        import ctypes

        for connection in (*self._readers, self._writer):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._idle, self._readers, self._writer, self._local = [], set(), None, threading.local()
        self._gate = threading.Lock()


def _configure(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else each new binding prepares a statement again


def _checkpoint(connection: apsw.Connection) -> None:
    """Empty the write-ahead log."""
    connection.set_busy_timeout(_CHECKPOINT_MILLISECONDS)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
