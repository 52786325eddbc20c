"""Opening folders: their content and settings, concurrent writers, and errors."""

import gc
import logging
import os
import shutil
import subprocess
import sys
from contextvars import ContextVar
from pathlib import Path

import apsw
import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore, files
from spaniel.document_stores.local.locking import open_stores
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.errors import DocumentStoreError, StoreFileError, StoreLockedError, StoreWriteError
from tests.document_stores.faces import ids_of, named
from tests.document_stores.local.processes import another_process, python

WRITE = """
import sys
from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
store = LocalDocumentStore(sys.argv[1], timeout=0.1)
store.write_documents([Document(id=id, content=id) for id in sys.argv[2:]])
"""


def test_documents_are_there_after_reopening(tmp_path):
    with LocalDocumentStore(tmp_path / "kb", search="all", analyzer="english", fields={"title": 2.0}) as store:
        store.write_documents(named("a", "b", "c"))
        store.delete_documents(["b"])
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert (store.search_scope, store.analyzer, store.fields) == ("all", "english", {"title": 2.0})
        assert ids_of(store.filter_documents()) == ["a", "c"]
        assert ids_of(store.bm25_retrieval("c")) == ["c"]


def test_a_reader_sees_writes_of_another_process(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert store.bm25_retrieval("a") == []
        python(WRITE, tmp_path / "kb", "a", "b")
        assert ids_of(store.bm25_retrieval("a")) == ["a"]
        python(WRITE, tmp_path / "kb", "c")
        assert store.count_documents() == 3
        assert ids_of(store.bm25_retrieval("c")) == ["c"]


def test_writes_of_a_killed_process_survive(tmp_path):
    python(f"{WRITE}\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)", tmp_path / "kb", "a", check=False)
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert ids_of(store.bm25_retrieval("a")) == ["a"]
        store.write_documents(named("b"))


def test_stores_of_one_process_share_a_folder(tmp_path):
    first, second = LocalDocumentStore(tmp_path / "kb"), LocalDocumentStore(tmp_path / "." / "kb")
    first.write_documents(named("a"))
    second.write_documents(named("b"))
    assert first._state.folder_state is second._state.folder_state
    first.close()
    assert ids_of(second.bm25_retrieval("a b")) == ["a", "b"]
    second.close()
    with pytest.raises(DocumentStoreError, match="is closed"):
        second.count_documents()


def test_a_collected_store_releases_its_folder(tmp_path):
    store = LocalDocumentStore(tmp_path / "kb")
    store.write_documents(named("a"))
    del store
    assert python(WRITE, tmp_path / "kb", "b").returncode == 0


def test_stores_may_be_collected_as_garbage_while_others_are_opened(tmp_path):
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for round in range(30):
            store = LocalDocumentStore(tmp_path / f"kb{round % 3}")
            store.itself = store  # so that the garbage collector has to find it
            store.write_documents(named(f"a{round}"))
            assert ids_of(store.bm25_retrieval(f"a{round}")) == [f"a{round}"]
            store.release()
    finally:
        gc.set_threshold(*before)
    del store
    gc.collect()
    assert open_stores._open_folders == {}


# --- one writer -----------------------------------------------------------------------------------


def test_a_lock_error_names_the_holder(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        with store.transaction():
            store.write_documents(named("a"))
            other = python(WRITE, tmp_path / "kb", "b", check=False)
        assert f"StoreLockedError: '{tmp_path / 'kb'}' is being written by process {os.getpid()} on " in other.stderr
        python(WRITE, tmp_path / "kb", "b")
        assert ids_of(store.bm25_retrieval("a b")) == ["a", "b"]


def test_a_writer_waits_for_another_up_to_its_timeout(tmp_path):
    code = f"{WRITE}\nwith store.transaction():\n    print('open', flush=True)\n    sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "kb"), "a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"open\n"
    hurried, patient = LocalDocumentStore(tmp_path / "kb", timeout=0.05), LocalDocumentStore(tmp_path / "kb")
    with pytest.raises(StoreLockedError, match=rf"process {process.pid} .*0\.05 seconds") as caught:
        hurried.write_documents(named("b"))
    assert str(process.pid) in caught.value.holder
    with pytest.raises(StoreLockedError):
        hurried.write_documents(named("b"))
    process.stdin.close()
    assert patient.write_documents(named("b")) == 1
    assert ids_of(patient.bm25_retrieval("a b")) == ["a", "b"]
    hurried.close()
    patient.close()
    process.wait()
    process.stdout.close()


def test_a_folder_that_is_deleted_or_replaced_under_an_open_store_is_named(tmp_path):
    store = LocalDocumentStore(tmp_path / "kb")
    store.write_documents(named("a"))
    shutil.move(tmp_path / "kb", tmp_path / "away")
    for use in (lambda: store.write_documents(named("b")), store.count_documents, lambda: store.bm25_retrieval("a")):
        with pytest.raises(StoreWriteError, match=r"documents\.db' was deleted or replaced .* open it again"):
            use()
    with LocalDocumentStore(tmp_path / "kb") as other:
        other.write_documents(named("c"))
        with pytest.raises(StoreWriteError, match="replaced"):
            store.write_documents(named("b"))
        store.close()
        assert ids_of(other.filter_documents()) == ["c"]
    with LocalDocumentStore(tmp_path / "away") as moved:
        assert ids_of(moved.filter_documents()) == ["a"]


def test_a_store_goes_on_when_its_lock_file_is_deleted(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(named("a"))
        (tmp_path / "kb" / "writer.lock").unlink()
        with store.transaction():
            store.write_documents(named("b"))
            assert "StoreLockedError" in python(WRITE, tmp_path / "kb", "c", check=False).stderr
        assert ids_of(store.filter_documents()) == ["a", "b"]


def test_waiting_writers_do_not_starve(tmp_path):
    LocalDocumentStore(tmp_path / "kb").close()
    code = (
        WRITE.replace("timeout=0.1", "timeout=10")
        .replace("store.write_documents([", "for n in range(60): store.write_documents([")
        .replace("id=id, content=id", "id=f'{id}{n}', content=id")
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "kb"), name], stderr=subprocess.PIPE)
        for name in ("a", "b", "c", "d")
    ]
    assert [writer.communicate()[1] for writer in writers] == [b"", b"", b"", b""]
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert store.count_documents() == 240
        assert len(store.bm25_retrieval("b", top_k=100)) == 60
        assert store.check() == []


def test_each_store_has_a_timeout_of_its_own(tmp_path):
    with LocalDocumentStore(tmp_path / "kb", timeout=60) as first, LocalDocumentStore(tmp_path / "kb", timeout=0.01):
        assert first._state.timeout == 60


def test_a_forked_process_reads_and_may_not_write(tmp_path):
    code = """
    import os, sys
    from spaniel import Document
    from spaniel.document_stores.local import LocalDocumentStore
    from spaniel.errors import StoreLockedError
    store = LocalDocumentStore(sys.argv[1])
    store.write_documents([Document(id="a", content="a")])
    assert store.bm25_retrieval("a")
    child = os.fork()
    if child == 0:
        assert [each.id for each in store.bm25_retrieval("a")] == ["a"]
        try:
            store.write_documents([Document(id="c", content="c")])
        except StoreLockedError as error:
            assert "opened before this process was forked" in str(error)
            with LocalDocumentStore(sys.argv[1]) as own:
                own.write_documents([Document(id="e", content="e")])
            assert [each.id for each in store.bm25_retrieval("e")] == ["e"]
            store.close()
            os._exit(0)
        os._exit(1)
    store.write_documents([Document(id="b", content="b")])
    assert os.waitpid(child, 0)[1] == 0
    store.write_documents([Document(id="d", content="d")])
    assert [each.id for each in store.bm25_retrieval("b d")] == ["b", "d"]
    """
    python(code, tmp_path / "kb")
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert sorted(ids_of(store.filter_documents())) == ["a", "b", "d", "e"]


# --- folders --------------------------------------------------------------------------------------


def test_rejects_a_folder_with_other_files(tmp_path):
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(DocumentStoreError, match=r"holds other things, such as 'notes\.md'"):
        LocalDocumentStore(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]
    with pytest.raises(DocumentStoreError, match="is a file"):
        LocalDocumentStore(tmp_path / "notes.md")


def test_rejects_a_database_of_another_application(tmp_path):
    other = apsw.Connection(str(tmp_path / "documents.db"))
    other.execute("CREATE TABLE notes (text)")
    other.close()
    with pytest.raises(StoreFileError, match="another application"):
        LocalDocumentStore(tmp_path)


def test_rejects_a_newer_format(tmp_path):
    LocalDocumentStore(tmp_path / "kb").close()
    database = apsw.Connection(str(tmp_path / "kb" / "documents.db"))
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreFileError, match=r"format 99, but this version of Spaniel reads format 3"):
        LocalDocumentStore(tmp_path / "kb")


def test_a_store_of_an_older_format_is_to_be_indexed_again(tmp_path):
    LocalDocumentStore(tmp_path / "kb").close()
    database = apsw.Connection(str(tmp_path / "kb" / "documents.db"))
    database.execute("PRAGMA user_version = 1")
    database.close()
    with pytest.raises(
        StoreFileError, match=r"format 1, but .* reads format 3\. Index the documents again, into a new folder\."
    ):
        LocalDocumentStore(tmp_path / "kb")


@pytest.mark.parametrize("damage", [b"nothing of SQLite" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_reports_a_damaged_database(tmp_path, damage):
    LocalDocumentStore(tmp_path / "kb").close()
    (tmp_path / "kb" / "documents.db").write_bytes(damage)
    with pytest.raises(StoreFileError, match=r"documents\.db'"):
        LocalDocumentStore(tmp_path / "kb")


def test_an_empty_database_becomes_a_store(tmp_path):
    (tmp_path / "documents.db").touch()  # a process died before it had made the tables
    with LocalDocumentStore(tmp_path) as store:
        assert store.write_documents(named("a")) == 1


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"search": "all"}, "search"),
        ({"analyzer": "english"}, "analyzer"),
        ({"fields": {"title": 2}}, "fields"),
        ({"embedding_dtype": "float16"}, "embedding_dtype"),
    ],
)
def test_rejects_settings_that_differ_from_the_folder(tmp_path, settings, name):
    LocalDocumentStore(tmp_path / "kb").close()
    with pytest.raises(DocumentStoreError, match=f"{name}="):
        LocalDocumentStore(tmp_path / "kb", **settings)


def words(text: str) -> list[str]:
    return text.split("-")


def test_the_tokenizer_of_a_folder_must_be_given_again(tmp_path):
    with LocalDocumentStore(tmp_path / "kb", analyzer=words) as store:
        store.write_documents([Document(id="a", content="red-apple")])
    with pytest.raises(DocumentStoreError, match=r"test_open_stores\.words\. Pass it"):
        LocalDocumentStore(tmp_path / "kb")
    with pytest.raises(DocumentStoreError, match="analyzer="):
        LocalDocumentStore(tmp_path / "kb", analyzer=str.split)
    with LocalDocumentStore(tmp_path / "kb", analyzer=words) as store:
        assert ids_of(store.bm25_retrieval("apple")) == ["a"]


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_warns_about_network_file_systems(tmp_path, kind, monkeypatch, caplog):
    monkeypatch.setattr(files, "_file_system", lambda _: kind)
    with caplog.at_level(logging.WARNING):
        LocalDocumentStore(tmp_path / "kb").close()
    assert f"({kind})" in caplog.text


def test_the_file_system_of_a_folder_is_known():
    assert files._file_system(Path("/proc/self")) == "proc"


# --- read-only folders ----------------------------------------------------------------------------


@pytest.fixture
def read_only(monkeypatch):
    """Folders can't be written, also where the tests run as root."""
    monkeypatch.setattr("spaniel.document_stores.local.database.connections.is_read_only", lambda _: True)


def filled(path) -> None:
    with LocalDocumentStore(path) as store:
        store.write_documents([Document(id="a", content="red apple", embedding=[1.0])])


def test_a_read_only_folder_can_be_searched(tmp_path, read_only, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr("spaniel.document_stores.local.database.connections.is_read_only", lambda _: False)
        filled(tmp_path / "kb")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "kb").iterdir()}
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert ids_of(store.bm25_retrieval("apple")) == ["a"]
        assert ids_of(store.embedding_retrieval([1.0])) == ["a"]
        with pytest.raises(StoreWriteError, match="is read-only"):
            store.write_documents(named("b"))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kb").iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="users and permissions are those of POSIX")
def test_a_read_only_folder_can_be_searched_by_a_user_who_is_not_root(tmp_path):
    filled(tmp_path / "kb")
    filled(tmp_path / "other")
    code = """
    import os, sys
    from pathlib import Path
    from spaniel.document_stores.local import LocalDocumentStore
    from spaniel.errors import StoreWriteError
    LocalDocumentStore(sys.argv[2]).bm25_retrieval("apple")  # imports what is needed, while Python itself can be read
    if os.geteuid() == 0:
        os.setgid(65534); os.setuid(65534)
    store = LocalDocumentStore(sys.argv[1])
    print([each.id for each in store.bm25_retrieval("apple")])
    try:
        store.delete_documents(["a"])
    except StoreWriteError:
        print("read-only")
    """
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.geteuid() and place.name:
            place.chmod(place.stat().st_mode | 0o055)
    (tmp_path / "kb").chmod(0o555)
    assert python(code, tmp_path / "kb", tmp_path / "other").stdout == "['a']\nread-only\n"
    (tmp_path / "kb").chmod(0o755)


def test_reports_pending_changes_in_a_read_only_folder(tmp_path, monkeypatch):
    store = LocalDocumentStore(tmp_path / "kb")
    store.write_documents(named("a"))
    monkeypatch.setattr("spaniel.document_stores.local.database.connections.is_read_only", lambda _: True)
    with pytest.raises(DocumentStoreError, match=r"read-only, but changes wait in 'documents\.db-wal'"):
        another_process(tmp_path / "kb")
    store.close()


def test_rejects_an_empty_read_only_folder(tmp_path, read_only):
    with pytest.raises(DocumentStoreError, match="no store in"):
        LocalDocumentStore(tmp_path)


# --- settings -------------------------------------------------------------------------------------


def test_a_store_is_built_again_from_its_data(tmp_path):
    with LocalDocumentStore(tmp_path / "kb", bm25_algorithm="BM25Okapi", timeout=3) as store:
        data = store.to_dict()
    assert data == {
        "type": "spaniel.document_stores.local.document_store.LocalDocumentStore",
        "init_parameters": {
            "path": str(tmp_path / "kb"),
            "bm25_algorithm": "BM25Okapi",
            "bm25_parameters": {},
            "timeout": 3.0,
            "search": "leaves",
            "analyzer": "standard",
            "bm25_tokenization_regex": store.bm25_tokenization_regex,
        },
    }
    with LocalDocumentStore.from_dict(data) as again:
        assert again.to_dict() == data


@pytest.mark.parametrize(
    "settings",
    [
        {"search": "some"},
        {"analyzer": "words"},
        {"fields": {"title": -1}},
        {"embedding_dtype": "int8"},
        {"bm25_algorithm": "BM26"},
        {"embedding_similarity_function": "euclid"},
        {"bm25_parameters": {"k1": "high"}},
        {"bm25_tokenization_regex": "("},
        {"timeout": "long"},
    ],
)
def test_rejects_unknown_options_before_creating_a_folder(tmp_path, settings):
    with pytest.raises(ValueError, match=f"(?i){next(iter(settings)).split('_')[0]}"):
        LocalDocumentStore(tmp_path / "kb", **settings)
    assert not (tmp_path / "kb").exists()


def test_a_store_shows_its_folder(tmp_path):
    store = LocalDocumentStore(tmp_path / "kb")
    assert repr(store) == f"LocalDocumentStore({str(tmp_path / 'kb')!r})"
    store.close()
    assert repr(store).endswith("', closed)")


def test_garbage_collection_closes_a_store_outside_of_the_current_context(tmp_path, monkeypatch):
    marker = ContextVar("marker", default="outside")
    seen = []
    close = FolderState.close

    def closed(state):
        seen.append(marker.get())
        close(state)

    monkeypatch.setattr(FolderState, "close", closed)
    marker.set("inside")
    store = LocalDocumentStore(tmp_path)
    store.write_documents(named("a"))
    del store
    gc.collect()
    assert seen == ["outside"]
