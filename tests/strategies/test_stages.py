import asyncio
import logging
import threading
from functools import partial
from typing import Any

import pytest

import spaniel
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.runtime import Call, execute, execute_async
from spaniel.store_methods import ExplainsBM25, FiltersDocuments, FindsById, FindsByKey, FindsByKeys, SupportsBM25
from spaniel.strategies import FetchByFilter, FetchByIds, FetchByKeys, FetchBySearch, StrategyRun, run_stage, search
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore
from spaniel.tracing.events import Dropped, Matched
from tests.modes import MODES

DOCS = [Document(id="a", content="apple", meta={"n": 1}), Document(id="b", content="banana", meta={"n": 2})]


def store() -> InMemoryDocumentStore:
    kept = InMemoryDocumentStore()
    kept.write_documents(DOCS)
    return kept


def fetch(ids: list[str], *, limit: int = 1, record: Any = None) -> StrategyRun[list[Document]]:
    """Fetch each id by a request of its own."""
    found: list[Document] = []
    for id in ids:
        found += yield FetchByIds([id])
    if record is not None:
        record(Dropped("a", "for a test"))
    return found[:limit]


class Broken(PlainStore):
    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        raise OSError("disk on fire")


class Unexplained(InMemoryDocumentStore):
    """Finds, but can't explain."""

    def explain_bm25(self, query: str, document_ids: Any) -> Any:
        raise OSError("no explanation today")


def test_answers_are_sent_and_the_result_is_returned(run):
    assert run(run_stage(partial(fetch, ["b", "a"], limit=2), store())) == [DOCS[1], DOCS[0]]


def test_an_algorithm_that_asks_nothing_needs_no_store(run):
    assert run(run_stage(partial(fetch, []), None)) == []


def test_every_request_is_one_call(run):
    counting = CountingStore(store())
    run(run_stage(partial(fetch, ["a", "b", "a"]), counting))
    assert sum(counting.calls.values()) == 3


def test_an_error_of_the_store_is_raised_in_the_algorithm(run):
    def forgiving(*, record: Any) -> StrategyRun[str]:
        try:
            yield FetchByIds(["a"])
        except OSError as error:
            return str(error)
        return "no error"

    assert run(run_stage(forgiving, Broken(store()))) == "disk on fire"
    with spaniel.trace():
        assert run(run_stage(forgiving, Broken(store()))) == "disk on fire"


def test_async_methods_are_used_in_a_coroutine():
    assert MODES["async"](run_stage(partial(fetch, ["a"]), AsyncOnlyStore(store()))) == [DOCS[0]]


def test_a_store_without_async_methods_is_called_in_a_thread():
    class Slow(PlainStore):
        def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
            self.thread = threading.current_thread()
            return super().filter_documents(filters)

    slow = Slow(store())
    assert MODES["async"](run_stage(partial(fetch, ["a"]), slow)) == [DOCS[0]]
    assert slow.thread is not threading.main_thread()


def test_an_algorithm_may_need_the_async_methods():
    needing = partial(run_stage, partial(fetch, ["a"]), PlainStore(store()), needs_async=True)
    assert execute(needing()) == [DOCS[0]]
    with pytest.raises(TypeError, match="PlainStore does not provide async support"):
        MODES["async"](needing())


def test_an_error_of_the_store_comes_through(run):
    with pytest.raises(OSError, match="disk on fire"):
        run(run_stage(partial(fetch, ["a"]), Broken(store())))


def test_the_trace_notes_why_a_request_failed(run):
    with spaniel.trace() as t, pytest.raises(OSError, match="disk on fire"):
        run(run_stage(partial(fetch, ["a"]), Broken(store())))
    [request] = t.requests
    assert (request.method, request.error) == ("filter_documents", "OSError: disk on fire")


def test_without_a_trace_the_algorithm_has_no_recorder(run):
    def listening(*, record: Any) -> StrategyRun[bool]:
        yield from ()
        return record is not None

    assert run(run_stage(listening, None)) is False
    with spaniel.trace():
        assert run(run_stage(listening, None)) is True


def test_a_trace_has_a_stage_with_inputs_and_results(run):
    with spaniel.trace() as t:
        run(run_stage(partial(fetch, ["a", "b"], limit=2), store(), "Fetcher"))
    [stage] = t.stages
    assert (stage.name, stage.kind, stage.settings) == ("Fetcher", "fetch", {"limit": 2})
    assert [(request.method, request.documents) for request in stage.requests] == [("get_documents_by_id", 1)] * 2
    assert stage.events == [Dropped("a", "for a test")]
    assert stage.results == DOCS


def test_a_parameter_at_its_default_is_no_setting(run):
    with spaniel.trace() as t:
        run(run_stage(partial(fetch, [], limit=1), store()))
    assert t.stages[0].settings == {}


# --- requests for the trace alone -----------------------------------------------------------------


def find(kept: Any) -> Any:
    explain = ExplainsBM25.explain_bm25
    return run_stage(partial(search, SupportsBM25.bm25_retrieval, explain, query="apple"), kept, "find")


def unexplained() -> Unexplained:
    kept = Unexplained()
    kept.write_documents(DOCS)
    return kept


def test_a_search_whose_explanation_fails_is_not_failed(run):
    with spaniel.trace() as t:
        found = run(find(unexplained()))
    assert [document.id for document in found] == ["a"]
    assert t.events == [Matched("a", 1, found[0].score, (), "")]
    assert [(request.method, request.error) for request in t.requests] == [
        ("bm25_retrieval", None),
        ("explain_bm25", "OSError: no explanation today"),
    ]


def test_a_trace_with_a_failed_request_can_be_shown_saved_and_asked(run, tmp_path):
    with spaniel.trace() as t:
        run(find(unexplained()))
    t.save(tmp_path / "trace.json")
    assert spaniel.tracing.Trace.load(tmp_path / "trace.json").requests == t.requests
    assert str(t.why("a"))
    t.show()


async def test_a_slow_explanation_does_not_hold_up_a_search(monkeypatch):
    monkeypatch.setattr("spaniel.runtime.execution.DEFERRED_SECONDS", 0.05)

    class Slow(InMemoryDocumentStore):
        async def explain_bm25_async(self, query: str, document_ids: Any) -> Any:
            await asyncio.sleep(30)

    kept = Slow()
    kept.write_documents(DOCS)
    with spaniel.trace() as t:
        found = await asyncio.wait_for(execute_async(find(kept)), 5)
    assert [document.id for document in found] == ["a"]
    assert t.events[0].terms == ()
    assert "CancelledError" in t.requests[1].error


def test_plain_code_asks_for_an_explanation_when_the_trace_is_read():
    counting = CountingStore(store())
    with spaniel.trace() as t:
        execute(find(counting))
    assert counting.calls == {"bm25_retrieval": 1}
    assert t.events[0].terms
    assert counting.calls == {"bm25_retrieval": 1, "explain_bm25": 1}


def test_a_coroutine_asks_for_an_explanation_at_once():
    counting = CountingStore(store())
    with spaniel.trace() as t:
        MODES["async"](find(counting))
    assert counting.calls == {"bm25_retrieval_async": 1, "explain_bm25_async": 1}
    assert t.events[0].terms


def test_events_that_can_t_be_made_leave_those_that_can(run, caplog):
    def events() -> Any:
        yield Dropped("b", "second")
        raise ZeroDivisionError

    def recording(*, record: Any) -> StrategyRun[list[Document]]:
        record(Dropped("a", "first"))
        record(events())
        record(Dropped("c", "third"))
        yield from ()
        return []

    with spaniel.trace() as t:
        run(run_stage(recording, None, "recording"))
    with caplog.at_level(logging.WARNING, "spaniel"):
        assert [event.about for event in t.events] == ["a", "b", "c"]
    assert [event.about for event in t.events] == ["a", "b", "c"]
    assert "'recording'" in caplog.text


# --- which store method answers -------------------------------------------------------------------


def called(receiver: Any, method: Any, **arguments: Any) -> Call:
    return Call(receiver, method, arguments, in_thread="abandon")


def test_a_store_with_look_ups_is_asked_by_them():
    kept = store()
    by_id = called(kept, FindsById.get_documents_by_id, document_ids=["a"])
    assert FetchByIds(["a"]).call_on(kept) == by_id
    by_key = called(kept, FindsByKey.get_documents_by_key, key="n", values=[1], filters=None)
    assert FetchByKeys({"n": [1]}).call_on(kept) == by_key


def test_a_store_without_look_ups_is_asked_by_filters():
    plain = PlainStore(store())
    by_id = {"field": "id", "operator": "in", "value": ["a"]}
    assert FetchByIds(["a"]).call_on(plain) == called(plain, FiltersDocuments.filter_documents, filters=by_id)
    odd = {"field": "meta.x", "operator": "==", "value": 1}
    links = {"field": "meta.n", "operator": "in", "value": [1]}
    both = called(plain, FiltersDocuments.filter_documents, filters={"operator": "AND", "conditions": [odd, links]})
    assert FetchByKeys({"n": [1]}, odd).call_on(plain) == both


def test_several_keys_are_asked_for_at_once():
    odd = {"field": "meta.x", "operator": "==", "value": 1}
    wanted = {"n": [1], "id": ["a"]}
    kept = store()
    by_keys = called(kept, FindsByKeys.get_documents_by_keys, values=wanted, filters=odd)
    assert FetchByKeys(wanted, odd).call_on(kept) == by_keys
    links = {
        "operator": "OR",
        "conditions": [
            {"field": "meta.n", "operator": "in", "value": [1]},
            {"field": "id", "operator": "in", "value": ["a"]},
        ],
    }
    plain = PlainStore(store())
    assert FetchByKeys(wanted).call_on(plain) == called(plain, FiltersDocuments.filter_documents, filters=links)
    both = {"operator": "AND", "conditions": [odd, links]}
    assert FetchByKeys(wanted, odd).call_on(plain) == called(plain, FiltersDocuments.filter_documents, filters=both)


@pytest.mark.parametrize(
    ("key", "field"), [("n", "meta.n"), ("meta.n", "meta.n"), ("a.b", "meta.a.b"), ("id", "id"), ("content", "content")]
)
def test_a_key_is_named_in_a_filter_as_every_store_takes_it(key: str, field: str):
    call = FetchByKeys({key: [1]}).call_on(PlainStore(store()))
    assert call.arguments["filters"]["field"] == field


def test_a_filter_and_a_search_are_asked_as_they_are():
    kept = store()
    assert FetchByFilter(None).call_on(kept) == called(kept, FiltersDocuments.filter_documents, filters=None)
    find = FetchBySearch(SupportsBM25.bm25_retrieval, {"query": "x"})
    assert find.call_on(kept) == called(kept, SupportsBM25.bm25_retrieval, query="x")
