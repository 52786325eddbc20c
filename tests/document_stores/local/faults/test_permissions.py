"""Access of a user who is not root, by the modes of the folder and its files."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import DocumentStoreError
from tests.document_stores.faces import equal, named
from tests.document_stores.local.faults.worker import processes
from tests.document_stores.local.faults.workload import small_limits

_UNPRIVILEGED_ID = 65534


def _filled(folder: Path) -> None:
    with LocalDocumentStore(folder) as store:
        for first in range(0, 100, 20):
            numbers = range(first, first + 20)
            store.write_documents(
                [Document(id=f"{n}", content=f"apple n{n}", meta={"k": n}, embedding=[1.0]) for n in numbers]
            )


@pytest.fixture
def folder() -> Iterator[Path]:
    """A store that everyone can read, in a folder that everyone can reach."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    _filled(place / "kb")
    yield place / "kb"
    for path in (place / "kb", place / "kb" / "index"):
        path.chmod(0o755)
    shutil.rmtree(place)


def _modes(folder: Path, inside: int, outside: int) -> None:
    for path in folder.rglob("*"):
        path.chmod(outside if path.is_dir() else inside)
    folder.chmod(outside)


def _run_unprivileged(use: Callable[[Path], list[str]], folder: Path) -> list[str]:
    """Return the result of a process of a user who owns nothing."""
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=_used, args=(use, folder, sender))
    process.start()
    sender.close()
    found = receiver.recv()
    process.join()
    return found


def _used(use: Callable[[Path], list[str]], folder: Path, sender: Connection) -> None:
    with small_limits(), tempfile.TemporaryDirectory() as other:
        _filled(Path(other) / "kb")
        _search(Path(other) / "kb")  # imports all modules while Python itself can be read
        if os.geteuid() == 0:
            os.setgid(_UNPRIVILEGED_ID)
            os.setuid(_UNPRIVILEGED_ID)
        try:
            sender.send(use(folder))
        except Exception as error:  # noqa: BLE001 (any is reported)
            sender.send([f"{type(error).__name__}: {error}"])
        sender.close()
        os._exit(0)


def _search(folder: Path) -> list[str]:
    with LocalDocumentStore(folder) as store:
        found = [
            [each.id for each in store.bm25_retrieval("n5")],
            [each.id for each in store.filter_documents(equal("meta.k", 7))],
            [len(store.embedding_retrieval([1.0], top_k=100))],
            store.check(),
        ]
    return [str(each) for each in found]


def _write(folder: Path) -> list[str]:
    with LocalDocumentStore(folder) as store:
        found = [str(store.count_documents())]
        try:
            store.write_documents(named("new"))
        except DocumentStoreError as error:
            found.append(f"{type(error).__name__}: {error}")
        return [*found, str(store.count_documents()), str(len(store.bm25_retrieval("apple", top_k=1000)))]


RIGHT = ["['5']", "['7']", "[100]", "[]"]


def test_a_folder_that_can_only_be_read_is_searched_and_not_touched(folder):
    _modes(folder, 0o444, 0o555)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert _run_unprivileged(_search, folder) == RIGHT
    first, message, *rest = _run_unprivileged(_write, folder)
    assert [first, *rest] == ["100", "100", "100"]
    assert message.startswith(f"StoreWriteError: '{folder}' is read-only.")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_reports_changes_of_a_dead_process_in_a_read_only_folder(folder):
    with LocalDocumentStore(folder) as store:
        store.write_documents(named("late"))
        shutil.copytree(folder, folder.with_name("killed"))
    killed = folder.with_name("killed")
    (killed / "documents.db-shm").unlink()
    _modes(killed, 0o444, 0o555)
    (message,) = _run_unprivileged(_search, killed)
    assert message.startswith(f"DocumentStoreError: '{killed}' is read-only, but changes wait in 'documents.db-wal'")

    killed.chmod(0o755)
    for path in killed.glob("documents.db*"):
        path.chmod(0o644)
    with LocalDocumentStore(killed) as store:
        store.write_documents(named("later"))
    _modes(killed, 0o444, 0o555)
    assert _run_unprivileged(_search, killed) == ["['5']", "['7']", "[100]", "[]"]
    killed.chmod(0o755)


def test_reports_changes_of_a_live_writer_in_a_read_only_folder(folder):
    with LocalDocumentStore(folder) as store:
        store.write_documents(named("late"))
        folder.chmod(0o555)
        (message,) = _run_unprivileged(_search, folder)
        folder.chmod(0o755)
    assert "changes wait in 'documents.db-wal'" in message


def test_an_index_that_can_not_be_read_is_built_again(folder):
    _modes(folder, 0o444, 0o555)
    (folder / "index").chmod(0o700)
    *found, problems = _run_unprivileged(_search, folder)
    assert found == RIGHT[:3]
    assert "Permission denied" in problems


@pytest.mark.parametrize(("name", "mode"), [("documents.db", 0o600), (".", 0o700), (".", 0o744)])
def test_reports_files_that_can_not_be_opened(folder, name, mode):
    (folder / name).chmod(mode)
    (message,) = _run_unprivileged(_search, folder)
    assert message.startswith("DocumentStoreError: ")
    assert str(folder) in message


def test_a_database_that_can_not_be_written_in_a_folder_that_can_is_searched(folder):
    _modes(folder, 0o444, 0o777)
    found = _run_unprivileged(_write, folder)
    message = [each for each in found if "Error" in each]
    assert [each for each in found if each not in message] in (["100", "100", "100"], [])
    assert message[0].split(":")[0] in ("StoreWriteError", "DocumentStoreError")
    assert str(folder) in message[0]


def test_reports_a_lock_that_can_not_be_opened(folder):
    _modes(folder, 0o666, 0o777)
    (folder / "writer.lock").chmod(0o600)
    first, message, *rest = _run_unprivileged(_write, folder)
    assert [first, *rest] == ["100", "100", "100"]
    assert message.startswith(("StoreWriteError: ", "StoreLockedError: "))
    assert str(folder) in message
