"""Readers beside a writer see every write whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.faces import equal

SIZE = 20  # documents in every state
STATES = 60
READERS = 3


def state(number: int) -> list[Document]:
    """The documents of one state: text, metadata and embedding all tell its number."""
    text = f"common {'pad ' * (number % 7)}state{number}"
    meta = {"state": number, "parity": number % 2, "tags": [f"t{number}"]}
    return [Document(id=f"{n}", content=text, meta=meta, embedding=[number, 1.0]) for n in range(SIZE)]


def read_all(store):
    return store.filter_documents()


def by_filter(store):
    # the column of `parity` is looked up, that of `state` is not
    return store.filter_documents({"operator": "OR", "conditions": [equal("meta.parity", parity) for parity in (0, 1)]})


def by_ids(store):
    return store.get_documents_by_id([str(n) for n in range(SIZE)])


def by_key(store):
    return store.get_documents_by_key("parity", [0, 1], {"field": "meta.state", "operator": ">=", "value": 0})


def by_words(store):
    return store.bm25_retrieval("common", top_k=99)


def by_words_filtered(store):
    return store.bm25_retrieval("common pad", filters={"field": "meta.state", "operator": "!=", "value": -1}, top_k=99)


def by_vector(store):
    return store.embedding_retrieval([1.0, 1.0], top_k=99)


def by_vector_filtered(store):
    return store.embedding_retrieval([1.0, 1.0], filters=equal("meta.tags", ["x"]) | {"operator": "!="}, top_k=99)


READS = [read_all, by_filter, by_ids, by_key, by_words, by_words_filtered, by_vector, by_vector_filtered]


def assert_one_state(documents) -> int:
    assert len(documents) == SIZE
    (number,) = {document.meta["state"] for document in documents}
    assert {document.content for document in documents} == {state(number)[0].content}
    assert len({document.score for document in documents}) == 1
    return number


@pytest.fixture(params=["memory", "local"])
def store(request, tmp_path):
    if request.param == "memory":
        yield InMemoryDocumentStore()
        return
    with LocalDocumentStore(tmp_path / "kb", search="all") as store:
        yield store


@pytest.mark.parametrize("read", READS)
def test_every_read_is_of_a_state_before_or_after_a_write(read, store):
    done = Event()
    store.write_documents(state(0))

    def write():
        try:
            for number in range(1, STATES):
                store.write_documents(state(number), "overwrite")
        finally:
            done.set()

    def reader():
        seen = [assert_one_state(read(store))]
        while not done.is_set():
            seen.append(assert_one_state(read(store)))
        assert seen == sorted(seen)

    run(write, reader)
    assert assert_one_state(read(store)) == STATES - 1


def test_a_search_never_returns_documents_that_an_update_removed_from_its_filter(store):
    done = Event()
    store.write_documents(state(0))

    def write():
        try:
            for number in range(1, STATES * 3):
                store.update_by_filter({"field": "meta.state", "operator": ">=", "value": 0}, {"state": number})
        finally:
            done.set()

    def reader():
        while not done.is_set():
            for wanted in range(STATES * 3):
                filters = equal("meta.state", wanted)
                for found in (
                    store.bm25_retrieval("common", filters, 99),
                    store.embedding_retrieval([1, 1], filters, 99),
                ):
                    assert [document.meta["state"] for document in found] in ([], [wanted] * SIZE)

    run(write, reader)


def test_a_count_and_an_explanation_are_of_one_state(store):
    done = Event()
    store.write_documents(state(0))

    def write():
        try:
            for number in range(1, STATES):
                store.write_documents(state(number), "overwrite")
        finally:
            done.set()

    def reader():
        while not done.is_set():
            assert store.count_documents() == SIZE
            assert store.search_statistics()["documents"] == SIZE
            assert len(store.storage) == SIZE
            explained = store.explain_bm25("common", [str(n) for n in range(SIZE)])
            assert len(explained) == SIZE
            assert len(set(explained.values())) == 1

    run(write, reader)


def test_a_save_is_of_one_state(tmp_path):
    store, done = InMemoryDocumentStore(shared=False), Event()
    store.write_documents(state(0))

    def write():
        try:
            for number in range(1, STATES):
                store.write_documents(state(number), "overwrite")
        finally:
            done.set()

    def saver():
        while not done.is_set():
            store.save_to_disk(tmp_path / "store.json")
            assert_one_state(InMemoryDocumentStore.load_from_disk(tmp_path / "store.json").filter_documents())

    run(write, saver)


def test_writers_do_not_undo_each_other(store):
    def write(name):
        for n in range(50):
            store.write_documents([Document(id=f"{name}{n}", content=name, embedding=[1.0])])
            if n % 2:
                store.delete_documents([f"{name}{n}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))

    for name in "abcd":
        assert len(store.bm25_retrieval(name, top_k=99)) == 25
    assert store.count_documents() == len(store.embedding_retrieval([1.0], top_k=999)) == 100


def test_stores_of_one_name_opened_at_once_share_their_documents():
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: InMemoryDocumentStore(index="opened at once"), range(50)))
    assert len({id(store._state) for store in stores}) == 1


def run(write, *readers):
    with ThreadPoolExecutor(READERS * len(readers) + 1) as pool:
        reading = [pool.submit(reader) for reader in readers for _ in range(READERS)]
        pool.submit(write).result()
        for reader in reading:
            reader.result()
