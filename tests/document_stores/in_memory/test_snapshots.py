"""A read of several steps keeps the state that it met first, and nobody waits for it."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from tests.document_stores.faces import equal

WAIT = 30
"""Seconds after which a test fails that waits for another thread."""


def documents(*numbers, text="common", **meta):
    return [Document(id=f"{n}", content=f"{text} word{n}", meta={"n": n, **meta}, embedding=[n, 1.0]) for n in numbers]


@pytest.fixture
def store():
    store = InMemoryDocumentStore(shared=False)
    store.write_documents(documents(1, 2, 3))
    return store


def change(store, how):
    if how == "delete":
        store.delete_documents(["1", "3"])
    elif how == "overwrite":
        store.write_documents(documents(1, 2, text="common other"), DuplicatePolicy.OVERWRITE)
    elif how == "update":
        store.update_by_filter(equal("meta.n", 2), {"n": 20})
    else:
        store.delete_all_documents()
        store.write_documents(documents(7, 8))


CHANGES = ["delete", "overwrite", "update", "clear"]


def search_while(store, monkeypatch, meanwhile):
    """Return the results of a search that is paused before it fetches documents."""
    state, calls = store._state, []

    def held(slots):
        calls.append(slots)
        if len(calls) == 1:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(meanwhile).result(WAIT)
        return by_slot(slots)

    by_slot = state.get_by_slot
    with monkeypatch.context() as patched:
        patched.setattr(state, "get_by_slot", held)
        found = store.bm25_retrieval("common")
    assert len(calls) == 1, "it was not done again"
    return found


@pytest.mark.parametrize("how", CHANGES)
def test_a_search_ends_in_the_state_in_which_it_began(store, monkeypatch, how):
    before = store.bm25_retrieval("common")
    found = search_while(store, monkeypatch, lambda: change(store, how))
    assert found == before
    assert [document.meta for document in found] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert store.bm25_retrieval("common") != before


def test_a_search_keeps_its_state_through_many_writes(store, monkeypatch):
    before = store.bm25_retrieval("common")
    found = search_while(store, monkeypatch, lambda: [change(store, how) for how in CHANGES * 3])
    assert found == before


def test_documents_that_were_replaced_are_let_go_after_the_last_read(store, monkeypatch):
    search_while(store, monkeypatch, lambda: change(store, "overwrite"))
    snapshots = store._state._snapshots
    assert (len(snapshots._replaced), len(snapshots._pins)) == (0, 0)
    change(store, "delete")
    assert len(snapshots._replaced) == 0


def test_a_read_that_fails_holds_nothing(store):
    with pytest.raises(ZeroDivisionError):
        store._state.read_consistently(lambda: store._state.count() / 0)
    assert len(store._state._snapshots._pins) == 0


@pytest.mark.parametrize("lock", ["_filter_lock", "_lock"])
def test_a_search_waits_for_no_lock_of_filters_or_writers(store, lock):
    with getattr(store._state, lock), ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(store.bm25_retrieval, "common").result(WAIT)) == 3


def test_a_search_beside_a_writer_that_is_busy_is_of_the_state_before(store):
    with store._state.writer, ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(store.bm25_retrieval, "common").result(WAIT)) == 3
        assert len(pool.submit(store.embedding_retrieval, [1.0, 1.0]).result(WAIT)) == 3
        assert len(pool.submit(store.bm25_retrieval, "common", equal("meta.n", 2)).result(WAIT)) == 1


def test_a_tokenizer_that_writes_does_not_stop_a_search():
    def tokens(text):
        if text == "query":
            store.write_documents([Document(content=f"new {len(store.storage)}")])
        return text.split()

    store = InMemoryDocumentStore(shared=False, analyzer=tokens)
    store.write_documents([Document(content="query of a store")])
    assert [document.content for document in store.bm25_retrieval("query")] == ["query of a store"]
    assert store.explain_bm25("query", [store.filter_documents()[0].id]) != {}


def test_a_tokenizer_may_search_the_store_that_is_searched():
    inner = []

    def tokens(text):
        if text == "outer":
            inner.extend(store.bm25_retrieval("common"))
        return text.split()

    store = InMemoryDocumentStore(shared=False, analyzer=tokens)
    store.write_documents(documents(1, 2, text="outer common"))
    assert len(store.bm25_retrieval("outer")) == len(inner) == 2
    assert len(store._state._snapshots._pins) == 0


# --- random histories -----------------------------------------------------------------------------


def history(seed):
    """Yield the calls of a writer, each of which makes one state."""
    rng = random.Random(seed)
    for number in range(120):
        some = rng.sample(range(60), rng.randrange(1, 25))
        yield rng.choices(
            [
                lambda store, some=some, n=number: store.write_documents(
                    documents(*some, text=f"common {'pad ' * (n % 5)}", parity=n % 2), DuplicatePolicy.OVERWRITE
                ),
                lambda store, some=some: store.delete_documents([f"{n}" for n in some]),
                lambda store, n=number: store.update_by_filter(equal("meta.parity", n % 2), {"parity": (n + 1) % 2}),
                lambda store, n=number: store.delete_by_filter(equal("meta.n", n % 60)),
                lambda store: store.delete_all_documents(),
            ],
            [10, 5, 3, 2, 0.5],
        )[0]


def facts(found):
    return [(document.id, document.content, document.meta, document.score) for document in found]


READS = {
    "words": lambda store: facts(store.bm25_retrieval("common pad word7", top_k=50)),
    "words and filter": lambda store: facts(store.bm25_retrieval("common pad", equal("meta.parity", 1), 50)),
    "vectors": lambda store: facts(store.embedding_retrieval([1.0, 2.0], top_k=50)),
    "vectors and filter": lambda store: facts(store.embedding_retrieval([1.0, 2.0], equal("meta.parity", 0), 50)),
    "explanation": lambda store: store.explain_bm25("common word7", [f"{n}" for n in range(60)]),
    "counts": lambda store: store.search_statistics(),
}


@pytest.mark.parametrize("seed", range(3))
def test_every_read_beside_a_random_writer_is_of_one_of_its_states(seed):
    plain = InMemoryDocumentStore(shared=False)
    states = []
    for call in history(seed):
        call(plain)
        states.append({name: read(plain) for name, read in READS.items()})
    empty = InMemoryDocumentStore(shared=False)
    states.insert(0, {name: read(empty) for name, read in READS.items()})
    store, done = InMemoryDocumentStore(shared=False), Event()

    def check(name):
        seen, ended = 0, False
        while not ended:
            ended = done.is_set()
            found = READS[name](store)
            assert found in [state[name] for state in states[seen:]]
            seen = next(n for n in range(seen, len(states)) if states[n][name] == found)
        assert found == states[-1][name]

    def write():
        for call in history(seed):
            call(store)
        done.set()

    with ThreadPoolExecutor(len(READS)) as pool:
        checks = [pool.submit(check, name) for name in READS]
        writer = Thread(target=write)
        writer.start()
        writer.join()
        done.set()
        for each in checks:
            each.result()
