"""Damaged, missing or foreign files: the index is built again, a damaged database is reported."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import DocumentStoreError, StoreFileError
from tests.document_stores.faces import named
from tests.document_stores.local.faults.rounds import LONG, SEED, sample
from tests.document_stores.local.faults.workload import answers, apply, fresh, small_limits, steps, verify


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> tuple[Path, dict]:
    """A small store that no test changes, and its documents."""
    folder = tmp_path_factory.mktemp("kept") / "kb"
    with small_limits():
        store = LocalDocumentStore(folder)
        for step in steps(7, 14, {"write": 5, "delete": 1, "update_by": 1}):
            store = apply(store, step)
        state = {document.id: document for document in store.filter_documents()}
        store.close()
    return folder, state


@pytest.fixture
def copied(kept, tmp_path) -> Callable[[], Path]:
    """Gives a copy of the store, which is another one each time."""

    def copy() -> Path:
        shutil.rmtree(tmp_path / "kb", ignore_errors=True)
        return Path(shutil.copytree(kept[0], tmp_path / "kb"))

    return copy


def _index_files(folder: Path) -> list[Path]:
    return sorted((folder / "index").iterdir())


# --- the index ------------------------------------------------------------------------------------


def _harms(data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes | None]]:
    """Yield damaged contents of a file: cut to each length, with each bit flipped, or replaced."""
    for length in sample(range(len(data)), 20, 1000, chance):
        yield f"cut to {length}", data[:length]
    for bit in sample(range(8 * len(data)), 30, 2000, chance):
        yield f"bit {bit}", data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]
    for start in sample(range(0, len(data), 64), 5, 100, chance):
        yield f"zeros at {start}", data[:start] + bytes(len(data[start : start + 64])) + data[start + 64 :]
    yield "missing", None
    yield "empty", b""
    yield "longer", data + b"\0"
    yield "twice", data + data
    yield "foreign", b"something else " * 100
    yield "random", chance.randbytes(len(data))


@pytest.mark.parametrize("suffix", ["manifest", ".segment", ".terms"])
def test_an_index_file_that_is_damaged_in_any_way_is_built_again(kept, copied, suffix):
    chance = random.Random(SEED)
    folder = copied()
    original = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    path = max(
        (path for path in _index_files(folder) if path.name.endswith(suffix)), key=lambda path: path.stat().st_size
    )
    right = answers(fresh(kept[1].values()))
    for harm, harmed in _harms(original[path], chance):
        if harmed is None:
            path.unlink()
        else:
            path.write_bytes(harmed)
        with LocalDocumentStore(folder) as store:
            assert answers(store) == right, f"{path.name}: {harm}"
            problems = store.check()
            assert all(problem.startswith("index: ") for problem in problems), f"{path.name}: {harm}"
        path.write_bytes(original[path])
        if harm in ("missing", "random") or (LONG and chance.random() < 0.02):  # a writer puts a whole index there
            path.unlink()
            path.write_bytes(harmed or b"")
            verify(folder, [kept[1]], f"{path.name}: {harm}", index_is_whole=False)
            folder = copied()


def test_index_files_in_each_others_places_are_built_again(kept, copied):
    chance = random.Random(SEED)
    for number in range(40 if LONG else 6):
        folder = copied()
        paths = (
            [path for path in _index_files(folder) if path.name != "manifest"] if number % 2 else _index_files(folder)
        )
        one, other = chance.sample(paths, 2)
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
        verify(folder, [kept[1]], f"{one.name} and {other.name}", index_is_whole=False, thorough=number < 2)


def test_an_index_that_is_a_file_or_full_of_folders_does_not_matter(kept, copied):
    folder = copied()
    shutil.rmtree(folder / "index")
    (folder / "index").write_bytes(b"no folder")
    with LocalDocumentStore(folder) as store:
        assert answers(store) == answers(fresh(kept[1].values()))
        store.write_documents(named(*(f"new{number}" for number in range(60))))
        assert [each.id for each in store.bm25_retrieval("new5")] == ["new5"]
    folder = copied()
    for path in _index_files(folder):
        path.unlink()
        path.mkdir()
    with LocalDocumentStore(folder) as store:
        assert answers(store) == answers(fresh(kept[1].values()))
        store.write_documents(named(*(f"new{number}" for number in range(60))))
        assert [each.id for each in store.bm25_retrieval("new5")] == ["new5"]


# --- the database ---------------------------------------------------------------------------------


def _is_reported(folder: Path, right: list, where: str) -> bool:
    """Check that a store is read correctly or reported as damaged; return if it is reported."""
    try:
        with LocalDocumentStore(folder) as store:
            found = answers(store)
            problems = store.check()
    except StoreFileError as error:
        assert str(folder) in str(error), f"{where}: {error}"  # noqa: PT017 (an error may come or not)
        return True
    assert found == right or problems, f"{where}: it is damaged, and nothing reports it"
    return bool(problems)


def test_reports_a_database_that_is_cut_off(kept, copied):
    folder, chance = copied(), random.Random(SEED)
    file, right = folder / "documents.db", answers(fresh(kept[1].values()))
    data = file.read_bytes()
    for length in [*sample(range(1, len(data)), 25, 500, chance), len(data) - 2]:
        file.write_bytes(data[:length])
        assert _is_reported(folder, right, f"cut to {length}"), length


def test_flipped_bytes_of_a_database_raise_only_store_errors(kept, copied):
    """SQLite has no checksums: a letter of a text may be another. But nothing fails in another way,
    and the index fits.
    """
    folder, chance = copied(), random.Random(SEED)
    file = folder / "documents.db"
    data = file.read_bytes()
    reported = 0
    for bit in sample(range(8 * len(data)), 40, 1500, chance):
        file.write_bytes(data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :])
        try:
            with LocalDocumentStore(folder) as store:
                found = store.filter_documents()
                answers(store)
                store.check()
            assert isinstance(found, list)
        except DocumentStoreError as error:
            assert str(folder) in str(error), f"bit {bit}: {error}"  # noqa: PT017 (an error may come or not)
            reported += 1
    for page in sample(range(0, len(data), 4096), 8, 1000, chance):
        file.write_bytes(data[:page] + chance.randbytes(4096) + data[page + 4096 :])
        assert _is_reported(folder, [], f"page {page}")


@pytest.mark.parametrize(
    ("put", "error", "message"),
    [
        (lambda file: file.write_bytes(b"notes " * 1000), StoreFileError, "is not a database.*backup"),
        (lambda file: file.write_bytes(b"SQLite format 3\0" + b"\0" * 4080), StoreFileError, "backup|not a store"),
        (lambda file: file.mkdir(), DocumentStoreError, "is a folder"),
    ],
    ids=["text", "zeros", "folder"],
)
def test_rejects_a_file_that_is_not_a_store(copied, put, error, message):
    folder = copied()
    (folder / "documents.db").unlink()
    put(folder / "documents.db")
    with pytest.raises(error, match=message):
        LocalDocumentStore(folder)


def test_a_log_with_other_bytes_loses_the_end_but_nothing_before(tmp_path):
    """Each transaction of the log has a checksum: transactions after the damage are rolled back."""
    with LocalDocumentStore(tmp_path / "kb") as store:
        for name in "abcdef":
            store.write_documents(named(name))
        database, log = [(tmp_path / "kb" / name).read_bytes() for name in ("documents.db", "documents.db-wal")]
    chance = random.Random(SEED)
    for position in sample(range(len(log)), 25, 1000, chance):
        folder = tmp_path / f"kb{position}"
        folder.mkdir()
        (folder / "documents.db").write_bytes(database)
        (folder / "documents.db-wal").write_bytes(log[:position] + bytes([log[position] ^ 16]) + log[position + 1 :])
        with LocalDocumentStore(folder) as store:
            assert "".join(store.storage) in "abcdef"
            assert store.check() == []
        shutil.rmtree(folder)


def test_exports_the_readable_documents_of_a_damaged_database(tmp_path, caplog):
    documents = [Document(id=f"{n}", content=f"apple n{n} " * 20, meta={"k": n}) for n in range(300)]
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(documents)
    file = tmp_path / "kb" / "documents.db"
    data, reported, most = file.read_bytes(), 0, 0
    for page in range(0, len(data), 4096 * (1 if LONG else 3)):
        file.write_bytes(data[:page] + b"\x55" * 4096 + data[page + 4096 :])
        try:
            with LocalDocumentStore(tmp_path / "kb") as store:
                count = store.export(tmp_path / "left.jsonl", skip_damaged=True)
        except StoreFileError as error:  # the page is needed to open it
            assert str(file) in str(error)  # noqa: PT017 (an error may come or not)
            continue
        with LocalDocumentStore(tmp_path / f"new{page}") as new:
            assert new.import_(tmp_path / "left.jsonl") == count
            assert all(document in documents for document in new.filter_documents())
        reported += count < 300
        most = max(most, count)
    assert reported > 5
    assert most > 250
    assert "could not be read" in caplog.text


def test_an_export_of_a_damaged_database_without_leave_raises_and_writes_nothing(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents([Document(id=f"{n}", content=f"apple n{n} " * 20) for n in range(300)])
    file = tmp_path / "kb" / "documents.db"
    data = file.read_bytes()
    middle = len(data) // 2 // 4096 * 4096
    file.write_bytes(data[:middle] + b"\x55" * 4096 + data[middle + 4096 :])
    with (
        LocalDocumentStore(tmp_path / "kb") as store,
        pytest.raises(StoreFileError, match=r"is damaged.*skip_damaged=True"),
    ):
        store.export(tmp_path / "left.jsonl")
    assert not (tmp_path / "left.jsonl").exists()


def test_rejects_a_newer_format_without_changes(copied):
    folder = copied()
    data = bytearray((folder / "documents.db").read_bytes())
    data[60:64] = (7).to_bytes(4, "big")  # PRAGMA user_version
    (folder / "documents.db").write_bytes(data)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(StoreFileError, match=r"format 7, but this version of Spaniel reads format 3\."):
        LocalDocumentStore(folder)
    assert {path: path.read_bytes() for path in before} == before
