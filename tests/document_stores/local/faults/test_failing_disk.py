"""A call to the disk that fails, for each call: a clear error or none, nothing lost, and the store
goes on.
"""

import ctypes
import errno
import os
import random
import re
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import DocumentStoreError, StoreWriteError
from tests.document_stores.faces import named
from tests.document_stores.local.faults.layers import Call, Tap, tapped
from tests.document_stores.local.faults.rounds import LONG, sample, seeds
from tests.document_stores.local.faults.worker import processes
from tests.document_stores.local.faults.workload import (
    KINDS,
    Step,
    after,
    answers,
    apply,
    fresh,
    small_limits,
    states,
    steps,
    verify,
)

# SQLite goes on in spite of some errors; apsw then tells them this way.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

_KINDS = KINDS | {"rebuild": 1, "compact": 1, "release": 2, "reopen": 2, "search": 4, "backup": 2}


class Failing(Tap):
    """Lets calls fail: from the n-th on, some calls."""

    def __init__(self, at: int, how_many: float, code: int) -> None:
        self.count, self._at, self._how_many, self._code = 0, at, how_many, code
        self.failed: Call | None = None

    def before(self, call: Call) -> None:
        self.count += 1
        if self._at <= self.count < self._at + self._how_many:
            self.failed = self.failed or call._replace(data=b"")
            raise OSError(self._code, os.strerror(self._code), call.path)

    def mend(self) -> None:
        """Let no call fail any more."""
        self._at = self.count + 1_000_000


def _is_clear(error: BaseException, folder: Path) -> bool:
    return isinstance(error, DocumentStoreError) and str(folder) in str(error) and str(error).endswith(".")


def _tried(kind: type[LocalDocumentStore], folder: Path, todo: list[Step], tap: Failing, where: str) -> None:
    """Run steps of which one fails; continue in the same process, and check the documents."""
    possible, store = [{}], None
    for step in todo:
        try:
            store = kind(folder) if store is None else store
            store = apply(store, step)
        except Exception as error:  # noqa: BLE001 (the kind of error is checked)
            assert _is_clear(error, folder), f"{where}: {tap.failed} gives {error!r}"  # noqa: PT017 (an error may come or not)
            assert not list(folder.parent.glob(f"{folder.name}-copy{step.mark}")), f"{where}: a part of a copy is left"
            possible += [after(state, step) for state in possible]
            store = store if store is not None and store._close.alive else None
            break
        possible = [after(state, step) for state in possible]
    tap.mend()
    store = kind(folder) if store is None else store
    found = {document.id: document for document in store.filter_documents()}
    assert any(list(found.items()) == list(state.items()) for state in possible), f"{where}: {tap.failed}"
    assert answers(store) == answers(fresh(found.values())), f"{where}: {tap.failed}"
    extra = Document(id="x", content="apple extra", meta={"group": 3})
    store.write_documents([extra])
    found["x"] = extra
    assert answers(store) == answers(fresh(found.values())), f"{where}: {tap.failed}"
    assert store.check() == [], f"{where}: {tap.failed}"
    store.close()
    verify(folder, [found], f"{where}: {tap.failed}")


def _calls(place: Path, todo: list[Step]) -> int:
    tap = Failing(0, 0, 0)
    with tapped(tap) as kind:
        store: Any = kind(place)
        for step in todo:
            store = apply(store, step)
        store.close()
    return tap.count


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC], ids=["error", "full"])
@pytest.mark.parametrize("how_many", [1, float("inf")], ids=["once", "from then on"])
@pytest.mark.parametrize("seed", seeds(1, 1))
def test_a_failing_call_raises_a_clear_error_and_loses_nothing(tmp_path, seed, how_many, code):
    todo, chance = steps(seed, 30, _KINDS), random.Random(seed + int(how_many == 1))
    for number in sample(range(1, _calls(tmp_path / "counted", todo)), 7, 1000, chance):
        tap = Failing(number, how_many, code)
        with tapped(tap) as kind:
            _tried(kind, tmp_path / f"kb{number}", todo, tap, f"seed {seed}, call {number}")


@pytest.mark.parametrize("kind", ["write", "backup", "rebuild", "compact", "release", "delete"])
def test_each_call_of_one_change_may_fail(tmp_path, kind):
    todo = [*steps(5, 1, {"write": 1}), *steps(6, 1, {"bulk": 1}), *steps(7, 1, {kind: 1})]
    first, end = _calls(tmp_path / "before", todo[:-1]), _calls(tmp_path / "counted", todo)
    for number in range(first - 10, end + 1, 1 if LONG else 6):
        tap = Failing(number, 1, errno.EIO if number % 2 else errno.ENOSPC)
        with tapped(tap) as tried:
            _tried(tried, tmp_path / f"kb{number}", todo, tap, f"{kind}, call {number}")


# --- calls of the system --------------------------------------------------------------------------

_SIGNATURES: dict[str, Any] = {  # system calls of SQLite for shared memory, which no file layer sees
    "open": (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
    "pwrite64": (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long),
    "ftruncate": (ctypes.c_int, ctypes.c_int, ctypes.c_long),
    "mmap": (ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long),
}


@contextmanager
def _failing_shared_memory(name: str, at: int, code: int) -> Iterator[list[str]]:
    """Let the n-th call of a name for the file of shared memory fail."""
    kind = ctypes.CFUNCTYPE(*_SIGNATURES[name], use_errno=True)
    unix = apsw.VFS("", "")
    usual = unix.xGetSystemCall(name)
    call, calls = kind(usual), list[str]()

    @kind
    def hook(*arguments: Any) -> int:
        if name == "open":
            path = os.fsdecode(arguments[0])
        else:
            path = str(Path(f"/proc/self/fd/{arguments[4 if name == 'mmap' else 0]}").readlink())
        if path.endswith("-shm"):
            calls.append(path)
            if len(calls) == at:
                ctypes.set_errno(code)
                return -1
        result = call(*arguments)
        return -1 if result is None else result

    unix.xSetSystemCall(name, ctypes.cast(hook, ctypes.c_void_p).value)
    try:
        yield calls
    finally:
        unix.xSetSystemCall(name, usual)


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EACCES, errno.ENOMEM])
@pytest.mark.parametrize(
    ("name", "at"), [("open", 1), ("open", 2), ("pwrite64", 1), ("pwrite64", 3), ("ftruncate", 1), ("mmap", 1)]
)
def test_failing_shared_memory_raises_a_clear_error_and_loses_nothing(tmp_path, name, at, code):
    todo = [Step("write", tuple(named("a", "b", meta={"group": 1}))), Step("search"), Step("delete", ids=("a",))]
    done = 0
    with _failing_shared_memory(name, at, code) as calls:
        try:
            with LocalDocumentStore(tmp_path / "kb") as store:
                for step in todo:
                    apply(store, step)
                    done += 1
        except DocumentStoreError as error:
            assert _is_clear(error, tmp_path / "kb"), repr(error)  # noqa: PT017 (an error may come or not)
    assert len(calls) >= at or (name, at) == ("open", 2)
    verify(tmp_path / "kb", states({}, todo)[done : done + 2], f"{name} {at} {code}")


# --- a full disk ----------------------------------------------------------------------------------


def _work_with_small_files(folder: Path, largest: int, sender: Any) -> None:
    """Write until a file would become larger than allowed; then have more room, and write on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that the call fails
    with small_limits(), LocalDocumentStore(folder) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
        written, failure = 0, ""
        while not failure:
            batch = [Document(id=f"{written}-{number}", content="apple " * 40) for number in range(30)]
            try:
                store.write_documents(batch)
                written += 1
            except StoreWriteError as error:
                failure = str(error)
        found = (store.count_documents(), len(store.bm25_retrieval("apple", top_k=1_000_000)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        store.write_documents(named("room again"))
        sender.send((written, failure, found))


@pytest.mark.parametrize("largest", [100_000, 300_000, 1_000_000])
def test_a_full_disk_raises_a_clear_error_and_loses_nothing(tmp_path, largest):
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=_work_with_small_files, args=(tmp_path / "kb", largest, sender))
    process.start()
    sender.close()
    written, failure, found = receiver.recv()
    process.join()
    assert re.search(r"documents\.db': the disk .*write that did not return|make room", failure)
    assert found == (30 * written, 30 * written)
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert store.count_documents() == 30 * written + 1
        assert [each.id for each in store.bm25_retrieval("room")] == ["room again"]
        assert store.check() == []
