"""The index in files is opened where it fits the documents, and built again where it does not."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from spaniel import Document
from spaniel.document_stores.embedded.merger import SegmentMerger
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.files import DEFAULT_ACCESS, FileAccess, Files
from spaniel.document_stores.local.index import index_files, indexes, keyword_source
from spaniel.document_stores.local.index.keyword_source import KeywordSource
from spaniel.document_stores.local.locking import folder_state
from spaniel.errors import StoreFileError
from tests.document_stores.faces import ids_of, named
from tests.document_stores.local.processes import another_process

WORDS = ["apple", "pear", "plum", "fig"]


def documents(first: int, end: int) -> list[Document]:
    return [Document(id=f"{n}", content=f"{WORDS[n % 4]} {WORDS[n % 3]} n{n}") for n in range(first, end)]


@pytest.fixture(autouse=True)
def _sealed_often(monkeypatch):
    monkeypatch.setattr(folder_state, "_MAX_TAIL", 50)
    monkeypatch.setattr(folder_state, "_MAX_TAIL_ON_CLOSE", 1)


@pytest.fixture
def texts_read(monkeypatch):
    """Numbers of texts that were read from the database to update an index."""
    counts, read = [], KeywordSource._add_texts

    def counted(self, *arguments):
        counts.append(read(self, *arguments))
        return counts[-1]

    monkeypatch.setattr(KeywordSource, "_add_texts", counted)
    return counts


def answers(store) -> list:
    queries = ["apple", "fig plum", "n7 pear", "missing"]
    return [[(each.id, each.score) for each in store.bm25_retrieval(query, top_k=20)] for query in queries]


def expected(folder) -> list:
    """Answers of a store that has never seen an index file."""
    manifest = folder / "index" / "manifest"
    hidden = manifest.with_name("hidden")
    if manifest.exists():
        manifest.rename(hidden)
    reader = another_process(folder)
    try:
        return answers(reader)
    finally:
        reader.close()
        if hidden.exists():
            hidden.rename(manifest)


@pytest.fixture
def kb(tmp_path):
    folder = tmp_path / "kb"
    with LocalDocumentStore(folder) as store:
        for first in range(0, 300, 30):
            store.write_documents(documents(first, first + 30))
        store.delete_documents([str(n) for n in range(0, 300, 7)])
        store.write_documents(documents(10, 20), "overwrite")
        store.update_by_filter({"field": "id", "operator": "==", "value": "5"}, {"k": 1})
    return folder


def test_an_index_is_opened_without_reading_the_documents(kb, texts_read):
    with LocalDocumentStore(kb) as store:
        found = answers(store)
        assert texts_read == [0]
    assert found == expected(kb)


def test_later_writes_are_read_from_the_documents(kb, texts_read):
    with LocalDocumentStore(kb) as store:
        store.write_documents(documents(300, 320))
        store.delete_documents(["1", "301"])
        reader = another_process(kb)
        assert answers(reader) == answers(store) == expected(kb)
        assert texts_read[:2] == [0, 19]
        reader.close()


def test_a_reader_that_has_the_old_files_open_goes_on_when_they_are_replaced(kb):
    reader = another_process(kb)
    assert ids_of(reader.bm25_retrieval("n5")) == ["5"]
    with LocalDocumentStore(kb) as store:
        before = set((kb / "index").iterdir())
        for round in range(6):
            store.write_documents(documents(1000 + 60 * round, 1060 + 60 * round))
            assert answers(reader) == answers(store)
        assert before - set((kb / "index").iterdir())
    assert answers(reader) == expected(kb)
    reader.close()


def test_only_files_that_are_needed_stay(kb):
    (kb / "index" / "left-over.segment").write_bytes(b"of a process that died")
    with LocalDocumentStore(kb) as store:
        store.write_documents(documents(300, 400))
        store.delete_all_documents()
        store.write_documents(documents(0, 60))
    names = {path.name for path in (kb / "index").iterdir()}
    assert "left-over.segment" not in names
    assert "manifest" in names
    assert len(names) < 8


def test_a_reader_that_becomes_the_writer_goes_on_from_the_files_of_the_last_one(kb, caplog):
    first = another_process(kb)
    answers(first)
    with LocalDocumentStore(kb) as second:
        for start in range(1000, 1600, 60):
            second.write_documents(documents(start, start + 60))
    for start in range(2000, 2600, 60):
        first.write_documents(documents(start, start + 60))
    found = answers(first)
    first.close()
    with LocalDocumentStore(kb) as store:
        assert answers(store) == found == expected(kb)
        assert store.check() == []
    assert caplog.text == ""


def test_a_reader_that_has_checked_newer_files_does_not_write_on_its_old_ones(kb, caplog):
    first = another_process(kb)
    answers(first)
    with LocalDocumentStore(kb) as second:
        for start in range(1000, 1600, 60):
            second.write_documents(documents(start, start + 60))
    assert first.check() == []
    for start in range(2000, 2600, 60):
        first.write_documents(documents(start, start + 60))
    found = answers(first)
    first.close()
    with LocalDocumentStore(kb) as store:
        assert answers(store) == found
        assert store.check() == []
    assert caplog.text == ""


def test_an_index_that_turns_out_damaged_in_the_middle_of_a_write_loses_no_document(kb):
    with LocalDocumentStore(kb) as store:
        answers(store)
        with store.transaction():
            store.write_documents(documents(1000, 1010))
            store._state.indexes.handle_damage(StoreFileError("a test says so"))
            store.write_documents(documents(1010, 1020))
            with ThreadPoolExecutor(1) as pool:  # another thread searches, and builds the index of the state before
                assert pool.submit(lambda: ids_of(store.bm25_retrieval("n5"))).result() == ["5"]
            store.write_documents(documents(1020, 1030))
        assert ids_of(store.bm25_retrieval("n1005 n1015 n1025")) == ["1005", "1015", "1025"]
        assert answers(store) == expected(kb)


def test_processes_that_release_the_lock_alternate(kb, caplog):
    stores = [LocalDocumentStore(kb), another_process(kb)]
    for round in range(8):
        store = stores[round % 2]
        store.write_documents(documents(1000 + 60 * round, 1060 + 60 * round))
        store.delete_documents([str(round)])
        store.release()
        assert answers(stores[0]) == answers(stores[1])
    for store in stores:
        store.close()
    with LocalDocumentStore(kb) as store:
        assert answers(store) == expected(kb)
        assert store.check() == []
    assert caplog.text == ""


# --- damage ---------------------------------------------------------------------------------------


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    """Flip a bit in each twentieth, as a search does not read all."""
    places = set(range(len(data) // 40, len(data), len(data) // 20))
    return bytes(byte ^ 4 * (place in places) for place, byte in enumerate(data))


def ends_flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize("damage", [cut, flipped, ends_flipped, lambda _: b"", lambda _: b"something else " * 50, None])
@pytest.mark.parametrize("suffix", ["manifest", ".segment", ".terms"])
@pytest.mark.parametrize("writes", [False, True])
def test_a_damaged_file_is_noticed_and_the_index_built_again(kb, damage, suffix, writes, caplog):
    right = expected(kb)
    for path in (kb / "index").glob(f"*{suffix}"):
        data = path.read_bytes()
        path.unlink()
        if damage is not None:
            path.write_bytes(damage(data))
    with caplog.at_level(logging.WARNING), LocalDocumentStore(kb) as store:
        if writes:
            store.write_documents(documents(1000, 1001))
            store.delete_documents(["1000"])
        assert answers(store) == right
        assert store.search_statistics()["documents"] == store.count_documents()
        if writes:
            store.write_documents(documents(1000, 1060))
            store.delete_documents([str(n) for n in range(1000, 1060)])
    assert "again" in caplog.text or (suffix == "manifest" and damage is None)
    caplog.clear()
    with LocalDocumentStore(kb) as store:
        assert answers(store) == right
    if writes:
        assert caplog.text == ""  # the writer has put a whole index there


def test_a_file_that_is_damaged_while_it_is_in_use_is_noticed(kb):
    right = expected(kb)
    with LocalDocumentStore(kb) as store:
        store.search_statistics()  # opens the files; a block is verified when it is first read
        for path in (kb / "index").glob("*.segment"):
            data = path.read_bytes()
            with path.open("r+b") as file:  # in place: the mapping sees it
                file.write(bytes(byte ^ 0x55 for byte in data))
        assert answers(store) == right


@pytest.mark.parametrize("other", [{"unicode": "1.0"}, {"format": 99}, {"analyzer": "english"}])
def test_an_index_of_another_version_is_built_again(kb, other, monkeypatch, caplog):
    right = expected(kb)
    init = index_files.IndexFiles.__init__

    def changed(self, files, settings):
        init(self, files, settings)
        self._settings |= other

    with monkeypatch.context() as patch:
        patch.setattr(index_files.IndexFiles, "__init__", changed)
        with LocalDocumentStore(kb) as store:
            store.write_documents(documents(1000, 1060))
            store.delete_documents([str(n) for n in range(1000, 1060)])
    with caplog.at_level(logging.WARNING), LocalDocumentStore(kb) as store:
        assert answers(store) == right
    assert f"it was written with {other}" in caplog.text


def test_an_index_of_another_database_is_not_used(kb, tmp_path, caplog):
    with LocalDocumentStore(tmp_path / "other") as store:
        for first in range(0, 500, 50):
            store.write_documents(named(*(f"x{n}" for n in range(first, first + 50))))
    right = expected(kb)
    for path in (kb / "index").iterdir():
        path.unlink()
    for path in (tmp_path / "other" / "index").iterdir():
        path.rename(kb / "index" / path.name)
    with caplog.at_level(logging.WARNING), LocalDocumentStore(kb) as store:
        assert answers(store) == right
    assert "it is of another database" in caplog.text


@pytest.mark.parametrize("writes_first", [False, True])
def test_an_index_that_is_ahead_of_the_documents_is_not_used(kb, writes_first, caplog):
    """Someone has put an older copy of the database there."""
    older = (kb / "documents.db").read_bytes()
    right = expected(kb)
    with LocalDocumentStore(kb) as store:
        store.write_documents(documents(1000, 1100))
    (kb / "documents.db").write_bytes(older)
    with caplog.at_level(logging.WARNING), LocalDocumentStore(kb) as store:
        assert writes_first or answers(store) == right
        store.write_documents(documents(1000, 1001))
        assert ids_of(store.bm25_retrieval("n1000")) == ["1000"]
    assert "later state" in caplog.text


# --- the layer of files ---------------------------------------------------------------------------


def with_files(kind: type[Files]) -> type[LocalDocumentStore]:
    return type("Tried", (LocalDocumentStore,), {"_file_access": FileAccess(DEFAULT_ACCESS.vfs, kind)})


def test_the_manifest_is_written_last_and_all_is_synced_before(tmp_path):
    done = []

    class Recorded(Files):
        def __getattribute__(self, name):
            method = object.__getattribute__(self, name)
            if name not in ("make_folder", "write", "rename", "remove", "sync"):
                return method
            return lambda *arguments: (done.append((name, *arguments[:1])), method(*arguments))[1]

    with with_files(Recorded)(tmp_path / "kb") as store:
        store.write_documents(documents(0, 60))
    (making, *writes) = done
    assert making == ("make_folder",)
    manifest = writes.index(("write", "manifest.new"))
    assert writes[manifest - 1] == ("sync",)
    assert {name for name, *_ in writes[: manifest - 1]} == {"write"}
    assert writes[manifest + 1 : manifest + 3] == [("rename", "manifest.new"), ("sync",)]


@pytest.mark.parametrize("method", ["make_folder", "write", "rename", "remove", "sync"])
def test_a_disk_that_fails_for_the_index_does_not_fail_the_write(tmp_path, method, caplog):
    def fail(*_):
        raise OSError(28, "No space left on device")

    failing = type("Failing", (Files,), {method: fail})
    with caplog.at_level(logging.WARNING), with_files(failing)(tmp_path / "kb") as store:
        for first in range(0, 300, 60):
            assert store.write_documents(documents(first, first + 60)) == 60
        store.delete_documents(["0"])
        found = answers(store)
    assert found == expected(tmp_path / "kb")
    assert method == "remove" or "No space left" in caplog.text
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert answers(store) == found


@pytest.mark.parametrize("more", [[], ["last"]])
def test_opening_leaves_large_merges_to_writers(tmp_path, monkeypatch, more):
    """Else each that opens the store would wait for the same merge."""
    monkeypatch.setattr(SegmentMerger, "after_write", lambda self: None)
    for module in (indexes, keyword_source):
        monkeypatch.setattr(module, "MAX_INLINE_MERGE", 0)
    with LocalDocumentStore(tmp_path / "kb") as store:
        for document in documents(0, 40):
            store.write_documents([document])
    monkeypatch.setattr(folder_state, "_MAX_TAIL_ON_CLOSE", 2)
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(named(*more))
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert len(store.bm25_retrieval("apple", top_k=40)) == 20
        assert store._state.indexes._keywords.tidy(0)  # some are due
