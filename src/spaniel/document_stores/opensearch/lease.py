"""One at a time on a cluster: a document that says who is writing, and until when."""

import getpass
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.transport.connection import Connection
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import DocumentStoreError, StoreLockedError, StoreRequestError
from spaniel.runtime import Program, Sleep, execute

SECONDS = 30.0
"""How long a lease holds that is not renewed: whoever comes after a crash on another machine waits so long."""
_CONFLICT, _MISSING = 409, 404
_WAIT = 2.0  # seconds for a renewal under way, when the turn is given back


class Lease:
    """The turn to write, taken by one process at a time, and renewed by a thread until it is given back.

    The server lets only one of several takers have it (a document is created, or replaced in the version that was read).
    A lease that was not renewed in time is free; so is one of a process that is gone from this machine. Whether the time
    is over is judged by the clock of this machine: clocks may differ by less than `SECONDS`.

    :param connection: to the cluster.
    :param index: where the document is kept.
    :param id: of the document.
    """

    def __init__(self, connection: Connection, index: Index, id: str, seconds: float = SECONDS) -> None:
        self._connection, self._index, self._path = connection, index, index.path(f"_doc/{id}")
        self._seconds = seconds
        self._version: dict[str, Any] | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()
        self._lost: DocumentStoreError | None = None
        self._id, self._token = id, ""

    def take(self) -> None:
        """Have the turn.

        :raises StoreLockedError: another process has it.
        """
        self._token = os.urandom(16).hex()
        self._ask(self._index.written())
        self._version, self._lost = self._ask(self._taken()), None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, args=(self._ended,), name="spaniel-lease", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Make sure that this process still has its turn.

        :raises DocumentStoreError: it was too long without an answer from the cluster, so another may have it by now.
        """
        with self._turn:
            if self._lost is not None:
                raise self._lost
            self._renewed()

    def give_back(self) -> None:
        """Let others have the turn."""
        self._ended.set()
        self._thread = None  # it ends after its request, for which nobody waits
        if not self._turn.acquire(timeout=_WAIT):
            return  # the cluster does not answer the renewal, so it would not answer this; the turn ends by itself
        try:
            with suppress(DocumentStoreError):
                if self._version is not None and self._lost is None:
                    self._ask(self._put({"id": self._id, "until": 0.0}, self._version))
                self._version = None
        finally:
            self._turn.release()

    def version(self) -> tuple[int, int] | None:
        """Return a value that is another one when somebody has had the turn since; None before anybody had."""
        found = self._ask(self._read())
        return None if found is None else (found["_primary_term"], found["_seq_no"])

    def _taken(self) -> Program[dict[str, Any]]:
        pauses = self._index.patience.pauses()
        while True:
            found = yield from self._read()
            if found is not None and found["_source"].get("token") == self._token:
                return found  # the answer to the write was lost
            if found is not None and not _is_free(found["_source"]):
                left = found["_source"]["until"] - time.time()
                holder = found["_source"]["holder"]
                raise StoreLockedError(
                    f"'{self._index.name}' is being written by {holder}, whose turn ends in {left:.0f} s unless it goes on.",
                    f"{holder} (where it was killed, its turn ends in {left:.0f} s)",
                )
            try:
                return (yield from self._put(self._mine(), found))
            except StoreRequestError as error:
                pause = next(pauses, None) if error.status == _CONFLICT else None
                if pause is None:
                    raise
                yield Sleep(pause)  # somebody was faster; what they wrote says who

    def _read(self) -> Program[dict[str, Any] | None]:
        try:
            found: dict[str, Any] = yield from answered(Ask("GET", self._path), self._index.patience)
        except StoreRequestError as error:
            if error.status != _MISSING:
                raise
            return None
        return found if found.get("found") else None

    def _put(self, source: dict[str, Any], version: dict[str, Any] | None) -> Program[dict[str, Any]]:
        """Write the document, if it is in the version that was read."""
        condition: dict[str, Any] = {"op_type": "create"}
        if version is not None:
            condition = {"if_seq_no": version["_seq_no"], "if_primary_term": version["_primary_term"]}
        answer: dict[str, Any] = yield from answered(Ask("PUT", self._path, source, condition), self._index.patience)
        return answer

    def _mine(self) -> dict[str, Any]:
        until = time.time() + self._seconds
        who = {"holder": _name(), "machine": _machine(), "pid": os.getpid()}
        return {"id": self._id, **who, "token": self._token, "until": until}

    def _renewed(self) -> None:
        try:
            self._version = self._ask(self._put(self._mine(), self._version))
        except StoreRequestError as error:
            if error.status != _CONFLICT:
                raise
            found = self._ask(self._read())
            if found is not None and found["_source"].get("token") == self._token:  # an answer of ours was lost
                self._version = found
                return
            self._lost = DocumentStoreError(
                f"The turn to write to '{self._index.name}' is lost: the cluster did not answer for so long that another "
                "process has taken it. Run the same command again."
            )
            raise self._lost from error

    def _renew(self, ended: threading.Event) -> None:
        while not ended.wait(self._seconds / 3):
            with self._turn, suppress(DocumentStoreError):  # the next `check` tells
                if self._lost is None and not ended.is_set():
                    self._renewed()

    def _ask(self, steps: Program[Any]) -> Any:
        return execute(steps, self._connection)


def _name() -> str:
    try:
        user = f" of {getpass.getuser()}"
    except (KeyError, OSError):
        user = ""
    return f"process {os.getpid()}{user} on {socket.gethostname()}"


def _machine() -> str:
    """Return what tells whether a process id means the same here: containers may share the name of a machine."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _is_free(held: dict[str, Any]) -> bool:
    if held.get("until", 0.0) <= time.time():
        return True
    if held.get("machine") != _machine():
        return False
    return not _runs(held["pid"])


def _runs(pid: int) -> bool:
    """Return whether a process of this machine runs, as far as can be told."""
    if sys.platform == "win32":
        return True  # there, a signal 0 is a Ctrl-C; the turn ends by itself
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
