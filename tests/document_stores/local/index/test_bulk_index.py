"""A write of many documents goes to a second index, that takes the place of the first when the
write is made.
"""

import logging

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore, transaction
from spaniel.document_stores.local.files import DEFAULT_ACCESS, FileAccess, Files
from spaniel.document_stores.local.index import keyword_source
from spaniel.document_stores.local.locking import folder_state
from tests.document_stores.faces import ids_of, named
from tests.document_stores.local.index.test_index_files import answers, documents, expected
from tests.document_stores.local.processes import another_process


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(transaction, "_MAX_BATCH_DOCUMENTS", 40)
    monkeypatch.setattr(transaction, "MIN_BULK_DOCUMENTS", 100)
    monkeypatch.setattr(keyword_source, "MIN_BULK_DOCUMENTS", 100)
    monkeypatch.setattr(folder_state, "_MAX_TAIL", 50)


@pytest.fixture(params=["new", "filled"])
def store(request, tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        if request.param == "filled":
            store.write_documents(documents(5000, 5300))
            store.delete_documents(["5001"])
        yield store


def test_a_large_write_is_searched_like_many_small_ones(store, tmp_path):
    others = store.filter_documents()
    store.write_documents(iter(documents(0, 1000)))
    with LocalDocumentStore(tmp_path / "other") as other:
        for document in [*others, *documents(0, 1000)]:
            other._state.write([document], "skip")
        assert answers(store) == answers(other)
    assert store.check() == []
    store.close()
    assert expected(tmp_path / "kb") == answers(LocalDocumentStore(tmp_path / "kb"))


def test_readers_have_the_old_index_until_then(store, tmp_path):
    before = answers(store)
    reader = another_process(tmp_path / "kb")
    seen = []

    def look(count):
        seen.append(answers(reader))

    store.write_documents(documents(0, 500), progress=look)
    assert seen == [before] * 13
    assert answers(reader) == answers(store) != before
    reader.close()


def test_a_large_write_that_fails_leaves_everything_as_it_was(store, tmp_path):
    def failing():
        yield from documents(0, 700)
        raise RuntimeError("stop")

    before = answers(store)
    with pytest.raises(RuntimeError, match="stop"):
        store.write_documents(failing())
    assert answers(store) == before
    store.write_documents(documents(0, 60))
    names = {path.name for path in (tmp_path / "kb" / "index").iterdir()}
    assert len(names) < 8, "what the write had left is removed"
    assert store.check() == []


def test_a_part_that_rolls_back_is_not_in_the_index(store):
    with store.transaction():
        store.write_documents(documents(0, 300))
        with pytest.raises(ValueError, match="can't be stored"):
            store.write_documents([*documents(300, 400), Document(id="odd", meta={"k": object()})])
        store.write_documents(documents(400, 500))
    assert store.check() == []
    assert store.bm25_retrieval("n350") == []
    assert ids_of(store.bm25_retrieval("n450")) == ["450"]


def test_overwrites_and_deletions_are_part_of_it(store):
    store.write_documents(documents(0, 300))
    with store.transaction():
        store.write_documents(documents(0, 300), "overwrite")
        store.delete_documents([str(n) for n in range(100)])
        store.write_documents(documents(50, 150), "overwrite")
    assert store.check() == []
    assert ids_of(store.bm25_retrieval("n60 n20 n299")) == ["299", "60"]


def test_filters_and_vectors_see_it(store):
    store.write_documents([Document(id="v", embedding=[1.0, 0.0], meta={"k": 1})])
    kind = {"field": "meta.k", "operator": "==", "value": 1}
    assert ids_of(store.embedding_retrieval([1.0, 0.0], kind)) == ["v"]
    store.write_documents(named(*(f"w{n}" for n in range(300)), embedding=[0.5, 0.5], meta={"k": 1}))
    assert len(store.embedding_retrieval([1.0, 0.0], kind, top_k=999)) == 301
    assert store.count_documents_by_filter(kind) == 301


@pytest.mark.parametrize("method", ["make_folder", "write", "sync"])
def test_a_disk_that_fails_for_the_index_does_not_fail_the_write(tmp_path, method, caplog):
    def fail(*_):
        raise OSError(28, "No space left on device")

    kind = type(
        "Failing",
        (LocalDocumentStore,),
        {"_file_access": FileAccess(DEFAULT_ACCESS.vfs, type("F", (Files,), {method: fail}))},
    )
    with caplog.at_level(logging.WARNING), kind(tmp_path / "kb") as store:
        assert store.write_documents(documents(0, 700)) == 700
        assert ids_of(store.bm25_retrieval("n650")) == ["650"]
    assert "No space left" in caplog.text
    with LocalDocumentStore(tmp_path / "kb") as store:
        assert ids_of(store.bm25_retrieval("n650")) == ["650"]
