"""A rebuilt store has another analyzer or other fields: here, after reopening, and elsewhere."""

import re
from dataclasses import replace

import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.index.index_files import Stamp
from spaniel.errors import DocumentStoreError
from tests.document_stores.local.processes import another_process, python

DOCUMENTS = [
    Document(id="1", content="a dog", meta={"title": "walks"}),
    Document(id="2", content="dogs walking", meta={"title": "cats"}),
    Document(id="3", content="a house", meta={"__root_id": "1"}),
]


def answer(store, query="walked dog"):
    return [(document.id, document.score) for document in store.bm25_retrieval(query)]


def expected(**settings):
    store = InMemoryDocumentStore(search="leaves", **settings)
    store.write_documents(DOCUMENTS)
    return answer(store)


@pytest.fixture
def store(tmp_path):
    with LocalDocumentStore(tmp_path / "store") as store:
        store.write_documents(DOCUMENTS)
        yield store


CHANGES = [
    {"analyzer": "english"},
    {"analyzer": "auto", "fields": {"title": 2.0}},
    {"fields": {"title": 2.0}},
    {"analyzer": re.compile(r"\w")},
    {"analyzer": "standard", "fields": {}},
    {"analyzer": str.split, "fields": {"title": 3}},
]


@pytest.mark.parametrize("settings", CHANGES)
def test_a_rebuilt_store_answers_as_a_new_one(store, settings, caplog):
    reader = another_process(store.path)
    before = answer(reader)
    assert before == answer(store) == expected()
    store.rebuild(**settings)
    assert answer(store) == expected(**settings)
    assert (store.check(), caplog.records) == ([], [])
    if settings.get("analyzer") is not str.split:
        assert answer(reader) == expected(**settings)
        assert (reader.analyzer, reader.fields) == (store.analyzer, store.fields)
        reader.delete_documents(["3"])
        assert answer(reader) == answer(store)
        assert reader.check() == []
    reader.close()
    store.close()
    given = {"analyzer": str.split} if settings.get("analyzer") is str.split else {}
    with LocalDocumentStore(store.path, **given) as reopened:
        assert (reopened.analyzer, reopened.fields) == (store.analyzer, store.fields)
        assert reopened.check() == []


def test_another_process_without_the_function_says_so(store):
    reader = another_process(store.path)
    store.rebuild(analyzer=str.split)
    with pytest.raises(DocumentStoreError, match=r"rebuilt the store with analyzer=.*str.split"):
        answer(reader)
    with pytest.raises(DocumentStoreError, match="rebuilt the store"):
        reader.delete_all_documents()
    reader.close()
    assert store.count_documents() == 3


def test_a_store_beside_it_in_the_process_follows(store):
    with LocalDocumentStore(store.path) as other:
        store.rebuild(analyzer="english")
        assert (other.analyzer, answer(other)) == ("english", answer(store))


def test_a_store_is_opened_with_settings_that_another_process_changed(store):
    other = another_process(store.path)
    other.rebuild(analyzer="english")
    other.close()
    with LocalDocumentStore(store.path, analyzer="english") as again:
        assert answer(again) == answer(store) == expected(analyzer="english")


def test_other_settings_of_a_folder_are_refused_with_the_way_to_change_them(store):
    for settings in ({"analyzer": "english"}, {"fields": {"title": 2.0}}):
        with pytest.raises(DocumentStoreError, match=rf"store.rebuild\({next(iter(settings))}=...\)"):
            LocalDocumentStore(store.path, **settings)


def test_invalid_settings_change_nothing(store):
    for settings in ({"analyzer": "klingon"}, {"fields": {"title": -1}}):
        with pytest.raises(ValueError, match="must be"):
            store.rebuild(**settings)
    assert (store.analyzer, answer(store)) == ("standard", expected())


def test_an_analyzer_that_fails_changes_nothing(store):
    def fail(text):
        raise RuntimeError(text)

    with pytest.raises(RuntimeError, match="dog"):
        store.rebuild(analyzer=fail)
    assert (store.analyzer, answer(store), store.check()) == ("standard", expected(), [])


def test_a_backup_keeps_the_settings(store, tmp_path):
    store.rebuild(analyzer="english", fields={"title": 2.0})
    store.backup(tmp_path / "copy")
    with LocalDocumentStore(tmp_path / "copy") as copy:
        assert (copy.analyzer, copy.fields, answer(copy)) == ("english", {"title": 2.0}, answer(store))


@pytest.mark.parametrize("step", ["build", "save", "_write_snapshot"])
def test_a_crash_leaves_the_old_settings_or_the_new(store, step):
    store.release()
    killed = python(
        """
        import os, sys
        from spaniel.document_stores.local import LocalDocumentStore
        from spaniel.document_stores.local.index.index_files import IndexFiles
        from spaniel.document_stores.local.index.keyword_source import KeywordSource
        store = LocalDocumentStore(sys.argv[1])
        kind = KeywordSource if sys.argv[2] == "build" else IndexFiles
        setattr(kind, sys.argv[2], lambda *_: os._exit(7))
        store.rebuild(analyzer="english")
        """,
        store.path,
        step,
        check=False,
    )
    assert killed.returncode == 7
    with LocalDocumentStore(store.path) as reopened:
        analyzer = "standard" if step == "build" else "english"
        assert (reopened.analyzer, answer(reopened)) == (analyzer, expected(analyzer=analyzer))
        reopened.rebuild()
        assert reopened.check() == []


def test_check_finds_an_index_of_other_fields(store):
    settings = store._state.folder_state.indexing
    store.rebuild(analyzer="english", fields={"title": 2.0})
    source = store._state.indexes.source
    wrong = replace(settings, analyzer="english", fields=(("other", 2.0),)).make_index()
    texts = replace(settings, analyzer="english", fields=(("other", 2.0),)).read_texts(enumerate(DOCUMENTS))
    wrong.apply([], source.indexing.prepare(wrong, texts))
    with store._state.reading() as snapshot:
        source.files.save(wrong, Stamp(snapshot.store_id, snapshot.change, snapshot.next_slot))
    assert len([problem for problem in store.check() if "the terms of the document" in problem]) == 2
