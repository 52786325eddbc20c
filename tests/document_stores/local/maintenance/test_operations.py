"""A store is checked, rebuilt, compacted, copied, exported and imported as a whole."""

import json
import threading
from datetime import date

import apsw
import pytest

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.locking import folder_state
from spaniel.errors import DocumentStoreError, DuplicateDocumentError, StoreFileError
from tests.document_stores.faces import equal, ids_of, named
from tests.document_stores.local.processes import another_process

FULL = [
    Document(id="a", content="red apple", meta={"at": date(2024, 5, 1), "tags": ("x", "ü")}, embedding=[0.1, 2.0]),
    Document(id="b", blob=ByteStream(b"\0\xff", {"k": 1}, "image/png"), sparse_embedding=SparseEmbedding([3], [0.5])),
    Document(id="c", content="line\nbreak \ud800", score=0.25),
]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_state, "_MAX_TAIL", 20)
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(FULL)
        for first in range(0, 100, 10):
            store.write_documents(named(*(f"n{n}" for n in range(first, first + 10))))
        store.delete_documents([f"n{n}" for n in range(0, 100, 3)])
        store.update_by_filter(equal("id", "n1"), {"k": 1})
        yield store


def database(store) -> apsw.Connection:
    return apsw.Connection(str(store._state.database.file))


# --- check ----------------------------------------------------------------------------------------


def test_an_intact_store_has_no_problems(store, tmp_path):
    assert store.check() == []
    assert LocalDocumentStore(tmp_path / "empty").check() == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("UPDATE state SET documents = documents + 1", r"there are \d+ documents, but \d+ are noted"),
        ("UPDATE state SET next_slot = 5", r"slot \d+ is taken"),
        ("UPDATE nodes SET updated = 999 WHERE id = 'a'", "there is a change 999"),
        ("INSERT INTO tombstones SELECT slot, 1 FROM documents WHERE id = 'a'", "1 documents are stored and noted as"),
        ("UPDATE nodes SET meta = '{' WHERE id = 'b'", "row of document 'b' is damaged"),
        ("UPDATE nodes SET searched = 0 WHERE id = 'a'", "'a' is not marked as searched"),
        ("UPDATE nodes SET content = 'other words' WHERE id = 'n1'", "terms of the document of slot"),
        (
            "DELETE FROM nodes WHERE id = 'n1'; UPDATE state SET documents = documents - 1",
            "index: its statistics are",
        ),
    ],
)
def test_check_finds_problems(store, damage, problem, tmp_path):
    store.close()
    other = apsw.Connection(str(tmp_path / "kb" / "documents.db"))
    other.execute(damage)
    other.close()
    with LocalDocumentStore(tmp_path / "kb") as again:
        found = again.check()
    assert any(__import__("re").search(problem, each) for each in found), found


def test_check_finds_damaged_index_files_and_rebuild_repairs_them(store, tmp_path):
    store.close()
    for path in (tmp_path / "kb" / "index").glob("*.segment"):
        path.write_bytes(path.read_bytes()[:-1])
    with LocalDocumentStore(tmp_path / "kb") as again:
        assert [problem for problem in again.check() if problem.startswith("index: ")]
        again.rebuild()
        assert again.check() == []
        assert ids_of(again.bm25_retrieval("apple")) == ["a"]


def test_a_damaged_page_is_found(store, tmp_path):
    store.write_documents([Document(id=f"m{n}", content="x" * 3000) for n in range(50)])
    store.close()
    file = tmp_path / "kb" / "documents.db"
    data = bytearray(file.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\x55" * 4096
    file.write_bytes(data)
    with LocalDocumentStore(tmp_path / "kb") as again:
        assert again.check()


# --- rebuild and compact --------------------------------------------------------------------------


def test_a_rebuilt_index_is_the_same(store):
    before = [(each.id, each.score) for each in store.bm25_retrieval("n1 apple n5")]
    store.rebuild()
    assert [(each.id, each.score) for each in store.bm25_retrieval("n1 apple n5")] == before
    store.write_documents(named("new"))
    assert ids_of(store.bm25_retrieval("new")) == ["new"]
    assert store.check() == []


def room_of(store) -> int:
    return sum(path.stat().st_size for path in store._state.folder_state.folder.glob("documents.db*"))


def test_compacting_frees_space_and_changes_nothing_else(store, tmp_path):
    reader = another_process(tmp_path / "kb")
    assert ids_of(reader.bm25_retrieval("n1")) == ["n1"]
    store.write_documents([Document(id=f"m{n}", content="long " * 1000) for n in range(300)])
    store.delete_documents([f"m{n}" for n in range(300)])
    before = store.filter_documents()
    size = room_of(store)

    store.compact()

    assert room_of(store) < size / 10
    assert store.filter_documents() == reader.filter_documents() == before
    assert ids_of(reader.bm25_retrieval("long n1")) == ["n1"]
    assert database(store).execute("SELECT count(*) FROM tombstones").fetchall() == [(0,)]
    store.delete_documents(["n1"])
    assert reader.bm25_retrieval("n1") == []
    assert store.check() == []
    reader.close()


# --- backup ---------------------------------------------------------------------------------------


def test_a_backup_is_a_store_of_its_own(store, tmp_path):
    before = store.filter_documents()
    store.records["k"] = [1]
    store.backup(tmp_path / "copy")
    store.write_documents(named("later"))
    with LocalDocumentStore(tmp_path / "copy") as copy:
        assert copy.filter_documents() == before
        assert dict(copy.records) == {"k": [1]}
        assert ids_of(copy.bm25_retrieval("apple")) == ["a"]
        copy.write_documents(named("own"))
        assert copy.check() == []
    assert [path.name for path in tmp_path.glob("copy/documents.db*")] == ["documents.db"]
    assert store.count_documents() == len(before) + 1


def test_a_backup_beside_a_writer_is_of_one_state(store, tmp_path):
    done = threading.Event()

    def write():
        number = 0
        while not done.is_set():
            store.write_documents(named(f"x{number}", f"y{number}"))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            store.backup(tmp_path / f"copy{number}")
    finally:
        done.set()
        writer.join()
    for number in range(5):
        with LocalDocumentStore(tmp_path / f"copy{number}") as copy:
            ids = set(ids_of(copy.filter_documents()))
            assert {id[1:] for id in ids if id[0] == "x"} == {id[1:] for id in ids if id[0] == "y"}
            assert copy.check() == []


def test_rejects_a_backup_to_a_folder_with_files(store, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").touch()
    for path in (tmp_path / "full", tmp_path / "full" / "notes"):
        with pytest.raises(DocumentStoreError, match="is there already"):
            store.backup(path)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes"]


# --- export and import ----------------------------------------------------------------------------


def test_an_export_can_be_imported(store, tmp_path):
    seen = []
    assert store.export(tmp_path / "all.jsonl", progress=seen.append) == store.count_documents() == seen[-1]
    with LocalDocumentStore(tmp_path / "other", search="all") as other:
        assert other.import_(tmp_path / "all.jsonl") == store.count_documents()
        assert other.filter_documents() == store.filter_documents()
        with pytest.raises(DuplicateDocumentError):
            other.import_(tmp_path / "all.jsonl")
        assert other.import_(tmp_path / "all.jsonl", "overwrite") == store.count_documents()


def test_other_programs_read_an_export(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents([Document(id="a", content="Straße", meta={"year": 2020}), Document(id="b")])
        store.export(tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    assert lines == [{"id": "a", "content": "Straße", "meta": {"year": 2020}}, {"id": "b"}]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": "x", "colour": 1}', '{"id": "x", "meta": [1]}', '{"content": 5}', "\xff"]
)
def test_rejects_a_line_that_is_not_a_document(tmp_path, line):
    (tmp_path / "all.jsonl").write_text('{"id": "a"}\n\n' + line + "\n", encoding="latin-1")
    with LocalDocumentStore(tmp_path / "kb") as store:
        with pytest.raises(StoreFileError, match=r"all\.jsonl, line 3, is not a document"):
            store.import_(tmp_path / "all.jsonl")
        assert store.count_documents() == 0


def test_a_failed_export_leaves_the_old_file(tmp_path):
    (tmp_path / "all.jsonl").write_text("old")

    def fail(count):
        raise RuntimeError("stop")

    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(named("a"))
        with pytest.raises(RuntimeError, match="stop"):
            store.export(tmp_path / "all.jsonl", progress=fail)
    assert (tmp_path / "all.jsonl").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "kb"]


async def test_maintenance_can_be_awaited(store, tmp_path):
    assert await store.check_async() == []
    await store.rebuild_async()
    await store.compact_async()
    await store.backup_async(tmp_path / "copy")
    count = await store.export_async(tmp_path / "all.jsonl")
    assert await store.import_async(tmp_path / "all.jsonl", "overwrite") == count
