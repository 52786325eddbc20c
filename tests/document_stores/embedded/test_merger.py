"""Large merges in a thread: nothing waits for them, nothing is lost by them."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from spaniel import Document
from spaniel.document_stores.embedded import merger as module
from spaniel.document_stores.embedded.merger import SegmentMerger
from spaniel.document_stores.in_memory import InMemoryDocumentStore

WORDS = [f"w{number}" for number in range(50)]


def documents(count, seed):
    rng = random.Random(seed)
    return [Document(id=f"{seed}-{n}", content=" ".join(rng.choices(WORDS, k=8))) for n in range(count)]


def found(store):
    queries = (" ".join(WORDS[at : at + 3]) for at in range(0, 50, 7))
    return [[(hit.id, hit.score) for hit in store.bm25_retrieval(query, top_k=20)] for query in queries]


def test_merges_beside_readers_and_writers_change_no_result(monkeypatch):
    monkeypatch.setattr(module, "MAX_INLINE_MERGE", 10)  # so that nearly all merges are large
    store, plain = InMemoryDocumentStore(), InMemoryDocumentStore()
    rng, kept = random.Random(1), {}
    stopped = threading.Event()

    def read():
        while not stopped.is_set():
            for hits in found(store):
                assert hits == sorted(hits, key=lambda hit: -hit[1])

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for seed in range(60):
            batch = documents(rng.randint(1, 80), seed)
            store.write_documents(batch)
            kept |= {document.id: document for document in batch}
            gone = rng.sample(sorted(kept), len(kept) // 10)
            store.delete_documents(gone)
            for id in gone:
                del kept[id]
        stopped.set()
        for reader in readers:
            reader.result()
    store.shutdown()
    plain.write_documents(list(kept.values()))
    assert found(store) == found(plain)


class Index:
    """A fake index: one large merge is due, which waits, and then may fail."""

    def __init__(self, error=None):
        self.go, self.due, self.error, self.by = threading.Event(), True, error, None

    def tidy(self, most=None):
        if most is None and self.due:
            self.go.wait(10)
            self.by = threading.current_thread()
            self.due = False
            if self.error:
                raise self.error
        return self.due


def test_a_write_does_not_wait_for_a_large_merge():
    index = Index()
    merger = SegmentMerger(index)
    merger.after_write()
    merger.after_write()
    assert index.due
    index.go.set()
    merger.wait()
    assert not index.due
    assert index.by is not threading.current_thread()


def test_a_thread_ends_with_its_merges_and_the_next_one_is_new():
    index = Index()
    index.go.set()
    merger = SegmentMerger(index)
    for _ in range(2):
        index.due = True
        merger.after_write()
        merger.wait()
    assert not [thread for thread in threading.enumerate() if thread.name == "spaniel-merge"]


def test_an_error_in_the_thread_is_raised_once_where_it_is_waited_for():
    index = Index(RuntimeError("no room"))
    index.go.set()
    merger = SegmentMerger(index)
    merger.after_write()
    with pytest.raises(RuntimeError, match="no room"):
        merger.wait()
    merger.wait()
