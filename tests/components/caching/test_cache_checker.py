from datetime import datetime
from decimal import Decimal
from unittest.mock import Mock

import haystack
import numpy as np
import pytest
from haystack.components.caching import CacheChecker as ReferenceChecker
from haystack.document_stores.in_memory import InMemoryDocumentStore as ReferenceStore
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document, trace
from spaniel.components.caching import CacheChecker
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore
from tests.modes import COMPONENT_MODES

SCALARS = st.none() | st.sampled_from(
    ["x", "y", "", 0, 1, 1.0, True, 2.5, "2024-05-01", "2024-05-01T00:00:00", "2024-05-01T00:00:00Z", float("nan")]
)
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.just({"x": 1})
METAS = st.fixed_dictionaries({}, optional={"key": VALUES})
URLS = [Document(id=str(number), meta={"url": f"https://example.org/{number % 2}"}) for number in range(4)]


def store_of(documents, store_class=InMemoryDocumentStore):
    store = store_class()
    store.write_documents(documents)
    return store


def run(checker, items, colour="sync"):
    return COMPONENT_MODES[colour](checker, items)


def shown(result):
    return [document.id for document in result["hits"]], result["misses"]


def same(first, second):
    """Compare results with NaN by identity."""
    return (
        first[0] == second[0] and len(first[1]) == len(second[1]) and all(map(lambda a, b: a is b, first[1], second[1]))
    )


@pytest.mark.parametrize("colour", COMPONENT_MODES)
@pytest.mark.parametrize("field", ["key", "meta.key"])
@given(metas=st.lists(METAS, max_size=5), items=st.lists(VALUES, max_size=4))
def test_hits_and_misses_are_those_of_haystack(colour, field, metas, items):
    ids = range(len(metas))
    theirs = store_of(
        [haystack.Document(id=str(i), meta=meta) for i, meta in zip(ids, metas, strict=True)], ReferenceStore
    )
    ours = store_of([Document(id=str(i), meta=meta) for i, meta in zip(ids, metas, strict=True)])
    # Haystack's own async run is not asked: its store may wait for ever when another one is
    # collected meanwhile.
    expected = shown(run(ReferenceChecker(theirs, field), items))
    assert same(shown(run(CacheChecker(ours, field), items, colour)), expected)
    assert same(shown(run(CacheChecker(PlainStore(ours), field), items)), expected)


@pytest.mark.parametrize(("colour", "suffix"), [("sync", ""), ("async", "_async")])
def test_many_items_are_one_request(colour, suffix):
    store = CountingStore(store_of(URLS))
    result = run(CacheChecker(store, "url"), [f"https://example.org/{number}" for number in range(1000)], colour)
    assert shown(result)[0] == ["0", "2", "1", "3"]
    assert store.calls == {f"get_documents_by_key{suffix}": 1}


def test_a_store_without_the_look_up_is_asked_once_too():
    inner = CountingStore(store_of(URLS))
    run(CacheChecker(PlainStore(inner), "url"), ["https://example.org/1", "https://example.org/7", "x"])
    assert inner.calls == {"filter_documents": 1}


def test_no_items_are_no_request():
    store = CountingStore(store_of(URLS))
    assert CacheChecker(store, "url").run([]) == {"hits": [], "misses": []}
    assert not store.calls


def test_an_item_that_comes_twice_is_answered_twice():
    result = CacheChecker(store_of(URLS[:1]), "url").run(["https://example.org/0", "no"] * 2)
    assert shown(result) == (["0", "0"], ["no", "no"])


@pytest.mark.parametrize("item", [Decimal(1), np.int64(1), np.float32(1)])
def test_numbers_of_other_kinds_equal_the_same_number(item):
    store = store_of([Document(id="a", meta={"key": 1}), Document(id="b", meta={"key": Decimal(1)})])
    assert shown(CacheChecker(store, "key").run([item, 1])) == (["a", "b", "a", "b"], [])


def test_a_moment_has_many_spellings():
    store = store_of([Document(id="a", meta={"key": datetime(2024, 5, 1)})])  # noqa: DTZ001 (a spelling)
    assert shown(CacheChecker(store, "key").run(["2024-05-01", "2024-05-02"])) == (["a"], ["2024-05-02"])


def test_only_async_methods_are_called_in_async_code():
    checker = CacheChecker(AsyncOnlyStore(store_of(URLS)), "url")
    assert shown(run(checker, ["https://example.org/1", "x"], "async")) == (["1", "3"], ["x"])


@pytest.mark.parametrize("checker_class", [ReferenceChecker, CacheChecker])
def test_async_run_rejects_stores_without_async_methods(checker_class):
    with pytest.raises(TypeError, match="does not provide async support"):
        run(checker_class(PlainStore(InMemoryDocumentStore()), "url"), ["x"], "async")


def test_the_trace_shows_the_request():
    with trace() as opened:
        CacheChecker(store_of(URLS), "url").run(["https://example.org/1", "x"])
    (stage,) = opened.stages
    assert [request.method for request in stage.requests] == ["get_documents_by_key"]


def test_it_closes_its_store():
    store = Mock(spec=["close"])
    CacheChecker(store, "url").close()
    store.close.assert_called_once_with()
