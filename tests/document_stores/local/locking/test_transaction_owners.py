"""A transaction belongs to its task and to work started inside it; others wait, or get an error."""

import asyncio
import contextlib
import threading
import time

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import DocumentStoreError, StoreLockedError
from tests.document_stores.faces import ids_of, named
from tests.document_stores.local.processes import another_process, python


class RollBackError(Exception):
    """Ends a transaction that is to be rolled back."""


@pytest.fixture
def store(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        yield store


@pytest.fixture(params=["transaction", "transaction_async"])
def transaction(request, store):
    """Both forms of a transaction, as an async context manager."""

    @contextlib.asynccontextmanager
    async def begun():
        if request.param == "transaction":
            with store.transaction():
                yield
        else:
            async with store.transaction_async():
                yield

    return begun


def ids(store) -> list[str]:
    return ids_of(store.filter_documents())


async def test_the_writes_of_another_task_outlive_a_rollback(store, transaction):
    inside, written = asyncio.Event(), asyncio.Event()

    async def other():
        await inside.wait()
        write = asyncio.create_task(store.write_documents_async(named("other")))
        await asyncio.sleep(0)
        written.set()
        assert await write == 1
        assert ids(store) == ["other"]

    task = asyncio.create_task(other())
    with contextlib.suppress(RollBackError):
        async with transaction():
            store.write_documents(named("mine"))
            inside.set()
            await written.wait()
            await asyncio.sleep(0.05)
            assert ids(store) == ["mine"], "the other write waits"
            raise RollBackError
    await task
    assert ids(store) == ["other"]


async def test_async_writes_inside_belong_to_it(store, transaction):
    with contextlib.suppress(RollBackError):
        async with transaction():
            assert await store.write_documents_async(named("a", "b")) == 2
            await store.delete_documents_async(["a"])
            assert ids_of(await store.filter_documents_async()) == ["b"]
            raise RollBackError
    assert ids(store) == []
    async with transaction():
        await store.write_documents_async(named("a"))
        await store.update_by_filter_async({"field": "id", "operator": "==", "value": "a"}, {"k": 1})
    assert [each.meta for each in store.filter_documents()] == [{"k": 1}]


async def test_tasks_and_threads_that_are_started_inside_belong_to_it(store, transaction):
    with contextlib.suppress(RollBackError):
        async with transaction():
            async with asyncio.TaskGroup() as group:
                for name in "abc":
                    group.create_task(store.write_documents_async(named(name)))
            await asyncio.to_thread(store.write_documents, named("d"))
            assert await asyncio.to_thread(store.count_documents) == 4
            raise RollBackError
    assert store.count_documents() == 0


async def test_readers_outside_see_the_state_before(store, transaction):
    store.write_documents(named("before"))
    seen = []

    async def other(start):
        await start.wait()
        seen.append(ids_of(await store.filter_documents_async()))
        seen.append(ids(store))
        seen.append(ids_of(store.bm25_retrieval("before inside")))

    start = asyncio.Event()
    task = asyncio.create_task(other(start))
    async with transaction():
        await store.write_documents_async(named("inside"))
        start.set()
        await task
    assert seen == [["before"]] * 3
    assert ids(store) == ["before", "inside"]


async def test_a_synchronous_write_of_another_task_fails_at_once(store, transaction):
    async def other():
        with pytest.raises(StoreLockedError, match="Another task of this event loop has a transaction open"):
            store.write_documents(named("other"))
        with pytest.raises(StoreLockedError), store.transaction():
            pass

    start = time.monotonic()
    task = asyncio.create_task(other())
    async with transaction():
        await store.write_documents_async(named("mine"))
        await task
    assert time.monotonic() - start < 5
    assert ids(store) == ["mine"]


async def test_a_synchronous_write_waits_for_a_transaction_of_another_loop(store):
    blocked = threading.Event()
    thread = threading.Thread(target=lambda: held(store, blocked))
    thread.start()
    blocked.wait()
    store.write_documents(named("other"))
    thread.join()
    assert ids(store) == ["thread", "other"]


def held(store, opened, seconds=0.2):
    with store.transaction():
        store.write_documents(named("thread"))
        opened.set()
        time.sleep(seconds)


async def test_an_async_write_waits_without_blocking_the_loop(store, transaction):
    opened, turns = asyncio.Event(), 0

    async def other():
        await opened.wait()
        async with store.transaction_async():
            await store.write_documents_async(named("other"))

    waiting = asyncio.create_task(other())
    async with transaction():
        opened.set()
        for _ in range(10):
            await asyncio.sleep(0.01)
            turns += not waiting.done()
        await store.write_documents_async(named("mine"))
    await waiting
    assert turns == 10
    assert ids(store) == ["mine", "other"]


async def test_waiting_ends_with_an_error_after_the_timeout(tmp_path):
    with LocalDocumentStore(tmp_path / "kb", timeout=0.2) as store:
        outside = asyncio.Event()

        async def other():
            await outside.wait()
            with pytest.raises(StoreLockedError, match=r"did not end for 0\.2 seconds"):
                await store.write_documents_async(named("other"))
            with pytest.raises(StoreLockedError, match=r"0\.2 seconds"):
                async with store.transaction_async():
                    pass

        task = asyncio.create_task(other())
        async with store.transaction_async():
            outside.set()
            await task  # would never end without a timeout
            await store.write_documents_async(named("mine"))
        assert ids(store) == ["mine"]
        await store.write_documents_async(named("later"))


def test_a_thread_waits_for_a_transaction_of_another_up_to_its_timeout(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store, LocalDocumentStore(tmp_path / "kb", timeout=0.05) as hurried:
        opened = threading.Event()
        thread = threading.Thread(target=held, args=(store, opened, 0.5))
        thread.start()
        opened.wait()
        with pytest.raises(StoreLockedError, match=r"0\.05 seconds"):
            hurried.write_documents(named("hurried"))
        store.write_documents(named("patient"))
        thread.join()
        assert ids(store) == ["thread", "patient"]


async def test_rejects_work_that_outlives_its_transaction(store, transaction):
    ended = asyncio.Event()

    async def late():
        await ended.wait()
        for use in (store.count_documents, lambda: store.write_documents(named("late"))):
            with pytest.raises(DocumentStoreError, match="started inside a transaction that has ended"):
                use()
        for use in (store.filter_documents_async, lambda: store.write_documents_async(named("late"))):
            with pytest.raises(DocumentStoreError, match="has ended"):
                await use()
        with pytest.raises(DocumentStoreError, match="has ended"):
            async with store.transaction_async():
                pass

    async with transaction():
        task = asyncio.create_task(late())
        await store.write_documents_async(named("mine"))
    ended.set()
    await task
    assert ids(store) == ["mine"]
    assert store.write_documents(named("after")) == 1


async def test_a_transaction_inside_is_atomic(store, transaction):
    async with transaction():
        await store.write_documents_async(named("a"))
        with contextlib.suppress(RollBackError):
            async with transaction():
                await store.write_documents_async(named("b"))
                assert ids(store) == ["a", "b"]
                raise RollBackError
        assert ids(store) == ["a"]
        async with transaction():
            await store.write_documents_async(named("c"))
    assert ids(store) == ["a", "c"]


async def test_transactions_of_tasks_inside_run_in_order(store, transaction):
    async def part(name, *, fails):
        with contextlib.suppress(RollBackError):
            async with store.transaction_async():
                await store.write_documents_async(named(f"{name}1"))
                await asyncio.sleep(0.01)
                await store.write_documents_async(named(f"{name}2"))
                if fails:
                    raise RollBackError

    async with transaction():
        await asyncio.gather(*(part(name, fails=name in "bd") for name in "abcde"))
    assert ids(store) == ["a1", "a2", "c1", "c2", "e1", "e2"]
    assert store.check() == []


async def test_a_transaction_that_ends_before_one_inside_writes_nothing(store, transaction):
    begun, finish = asyncio.Event(), asyncio.Event()

    async def inside():
        with pytest.raises(DocumentStoreError, match="has ended"):  # noqa: PT012 (the end of the block raises)
            async with store.transaction_async():
                await store.write_documents_async(named("inside"))
                begun.set()
                await finish.wait()

    with pytest.raises(DocumentStoreError, match="still open"):  # noqa: PT012 (the end of the block raises)
        async with transaction():
            await store.write_documents_async(named("outside"))
            task = asyncio.create_task(inside())
            await begun.wait()
    finish.set()
    await task
    assert ids(store) == []
    assert store.write_documents(named("after")) == 1
    assert store.check() == []


async def test_a_transaction_that_is_cancelled_is_rolled_back(store, transaction):
    begun = asyncio.Event()

    async def work():
        async with transaction():
            await store.write_documents_async(named("a"))
            begun.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ids(store) == []
    assert await store.write_documents_async(named("b")) == 1


async def test_a_cancelled_waiter_leaves_the_queue(store):
    async with store.transaction_async():
        pass
    opened = asyncio.Event()
    finish = asyncio.Event()

    async def holder():
        async with store.transaction_async():
            opened.set()
            await finish.wait()

    holding = asyncio.create_task(holder())
    await opened.wait()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(store.write_documents_async(named("a")), 0.05)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), store.transaction_async():
            pass
    finish.set()
    await holding
    await store.write_documents_async(named("b"))
    assert ids(store) == ["b"]


async def test_waiting_for_another_process_can_be_cancelled(tmp_path):
    store, other = LocalDocumentStore(tmp_path / "kb", timeout=30), another_process(tmp_path / "kb")
    with other.transaction():
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), store.transaction_async():
                pass
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(store.write_documents_async(named("a")), 0.1)
        assert time.monotonic() - start < 5
    await store.write_documents_async(named("b"))
    assert ids(store) == ["b"]
    other.close()
    await store.close_async()


@pytest.mark.parametrize("action", ["rebuild", "compact", "check", "close", "release"])
@pytest.mark.parametrize("end", ["commit", "roll back"])
def test_rejects_store_operations_inside_a_transaction(store, action, end):
    store.write_documents(named("before"))
    with contextlib.suppress(RollBackError), store.transaction():
        store.write_documents(named("a"))
        with pytest.raises(DocumentStoreError, match=rf"{action}\(\) can't run inside a transaction"):
            getattr(store, action)()
        if end == "roll back":
            raise RollBackError
    assert ids(store) == (["before"] if end == "roll back" else ["before", "a"])
    assert ids_of(store.bm25_retrieval("a")) == ([] if end == "roll back" else ["a"])
    assert store.check() == []


@pytest.mark.parametrize("action", ["rebuild_async", "compact_async", "check_async", "close_async"])
async def test_rejects_async_store_operations_inside_a_transaction(store, action):
    async with store.transaction_async():
        await store.write_documents_async(named("a"))
        with pytest.raises(DocumentStoreError, match="can't run inside a transaction"):
            await getattr(store, action)()
    assert ids(store) == ["a"]


async def test_a_store_stays_open_while_a_transaction_of_another_task_is_open(store, transaction):
    opened, finish = asyncio.Event(), asyncio.Event()

    async def holder():
        async with transaction():
            await store.write_documents_async(named("a"))
            opened.set()
            await finish.wait()
            await store.write_documents_async(named("b"))

    task = asyncio.create_task(holder())
    await opened.wait()
    with pytest.raises(StoreLockedError):
        store.close()
    finish.set()
    await task
    assert ids(store) == ["a", "b"]
    store.close()
    with pytest.raises(DocumentStoreError, match="closed"):
        store.count_documents()


async def test_an_error_that_ended_the_transaction_in_the_database_ends_it_here(store):
    store.write_documents(named("before"))
    with pytest.raises(DocumentStoreError, match="by an error"), store.transaction():  # noqa: PT012 (the end of the block raises)
        store.write_documents(named("a"))
        store._state.database.writer().execute("ROLLBACK")  # as SQLite does where the disk is full
        with pytest.raises(DocumentStoreError, match="was rolled back by an error"):
            store.write_documents(named("b"))
    assert ids(store) == ["before"]
    store.write_documents(named("c"))
    assert ids(store) == ["before", "c"]


async def test_tasks_beside_transactions_lose_nothing(store):
    """Many tasks write alone, in transactions and in parts; acknowledged writes survive."""
    acknowledged = []

    async def alone(number):
        await store.write_documents_async(named(f"alone{number}"))
        acknowledged.append(f"alone{number}")

    async def together(number):
        with contextlib.suppress(RollBackError):
            async with store.transaction_async():
                await store.write_documents_async(named(f"first{number}"))
                await asyncio.sleep(0)
                await asyncio.gather(*(store.write_documents_async(named(f"part{number}.{n}")) for n in range(3)))
                if number % 3 == 0:
                    raise RollBackError
            acknowledged.extend([f"first{number}", *(f"part{number}.{n}" for n in range(3))])

    await asyncio.gather(*(work(number) for number in range(20) for work in (alone, together)))
    assert sorted(ids(store)) == sorted(acknowledged)
    assert store.check() == []


def test_processes_beside_transactions_lose_nothing(tmp_path):
    code = """
    import sys
    from spaniel import Document
    from spaniel.document_stores.local import LocalDocumentStore
    with LocalDocumentStore(sys.argv[1]) as store:
        for n in range(30):
            with store.transaction():
                store.write_documents([Document(id=f"{sys.argv[2]}{n}a", content="word")])
                store.write_documents([Document(id=f"{sys.argv[2]}{n}b", content="word")])
    """
    with LocalDocumentStore(tmp_path / "kb") as store:
        threads = [threading.Thread(target=python, args=(code, tmp_path / "kb", name)) for name in "xyz"]
        for thread in threads:
            thread.start()
        for n in range(30):
            store.write_documents([Document(id=f"own{n}", content="word")])
        for thread in threads:
            thread.join()
        assert store.count_documents() == 30 + 3 * 60
        assert len(store.bm25_retrieval("word", top_k=999)) == 210
        assert store.check() == []
