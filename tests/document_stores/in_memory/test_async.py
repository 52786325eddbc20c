"""Guarantees for coroutines: order, and no wait for large writes. Order is asserted, never time."""

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DuplicateDocumentError
from tests.document_stores.faces import ids_of, named


class Gate:
    """A tokenizer that lets no text through that holds the word ``slow``, until it is opened."""

    def __init__(self):
        self.open, self.reached = threading.Event(), threading.Event()

    def __call__(self, text: str) -> list[str]:
        if "slow" in text:
            self.reached.set()
            assert self.open.wait(30)
        return text.split()


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def store(gate):
    return InMemoryDocumentStore(analyzer=gate)


def large(word: str = "slow") -> list[Document]:
    return [Document(id=f"{word}{n}", content=word) for n in range(1000)]


async def started(gate: Gate, store: InMemoryDocumentStore) -> asyncio.Task[int]:
    """A large write that waits in the middle."""
    task = asyncio.create_task(store.write_documents_async(large()))
    await asyncio.to_thread(gate.reached.wait, 30)
    return task


async def test_a_small_write_is_done_at_its_first_step(store):
    coroutine = store.write_documents_async(named("a"))
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert store.count_documents() == 1

    coroutine = store.delete_documents_async(["a"])
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert store.count_documents() == 0


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
    ):
        assert ids_of(await read) == ["a"]
    assert not task.done()

    gate.open.set()
    assert await task == 1000
    assert len(await store.bm25_retrieval_async("slow", top_k=2000)) == 1000


async def test_waiting_writes_do_not_keep_reads_from_their_threads(store, gate):
    task = await started(gate, store)
    waiting = [asyncio.create_task(store.write_documents_async(named(f"w{n}"))) for n in range(100)]
    await asyncio.sleep(0)

    reads = [store.filter_documents_async() for _ in range(20)]
    assert await asyncio.gather(*reads) == [[]] * 20
    assert not any(write.done() for write in (task, *waiting))

    gate.open.set()
    await asyncio.gather(task, *waiting)
    assert [id for id in ids_of(store.filter_documents()) if id.startswith("w")] == [f"w{n}" for n in range(100)]


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


async def test_a_small_write_does_not_overtake_a_large_one_that_has_not_begun(store, gate):
    gate.open.set()
    busy, begun = threading.Event(), threading.Event()
    blocked = asyncio.create_task(store._state.writer.run(lambda: begun.set() or busy.wait(30), small=False))
    await asyncio.to_thread(begun.wait, 30)
    write = asyncio.create_task(store.write_documents_async(large()))
    await asyncio.sleep(0)
    delete = asyncio.create_task(store.delete_documents_async(["slow0"]))
    await asyncio.sleep(0)
    busy.set()
    await asyncio.gather(blocked, write, delete)
    assert store.count_documents() == 999


async def test_reads_run_beside_each_other():
    both = threading.Barrier(2, timeout=30)

    class Meeting(InMemoryDocumentStore):
        def filter_documents(self, filters=None):
            both.wait()  # needs another reader at the same time
            return super().filter_documents(filters)

    store = Meeting()
    assert await asyncio.gather(store.filter_documents_async(), store.filter_documents_async()) == [[], []]


async def test_a_large_write_that_fails_raises_where_it_is_awaited(store, gate):
    gate.open.set()
    await store.write_documents_async(named("slow5"))
    with pytest.raises(DuplicateDocumentError, match="slow5"):
        await store.write_documents_async(large())
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


async def test_a_write_waits_for_a_thread_that_writes(store, gate):
    thread = threading.Thread(target=store.write_documents, args=(large(),))
    thread.start()
    await asyncio.to_thread(gate.reached.wait, 30)
    task = asyncio.create_task(store.write_documents_async(named("a")))
    await asyncio.sleep(0)
    assert await store.count_documents_async() == 0
    gate.open.set()
    await task
    thread.join()
    assert ids_of(store.filter_documents())[-1] == "a"


async def test_threads_see_the_context_of_their_caller():
    variable = contextvars.ContextVar("variable")
    seen = []

    def tokens(text: str) -> list[str]:
        seen.append(variable.get())
        return text.split()

    variable.set("here")
    store = InMemoryDocumentStore(analyzer=tokens)
    await store.write_documents_async(large("word"))
    await store.bm25_retrieval_async("word")
    assert set(seen) == {"here"}


async def test_reads_run_in_the_executor_that_was_given():
    names = []

    def tokens(text: str) -> list[str]:
        names.append(threading.current_thread().name)
        return text.split()

    with ThreadPoolExecutor(1, thread_name_prefix="mine") as executor:
        store = InMemoryDocumentStore(analyzer=tokens, async_executor=executor)
        assert store.executor is executor
        await store.bm25_retrieval_async("a")
    assert names[0].startswith("mine")


async def test_a_store_can_be_used_after_its_shutdown(store, gate):
    gate.open.set()
    await store.write_documents_async(large())
    executor = store.executor
    store.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        executor.submit(print)
    await store.write_documents_async(large("more"))
    store.shutdown()
    assert store.count_documents() == 2000


async def test_a_store_that_is_gone_leaves_no_thread_behind():
    store = InMemoryDocumentStore()
    await store.write_documents_async(large("word"))
    (thread,) = {thread for thread in threading.enumerate() if thread.name.startswith("spaniel-writer")} & {
        *store._state.writer.thread._threads
    }
    del store
    await asyncio.to_thread(thread.join, 30)
    assert not thread.is_alive()


def test_one_store_serves_one_event_loop_after_the_other():
    store = InMemoryDocumentStore()
    for name in "ab":
        asyncio.run(store.write_documents_async(large(name)))
    assert store.count_documents() == 2000
