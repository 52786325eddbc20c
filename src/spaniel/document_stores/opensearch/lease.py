"""The lease for writing to an index: a document with its holder and its expiry."""

import getpass
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from spaniel.document_stores.opensearch.index import CONFLICT, Index
from spaniel.document_stores.opensearch.transport.http_request import Transport
from spaniel.errors import DocumentStoreError, StoreLockedError, StoreRequestError
from spaniel.json_types import JsonObject
from spaniel.runtime import Program, Sleep, execute

SECONDS = 30.0
"""Duration of a lease without renewal: the wait after a crash on another machine."""
_WAIT = 2.0  # seconds for a renewal in progress when the lease is released

T = TypeVar("T")


class Lease:
    """The exclusive right to write, renewed by a thread until it is released.

    The server lets only one of several callers acquire it: the document is created, or replaced in
    the version that was read. A lease that was not renewed in time is free, as is one of a process
    of this machine that has ended. Expiry is judged by the clock of this machine: clocks may
    differ by less than `SECONDS`.
    """

    def __init__(self, transport: Transport, index: Index, id: str, seconds: float = SECONDS) -> None:
        self._transport, self._index, self._path = transport, index, index.path(f"_doc/{id}")
        self._seconds = seconds
        self._version: JsonObject | None = None
        self._released = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._lost: DocumentStoreError | None = None
        self._id, self._token = id, ""

    def acquire(self) -> None:
        """Acquire the lease, or raise StoreLockedError if another process holds it."""
        self._token = os.urandom(16).hex()
        self._execute(self._index.ready_for_writes())
        self._version, self._lost = self._execute(self._acquire()), None
        self._released = threading.Event()
        self._thread = threading.Thread(
            target=self._renew_until, args=(self._released,), name="spaniel-lease", daemon=True
        )
        self._thread.start()

    def check(self) -> None:
        """Renew the lease, or raise DocumentStoreError if another process may hold it by now."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            self._renew()

    def release(self) -> None:
        """Release the lease."""
        self._released.set()
        self._thread = None  # it ends after its current request
        if not self._lock.acquire(timeout=_WAIT):
            return  # a cluster that does not answer the renewal would not answer this; the lease expires
        try:
            with suppress(DocumentStoreError):
                if self._version is not None and self._lost is None:
                    self._execute(self._put({"id": self._id, "until": 0.0}, self._version))
                self._version = None
        finally:
            self._lock.release()

    def version(self) -> tuple[int, int] | None:
        """Return a value that changes with each holder; None before the first one."""
        stored = self._execute(self._read())
        return None if stored is None else (stored["_primary_term"], stored["_seq_no"])

    def _acquire(self) -> Program[JsonObject]:
        pauses = self._index.retry_policy.pauses()
        while True:
            stored = yield from self._read()
            if stored is not None and stored["_source"].get("token") == self._token:
                return stored  # the answer to the write was lost
            if stored is not None and not _is_free(stored["_source"]):
                left = stored["_source"]["until"] - time.time()
                holder = stored["_source"]["holder"]
                raise StoreLockedError(
                    f"'{self._index.name}' is being written by {holder}, whose lease ends in {left:.0f} s unless renewed.",
                    f"{holder} (where it was killed, its lease ends in {left:.0f} s)",
                )
            try:
                return (yield from self._put(self._holder(), stored))
            except StoreRequestError as error:
                pause = next(pauses, None) if error.status == CONFLICT else None
                if pause is None:
                    raise
                yield Sleep(pause)  # another process was faster; the next read names it

    def _read(self) -> Program[JsonObject | None]:
        stored = yield from self._index.send_if_exists(self._path)
        return stored if stored is not None and stored.get("found") else None

    def _put(self, source: JsonObject, version: JsonObject | None) -> Program[JsonObject]:
        condition = {"op_type": "create"}
        if version is not None:
            condition = {"if_seq_no": version["_seq_no"], "if_primary_term": version["_primary_term"]}
        answer: JsonObject = yield from self._index.send("PUT", self._path, source, condition)
        return answer

    def _holder(self) -> JsonObject:
        until = time.time() + self._seconds
        process = {"holder": _process_name(), "machine": _machine(), "pid": os.getpid()}
        return {"id": self._id, **process, "token": self._token, "until": until}

    def _renew(self) -> None:
        try:
            self._version = self._execute(self._put(self._holder(), self._version))
        except StoreRequestError as error:
            if error.status != CONFLICT:
                raise
            stored = self._execute(self._read())
            if stored is not None and stored["_source"].get("token") == self._token:  # the answer to a renewal was lost
                self._version = stored
                return
            self._lost = DocumentStoreError(
                f"The lease to write to '{self._index.name}' is lost: the cluster did not answer for so long that another "
                "process has acquired it. Run the same command again."
            )
            raise self._lost from error

    def _renew_until(self, released: threading.Event) -> None:
        while not released.wait(self._seconds / 3):
            with self._lock, suppress(DocumentStoreError):  # the next `check` raises it
                if self._lost is None and not released.is_set():
                    self._renew()

    def _execute(self, program: Program[T]) -> T:
        return execute(program, self._transport)


def _process_name() -> str:
    try:
        user = f" of {getpass.getuser()}"
    except (KeyError, OSError):
        user = ""
    return f"process {os.getpid()}{user} on {socket.gethostname()}"


def _machine() -> str:
    """Return the scope of process ids: containers may share the name of a machine."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _is_free(holder: JsonObject) -> bool:
    if holder.get("until", 0.0) <= time.time():
        return True
    if holder.get("machine") != _machine():
        return False
    return not _is_running(holder["pid"])


def _is_running(pid: int) -> bool:
    """Return False for a process of this machine that has certainly ended."""
    if sys.platform == "win32":
        return True  # there, signal 0 is a Ctrl-C; the lease expires
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True
