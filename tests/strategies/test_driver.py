import asyncio
import threading
from functools import partial
from typing import Any

import pytest

import spaniel
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.strategies import (
    Call,
    FetchByFilter,
    FetchByIds,
    FetchByKey,
    FetchByKeys,
    Search,
    Steps,
    call_async,
    drive,
    drive_async,
)
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore
from spaniel.tracing.events import Dropped

DOCS = [Document(id="a", content="apple", meta={"n": 1}), Document(id="b", content="banana", meta={"n": 2})]


def store() -> InMemoryDocumentStore:
    kept = InMemoryDocumentStore()
    kept.write_documents(DOCS)
    return kept


def fetch(ids: list[str], *, limit: int = 1, record: Any = None) -> Steps[list[Document]]:
    """Fetch each id by a request of its own."""
    found: list[Document] = []
    for id in ids:
        found += yield FetchByIds([id])
    if record is not None:
        record(Dropped("a", "for a test"))
    return found[:limit]


def run(strategy: Any, kept: Any, name: str = "") -> Any:
    """Return what both drivers return, checked to be the same."""
    found = drive(strategy, kept, name)
    assert asyncio.run(drive_async(strategy, kept, name)) == found
    return found


def test_both_drivers_send_the_answers_and_return_the_result():
    assert run(partial(fetch, ["b", "a"], limit=2), store()) == [DOCS[1], DOCS[0]]


def test_an_algorithm_that_asks_nothing_needs_no_store():
    assert run(partial(fetch, []), None) == []


def test_every_request_is_one_call():
    counting = CountingStore(store())
    drive(partial(fetch, ["a", "b", "a"]), counting)
    assert counting.calls == {"get_documents_by_id": 3}


def test_the_async_driver_uses_the_async_methods():
    assert asyncio.run(drive_async(partial(fetch, ["a"]), AsyncOnlyStore(store()))) == [DOCS[0]]


def test_a_store_without_async_methods_is_called_in_a_thread():
    class Slow(PlainStore):
        def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
            self.thread = threading.current_thread()
            return super().filter_documents(filters)

    slow = Slow(store())
    assert asyncio.run(drive_async(partial(fetch, ["a"]), slow)) == [DOCS[0]]
    assert slow.thread is not threading.main_thread()


async def test_a_call_is_awaited_where_the_store_can_do_it():
    assert await call_async(AsyncOnlyStore(store()), Call("count_documents", {})) == 2
    assert await call_async(PlainStore(store()), Call("count_documents", {})) == 2


@pytest.mark.parametrize("traced", [False, True])
def test_an_error_of_the_store_comes_through(traced: bool):
    class Broken(PlainStore):
        def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
            raise OSError("disk on fire")

    def attempt() -> None:
        with pytest.raises(OSError, match="disk on fire"):
            drive(partial(fetch, ["a"]), Broken(store()))
        with pytest.raises(OSError, match="disk on fire"):
            asyncio.run(drive_async(partial(fetch, ["a"]), Broken(store())))

    if not traced:
        attempt()
        return
    with spaniel.trace() as t:
        attempt()
    assert len(t.stages) == 2


def test_without_a_trace_the_algorithm_has_no_recorder():
    def told(*, record: Any) -> Steps[bool]:
        yield from ()
        return record is None

    assert run(told, None) is True
    with spaniel.trace():
        assert run(told, None) is False


def test_a_trace_has_a_stage_with_what_went_in_and_what_came_out():
    with spaniel.trace() as t:
        drive(partial(fetch, ["a", "b"], limit=2), store(), "Fetcher")
    [stage] = t.stages
    assert (stage.name, stage.settings) == ("Fetcher", {"limit": 2})
    assert [(request.method, request.documents) for request in stage.requests] == [("get_documents_by_id", 1)] * 2
    assert stage.events == [Dropped("a", "for a test")]
    assert stage.results == DOCS


def test_a_parameter_at_its_default_is_no_setting():
    with spaniel.trace() as t:
        drive(partial(fetch, [], limit=1), store())
    assert t.stages[0].settings == {}


# --- which store method answers --------------------------------------------------------------------------------------


def test_a_store_with_look_ups_is_asked_by_them():
    assert FetchByIds(["a"]).call_on(store()) == Call("get_documents_by_id", {"document_ids": ["a"]})
    by_key = Call("get_documents_by_key", {"key": "n", "values": [1], "filters": None})
    assert FetchByKey("n", [1]).call_on(store()) == by_key


def test_a_store_without_look_ups_is_asked_by_filters():
    plain = PlainStore(store())
    by_id = {"field": "id", "operator": "in", "value": ["a"]}
    assert FetchByIds(["a"]).call_on(plain) == Call("filter_documents", {"filters": by_id})
    odd = {"field": "meta.x", "operator": "==", "value": 1}
    links = {"field": "meta.n", "operator": "in", "value": [1]}
    both = Call("filter_documents", {"filters": {"operator": "AND", "conditions": [odd, links]}})
    assert FetchByKey("n", [1], odd).call_on(plain) == both


def test_several_keys_are_asked_for_at_once():
    odd = {"field": "meta.x", "operator": "==", "value": 1}
    wanted = {"n": [1], "id": ["a"]}
    assert FetchByKeys(wanted, odd).call_on(store()) == Call(
        "get_documents_by_keys", {"values": wanted, "filters": odd}
    )
    assert FetchByKeys({"n": [1]}).call_on(store()) == FetchByKey("n", [1]).call_on(store())
    links = {
        "operator": "OR",
        "conditions": [
            {"field": "meta.n", "operator": "in", "value": [1]},
            {"field": "id", "operator": "in", "value": ["a"]},
        ],
    }
    plain = PlainStore(store())
    assert FetchByKeys(wanted).call_on(plain) == Call("filter_documents", {"filters": links})
    both = {"operator": "AND", "conditions": [odd, links]}
    assert FetchByKeys(wanted, odd).call_on(plain) == Call("filter_documents", {"filters": both})


@pytest.mark.parametrize(
    ("key", "field"), [("n", "meta.n"), ("meta.n", "meta.n"), ("a.b", "meta.a.b"), ("id", "id"), ("content", "content")]
)
def test_a_key_is_named_in_a_filter_as_every_store_takes_it(key: str, field: str):
    call = FetchByKey(key, [1]).call_on(PlainStore(store()))
    assert call.arguments["filters"]["field"] == field


def test_a_filter_and_a_search_are_asked_as_they_are():
    assert FetchByFilter(None).call_on(store()) == Call("filter_documents", {"filters": None})
    assert Search("bm25_retrieval", {"query": "x"}).call_on(store()) == Call("bm25_retrieval", {"query": "x"})
