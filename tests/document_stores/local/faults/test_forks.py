"""A process forks while it has a store open: both go on, each with files of its own."""

import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import StoreLockedError
from tests.document_stores.faces import named
from tests.document_stores.local.faults.worker import processes


def _fork(child: Callable[[], object]) -> Callable[[], int]:
    """Run a function in a fork, and return a function that waits for its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            child()
            code = 0
        finally:
            os._exit(code)
    return lambda: os.waitpid(pid, 0)[1]


class _Signals:
    """Two processes that alternate."""

    def __init__(self) -> None:
        self._pipes: dict[str, tuple[int, int]] = {name: os.pipe() for name in ("a", "b", "c")}

    def tell(self, name: str) -> None:
        os.write(self._pipes[name][1], b"!")

    def wait(self, name: str) -> None:
        assert os.read(self._pipes[name][0], 1) == b"!"


def _in_its_own_process(scene: Callable[[Path], None], folder: Path) -> None:
    """Forks are tried where no other thread is."""
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=_played, args=(scene, folder, sender))
    process.start()
    sender.close()
    assert receiver.recv() == "done"
    process.join()
    with LocalDocumentStore(folder) as store:
        assert store.check() == []


def _played(scene: Callable[[Path], None], folder: Path, sender: Connection) -> None:
    try:
        scene(folder)
        sender.send("done")
    except BaseException as error:
        sender.send(repr(error))
        raise


def _parent_closes_while_the_fork_works(folder: Path) -> None:
    store, signals = LocalDocumentStore(folder), _Signals()
    store.write_documents(named("a"))
    assert store.bm25_retrieval("a")

    def child() -> None:
        assert [each.id for each in store.bm25_retrieval("a")] == ["a"]
        signals.tell("a")
        signals.wait("b")
        other = LocalDocumentStore(folder)
        other.write_documents(named("b"))
        assert [each.id for each in store.bm25_retrieval("a b")] == ["a", "b"]
        other.write_documents(named("c"))
        assert store.count_documents() == other.count_documents() == 3
        other.close()
        store.close()

    wait = _fork(child)
    signals.wait("a")
    store.close()
    signals.tell("b")
    assert wait() == 0
    with LocalDocumentStore(folder) as again:
        assert list(again.storage) == ["a", "b", "c"]


def _fork_closes_while_the_parent_works(folder: Path) -> None:
    store = LocalDocumentStore(folder)
    store.write_documents(named("a"))
    store.release()

    def child() -> None:
        assert store.bm25_retrieval("a")
        with LocalDocumentStore(folder) as own:
            own.write_documents(named("b"))
        store.close()

    assert _fork(child)() == 0
    assert [each.id for each in store.bm25_retrieval("a b")] == ["a", "b"]
    store.write_documents(named("c"))
    assert list(store.storage) == ["a", "b", "c"]
    store.close()


def _forked_before_the_store_is_opened(folder: Path) -> None:
    signals = _Signals()

    def child() -> None:
        signals.wait("a")
        with LocalDocumentStore(folder) as store:
            assert list(store.storage) == ["a"]
            hurried = LocalDocumentStore(folder, timeout=0)
            with pytest.raises(StoreLockedError):
                hurried.write_documents(named("b"))
            hurried.close()
            signals.tell("b")
            signals.wait("c")
            store.write_documents(named("b"))

    wait = _fork(child)
    with LocalDocumentStore(folder) as store:
        store.write_documents(named("a"))
        with store.transaction():
            signals.tell("a")
            signals.wait("b")
    signals.tell("c")
    assert wait() == 0
    with LocalDocumentStore(folder) as store:
        assert list(store.storage) == ["a", "b"]


def _a_fork_of_a_fork(folder: Path) -> None:
    store = LocalDocumentStore(folder)
    store.write_documents(named("a"))
    store.release()

    def grandchild() -> None:
        with LocalDocumentStore(folder) as own:
            own.write_documents(named("c"))
        store.close()

    def child() -> None:
        with LocalDocumentStore(folder) as own:
            own.write_documents(named("b"))
            assert _fork(grandchild)() == 0
            assert list(store.storage) == list(own.storage) == ["a", "b", "c"]
            own.write_documents(named("d"))
        store.close()

    assert _fork(child)() == 0
    assert sorted(each.id for each in store.bm25_retrieval("a b c d")) == ["a", "b", "c", "d"]
    store.close()


def _inside_a_transaction(folder: Path) -> None:
    store = LocalDocumentStore(folder)
    store.write_documents(named("a"))
    with store.transaction():
        store.write_documents(named("b"))
        assert _fork(store.count_documents)() == 0
        store.write_documents(named("c"))
    assert list(store.storage) == ["a", "b", "c"]
    store.close()


def _beside_threads_that_read(folder: Path) -> None:
    store, stop, failures = LocalDocumentStore(folder), threading.Event(), []
    store.write_documents([Document(id=str(number), content="apple") for number in range(200)])

    def read() -> None:
        try:
            while not stop.is_set():
                assert len(store.bm25_retrieval("apple", top_k=1000)) % 200 == 0
                assert store.count_documents() % 200 == 0
        except Exception as error:  # noqa: BLE001 (any is a failure)
            failures.append(error)

    def child() -> None:
        assert store.count_documents() == 200
        assert len(store.bm25_retrieval("apple", top_k=1000)) == 200
        with pytest.raises(StoreLockedError):
            store.write_documents(named("x"))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        assert _fork(child)() == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    store.write_documents(named("last"))
    store.close()


@pytest.mark.parametrize(
    "scene",
    [
        _parent_closes_while_the_fork_works,
        _fork_closes_while_the_parent_works,
        _forked_before_the_store_is_opened,
        _a_fork_of_a_fork,
        _inside_a_transaction,
        _beside_threads_that_read,
    ],
    ids=lambda scene: scene.__name__.strip("_"),
)
def test_forks(tmp_path, scene):
    _in_its_own_process(scene, tmp_path / "kb")
