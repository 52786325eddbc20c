"""Guarantees for coroutines: calls keep their order, reads do not wait for a large write."""

import asyncio
import contextvars
import threading

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore, transaction
from spaniel.errors import DuplicateDocumentError
from tests.document_stores.faces import ids_of, named
from tests.document_stores.in_memory.test_async import Gate, large, started


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def store(gate, tmp_path):
    with LocalDocumentStore(tmp_path / "kb", analyzer=gate) as store:
        yield store
        gate.open.set()


async def test_a_read_begun_after_a_small_write_waits_for_it(store, gate):
    gate.open.set()
    for number in range(20):
        write = asyncio.create_task(
            store.write_documents_async([Document(id="a", content=f"text{number}")], "overwrite")
        )
        await asyncio.sleep(0)
        reads = (
            store.filter_documents_async(),
            store.get_documents_by_id_async(["a"]),
            store.bm25_retrieval_async("text19"),
        )
        found = await asyncio.gather(*reads)
        assert [document.content for document in found[0] + found[1]] == [f"text{number}"] * 2
        assert ids_of(found[2]) == (["a"] if number == 19 else [])
        assert await store.count_documents_async() == 1
        await write
        delete = asyncio.create_task(store.delete_documents_async(["a"]))
        await asyncio.sleep(0)
        assert store.count_documents() == 0, "a plain read waits too"
        await delete
        await store.write_documents_async(named("a"))


async def test_a_write_is_queued_so_that_the_loop_goes_on(store, gate):
    gate.open.set()
    coroutine = store.write_documents_async(named("a"))
    write = asyncio.ensure_future(coroutine)
    await asyncio.sleep(0)
    assert not write.done()
    assert await write == 1


async def test_a_queued_write_has_copies_of_its_documents(store, gate):
    gate.open.set()
    busy = threading.Event()
    blocked = asyncio.create_task(store._state.writer.run(lambda: busy.wait(30), small=False))
    documents = named("a", "b")
    write = asyncio.create_task(store.write_documents_async(documents))
    await asyncio.sleep(0)
    documents[0].meta["late"] = True
    del documents[1]
    busy.set()
    await asyncio.gather(blocked, write)
    assert store.filter_documents() == named("a", "b")


async def test_the_order_of_calls_is_the_order_of_small_writes(store):
    async with asyncio.TaskGroup() as group:
        for n in range(50):
            group.create_task(store.write_documents_async([Document(id="a", content=f"text{n}")], "overwrite"))
            if n == 30:
                group.create_task(store.delete_documents_async(["a"]))
    assert [document.content for document in store.filter_documents()] == ["text49"]


async def test_reads_do_not_wait_for_a_large_write_and_see_the_state_before_it(store, gate):
    await store.write_documents_async(named("a", embedding=[1.0]))
    task = await started(gate, store)

    assert await store.count_documents_async() == 1
    for read in (
        store.filter_documents_async(),
        store.bm25_retrieval_async("a"),
        store.embedding_retrieval_async([1.0]),
        store.get_documents_by_id_async(["a"]),
        store.filter_documents_async({"field": "meta.k", "operator": "!=", "value": 1}),
    ):
        assert ids_of(await read) == ["a"]
    assert not task.done()

    gate.open.set()
    assert await task == 1000
    assert len(await store.bm25_retrieval_async("slow", top_k=2000)) == 1000


async def test_a_small_write_does_not_overtake_a_large_one(store, gate):
    task = await started(gate, store)
    delete = asyncio.create_task(store.delete_documents_async([document.id for document in large()[:50]]))
    update = asyncio.create_task(
        store.update_by_filter_async({"field": "id", "operator": "==", "value": "slow99"}, {"seen": True})
    )
    await asyncio.sleep(0)
    gate.open.set()
    await asyncio.gather(task, delete, update)
    assert store.count_documents() == 950
    assert store.storage["slow99"].meta == {"seen": True}


async def test_a_write_that_fails_raises_where_it_is_awaited(store, gate):
    gate.open.set()
    await store.write_documents_async(named("slow5"))
    with pytest.raises(DuplicateDocumentError, match="slow5"):
        await store.write_documents_async(large())
    with pytest.raises(ValueError, match="Item 0 is of type int"):
        await store.write_documents_async([5])
    assert store.count_documents() == 1


async def test_a_write_that_is_cancelled_while_it_waits_is_not_done(store, gate):
    task = await started(gate, store)
    waiting = asyncio.create_task(store.write_documents_async(named("a")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.open.set()
    await task
    await store.write_documents_async(named("b"))
    assert store.get_documents_by_id(["a", "b"]) == named("b")


async def test_threads_see_the_context_of_their_caller(tmp_path, monkeypatch):
    monkeypatch.setattr(transaction, "_MIN_THREADED_DOCUMENTS", 10)
    variable = contextvars.ContextVar("variable")
    seen = []

    def tokens(text: str) -> list[str]:
        seen.append(variable.get())
        return text.split()

    variable.set("here")
    with LocalDocumentStore(tmp_path, analyzer=tokens) as store:
        await store.write_documents_async(large("word"))
        await store.bm25_retrieval_async("word")
    assert set(seen) == {"here"}


async def test_a_store_may_read_itself_in_a_queued_write(tmp_path):
    class Counting(LocalDocumentStore):
        def write_documents(self, documents, policy="none", *, progress=None):
            before = self.count_documents()
            return before + super().write_documents(documents, policy, progress=progress)

    with Counting(tmp_path) as store:
        assert await store.write_documents_async(named("a", "b")) == 2
        assert await store.write_documents_async(named("c")) == 3


async def test_closing_waits_for_queued_writes(tmp_path):
    store = LocalDocumentStore(tmp_path)
    write = asyncio.create_task(store.write_documents_async(large("word")))
    await asyncio.sleep(0)
    await store.close_async()
    assert await write == 1000
    with LocalDocumentStore(tmp_path) as store:
        assert store.count_documents() == 1000
