"""Several retrievers at once, compared with haystack's."""

import asyncio
import threading
import time
import warnings

import haystack
import pytest
from haystack.components.retrievers import InMemoryBM25Retriever as TheirBM25Retriever
from haystack.components.retrievers import MultiRetriever as TheirMultiRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as TheirStore
from hypothesis import given
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.retrievers import InMemoryBM25Retriever, MultiRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError
from tests.components.retrievers.fixed import RANKINGS, Fixed, Ranking, documents, seen, theirs


@pytest.fixture
def run(run_component):
    return run_component


def their_multi(**arguments) -> TheirMultiRetriever:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TheirMultiRetriever(**arguments)


def multi(*rankings: Ranking, **arguments) -> MultiRetriever:
    found = {str(number): Fixed(documents(ranking, number)) for number, ranking in enumerate(rankings)}
    return MultiRetriever(retrievers=found, **arguments)


@given(RANKINGS, st.none() | st.integers(1, 6))
def test_concatenation_and_fusion_are_haystacks(rankings, top_k):
    rankings = [list(dict(ranking).items()) for ranking in rankings]  # each document once a list
    for mode in ("concatenate", "reciprocal_rank_fusion"):
        expected = their_multi(
            retrievers={str(number): Fixed(theirs(ranking, number)) for number, ranking in enumerate(rankings)},
            join_mode=mode,
            top_k=top_k,
        ).run("q")["documents"]
        found = multi(*rankings, join_mode=mode, top_k=top_k).run("q")["documents"]
        assert [(document.id, document.score) for document in found] == [(it.id, it.score) for it in expected]
        if mode == "concatenate" and top_k is None:
            assert seen(found) == seen(expected)


@given(RANKINGS)
def test_both_ways_to_run_give_the_same(rankings):
    retriever = multi(*rankings)
    assert retriever.run("q") == asyncio.run(retriever.run_async("q"))


@given(RANKINGS)
def test_fusion_counts_a_document_once_a_list_and_keeps_the_copy_of_the_best_rank(rankings):
    once = [list({id: (id, score) for id, score in reversed(ranking)}.values())[::-1] for ranking in rankings]
    ranks = [[id for id, _ in ranking] for ranking in rankings]
    found = multi(*rankings).run("q")["documents"]
    assert {it.id for it in found} == {id for ranking in ranks for id in ranking}
    for it in found:
        number, place = map(int, it.content.split("."))
        best = min(list(dict.fromkeys(ranking)).index(it.id) for ranking in ranks if it.id in ranking)
        assert list(dict.fromkeys(ranks[number])).index(it.id) == best
        assert ranks[number].index(it.id) == place
    if all(len(first) == len(second) for first, second in zip(once, rankings, strict=True)):
        assert found == multi(*once).run("q")["documents"]


def test_of_two_copies_the_one_with_the_higher_score_stays_whichever_comes_first(run):
    full, stub = ("a", 0.9), ("a", 0.1)
    for rankings in ([[full], [stub]], [[stub], [full]]):
        found = run(multi(*rankings, join_mode="concatenate"), "q")["documents"]
        assert [(it.id, it.score) for it in found] == [full]


def test_documents_of_retrievers_are_not_changed(run):
    inner = Fixed([Document(id="b", score=0.1), Document(id="a", score=0.9)])
    run(MultiRetriever(retrievers={"x": inner, "y": inner}), "q")
    assert [(it.id, it.score) for it in inner.found] == [("b", 0.1), ("a", 0.9)]


def test_filters_and_top_k_per_retriever_are_given_to_each_and_a_run_may_replace_them(run):
    inner = Fixed([])
    first = {"field": "meta.a", "operator": "==", "value": 1}
    retriever = MultiRetriever(retrievers={"x": inner}, filters=first, top_k_per_retriever=5)
    run(retriever, "q")
    run(retriever, "q", filters={}, top_k_per_retriever=2)
    run(MultiRetriever(retrievers={"x": inner}), "q", top_k=1)
    assert inner.asked == [
        {"query": "q", "filters": first, "top_k": 5},
        {"query": "q", "filters": {}, "top_k": 2},
        {"query": "q"},
    ]


def test_only_the_active_retrievers_are_asked_in_the_order_named(run):
    retriever = multi([("a", 1.0)], [("b", 1.0)], [("c", 1.0)], join_mode="concatenate")
    assert [it.id for it in run(retriever, "q", active_retrievers=["2", "0"])["documents"]] == ["c", "a"]
    assert run(retriever, "q", active_retrievers=[]) == {"documents": []}
    with pytest.raises(ValueError, match=r"Unknown retriever name\(s\): \['x'\].*\['0', '1', '2'\]"):
        run(retriever, "q", active_retrievers=["x", "0"])


def test_top_k_0_runs_no_retriever_and_negative_is_rejected(run):
    inner = Fixed([Document(id="a")])
    retriever = MultiRetriever(retrievers={"x": inner})
    assert run(retriever, "q", top_k=0) == run(retriever, "q", top_k_per_retriever=0) == {"documents": []}
    assert inner.asked == []
    for name in ("top_k", "top_k_per_retriever"):
        with pytest.raises(ValueError, match=f"{name} must be greater than or equal to 0, but is -1"):
            run(retriever, "q", **{name: -1})


def test_min_score_cuts_the_fused_list(run):
    retriever = multi([("a", None), ("b", None)], [("a", None)], min_score=0.9)
    assert [it.id for it in run(retriever, "q")["documents"]] == ["a"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"top_k": 0}, "top_k must be greater than 0, but is 0"),
        ({"top_k_per_retriever": -1}, "top_k_per_retriever must be greater than 0"),
        ({"max_workers": 0}, "max_workers must be greater than 0"),
        ({"join_mode": "rrf"}, "join_mode must be one of .*, got 'rrf'"),
    ],
)
def test_a_parameter_out_of_its_range_is_refused(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        MultiRetriever(retrievers={}, **arguments)


class Failing:
    def run(self, **_):
        raise OSError("no route")


def test_a_retriever_that_fails_is_named(run):
    with pytest.raises(RuntimeError, match="Retriever 'bad' failed: no route") as caught:
        run(MultiRetriever(retrievers={"good": Fixed([]), "bad": Failing()}), "q")
    assert isinstance(caught.value.__cause__, OSError)


class Slow:
    """Counts how many of its kind run at once."""

    def __init__(self, count: "Count") -> None:
        self.count = count

    def run(self, **_):
        with self.count:
            time.sleep(0.02)
        return {"documents": []}


class Count:
    def __init__(self) -> None:
        self.lock, self.now, self.most, self.all = threading.Lock(), 0, 0, 0

    def __enter__(self) -> None:
        with self.lock:
            self.now, self.all = self.now + 1, self.all + 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.now -= 1


def test_max_workers_bounds_how_many_run_at_once(run):
    count = Count()
    run(MultiRetriever(retrievers={str(n): Slow(count) for n in range(7)}, max_workers=3), "q")
    assert (count.all, count.now) == (7, 0)
    assert 2 <= count.most <= 3


def test_after_a_failure_no_more_retrievers_are_asked(run):
    count = Count()
    slow = {str(n): Slow(count) for n in range(20)}
    with pytest.raises(RuntimeError, match="'bad'"):
        run(MultiRetriever(retrievers={"bad": Failing(), **slow}, max_workers=2), "q")
    assert count.now == 0
    assert count.all < 20


async def test_a_cancelled_run_leaves_nothing_running():
    count, ended = Count(), []

    class Waiting:
        async def run_async(self, **_):
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(True)

        run = run_async

    task = asyncio.create_task(MultiRetriever(retrievers={"a": Waiting(), "b": Slow(count)}).run_async("q"))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (ended, count.now, len(asyncio.all_tasks())) == ([True], 0, 1)


def test_an_open_trace_records_each_retriever_and_the_cut(run):
    store = InMemoryDocumentStore()
    store.write_documents([Document(id="a", content="red apple"), Document(id="b", content="green apple")])
    by_words = InMemoryBM25Retriever(store)
    with spaniel.trace() as trace:
        run(MultiRetriever(retrievers={"x": by_words, "y": by_words}, top_k=1), "red apple")
    names = [stage.name for stage in trace.stages]
    assert names == ["InMemoryBM25Retriever", "InMemoryBM25Retriever", "MultiRetriever"]
    assert [it.id for it in trace.stages[-1].results] == ["a"]
    assert [str(event) for event in trace.stages[-1].events] == [
        "fused from rank 1 of list 1, rank 1 of list 2 with score 1.000",
        "fused from rank 2 of list 1, rank 2 of list 2 with score 0.984",
        "dropped: rank 2 of top_k 1, with score 0.9839, and the last one kept has 1",
    ]


def test_inner_retrievers_are_warmed_up_and_closed(run):
    class Inner(Fixed):
        def warm_up(self):
            self.asked.append("warm_up")

        def close(self):
            self.asked.append("close")

    inner = Inner([])
    retriever = MultiRetriever(retrievers={"x": inner, "y": Fixed([])})
    run(retriever, "q")
    retriever.close()
    asyncio.run(retriever.close_async())
    assert inner.asked == ["warm_up", {"query": "q"}, "close", "close"]


def serialised(data: object) -> str:
    return repr(data).replace("haystack.", "spaniel.")


def test_the_serialised_form_is_haystacks():
    ours = MultiRetriever(
        retrievers={"words": InMemoryBM25Retriever(InMemoryDocumentStore(r"\w+", index="i"))}, top_k=3
    )
    expected = their_multi(retrievers={"words": TheirBM25Retriever(TheirStore(r"\w+", index="i"))}, top_k=3).to_dict()
    assert serialised(ours.to_dict()) == serialised(expected)
    assert MultiRetriever.from_dict(ours.to_dict()).to_dict() == ours.to_dict()
    data = MultiRetriever(retrievers={}, min_score=0.5).to_dict()
    assert MultiRetriever.from_dict(data).min_score == 0.5


def test_a_retriever_of_an_unknown_type_is_named_and_not_imported():
    data = {
        "type": "spaniel.components.retrievers.multi_retriever.MultiRetriever",
        "init_parameters": {"retrievers": {"bad": {"type": "antigravity.Retriever", "init_parameters": {}}}},
    }
    with pytest.raises(DeserializationError, match=r"retriever 'bad'.*antigravity.Retriever"):
        MultiRetriever.from_dict(data)


def test_haystack_is_the_version_that_is_compared_with():
    assert haystack.__version__ == "3.4.1"
