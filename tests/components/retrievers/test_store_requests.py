"""The number of store requests of a run."""

from collections import Counter
from typing import Any

import pytest

import spaniel
from spaniel import Document
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BestSegments,
    ContextBudget,
    FilterRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
)
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.strategies import widen
from tests.components.retrievers.conftest import Way
from tests.components.retrievers.trees import balanced, hit, leaves_of, nodes
from tests.strategies.placed import placed

LINKED = [Document(id=str(n), meta={"name": n, "cites": [n + 1, n + 20], "sees": [n + 2]}) for n in range(40)]


def requests(counted: Way, retriever: Any, **inputs: Any) -> Counter[str]:
    """Return the store calls of a run by name, the async ones under the name of the sync ones."""
    retriever.document_store.forget()
    counted.run(retriever, **inputs)
    calls: Counter[str] = Counter()
    for name, number in retriever.document_store.calls.items():
        calls[name.removesuffix("_async")] += number
    return calls


def counted_calls(retriever: Any) -> list[str]:
    return list(retriever.document_store.calls.elements())


@pytest.mark.parametrize("levels", [1, 2, 3, 6])
def test_merging_asks_once_a_level(counted: Way, levels: int):
    tree = nodes(balanced(2, levels))
    retriever = AutoMergingRetriever(counted.store(tree))
    assert requests(counted, retriever, documents=leaves_of(tree)).total() == levels


def test_merging_asks_once_where_nothing_merges(counted: Way):
    tree = nodes(balanced(3, 3))
    retriever = AutoMergingRetriever(counted.store(tree))
    assert requests(counted, retriever, documents=leaves_of(tree)[::3]).total() == 1


def test_merging_asks_once_a_level_for_the_leaves_of_many_hierarchies(counted: Way):
    trees = [nodes(balanced(2, 3), f"t{number}") for number in range(5)]
    retriever = AutoMergingRetriever(counted.store([node for tree in trees for node in tree]))
    hits = [hit(leaf, 1.0) for tree in trees for leaf in leaves_of(tree)[:7]]
    assert requests(counted, retriever, documents=hits).total() == 3


@pytest.mark.parametrize("hits", [1, 5, 40])
def test_windows_ask_once_a_run(counted: Way, hits: int):
    docs = [Document(id=str(n), content=str(n), meta={"source_id": n % 7, "split_id": n // 7}) for n in range(200)]
    retriever = SentenceWindowRetriever(counted.store(docs))
    assert requests(counted, retriever, retrieved_documents=docs[:hits]) == {"filter_documents": 1}


def test_windows_of_more_hits_than_a_filter_should_name_ask_once_too(counted: Way):
    docs = [Document(id=str(n), content=str(n), meta={"source_id": n, "split_id": 0}) for n in range(300)]
    retriever = SentenceWindowRetriever(counted.store(docs))
    assert requests(counted, retriever, retrieved_documents=docs) == {"filter_documents": 1}


def test_a_filter_stops_growing_with_the_number_of_windows():
    def conditions(hits: int) -> int:
        docs = [Document(id=str(n), meta={"source_id": "a", "split_id": 9 * n}) for n in range(hits)]
        return len(next(widen(docs, window_size=1)).call_on(None).arguments["filters"]["conditions"])

    assert [conditions(hits) for hits in (1, 100, 101, 500)] == [1, 100, 3, 3]


@pytest.mark.parametrize("depth", [0, 1, 2, 4])
def test_recursion_asks_once_a_hop(counted: Way, depth: int):
    retriever = RecursiveRetriever(counted.store(LINKED), "name", ["cites", "sees"])
    assert requests(counted, retriever, documents=LINKED[:2], depth=depth).total() == depth


def test_recursion_asks_no_more_where_the_links_end(counted: Way):
    docs = [Document(id="a", meta={"name": "a", "cites": "b"}), Document(id="b", meta={"name": "b"})]
    retriever = RecursiveRetriever(counted.store(docs), "name", ["cites"])
    assert requests(counted, retriever, documents=docs[:1], depth=9).total() == 1


@pytest.mark.parametrize("options", [
    {"share": "text"}, {"min_children": 2}, {"level_thresholds": {0: 0.9}}, {"rule": "hichunk", "budget": 10_000},
])  # fmt: skip
def test_every_rule_of_merging_asks_at_most_once_a_level(counted: Way, options: dict[str, Any]):
    tree = placed(balanced(2, 10))
    hits = [hit(leaf, 1.0) for leaf in leaves_of(tree)]
    assert requests(counted, AutoMergingRetriever(counted.store(tree), **options), documents=hits).total() == 10


@pytest.mark.parametrize("options", [{}, {"bounded_by": "section", "max_length": 50, "merge_overlapping": True}])
@pytest.mark.parametrize("number", [1, 60])
def test_windows_over_roots_ask_once_a_run(counted: Way, options: dict[str, Any], number: int):
    trees = [placed(balanced(2, 3), f"t{at}") for at in range(30)]
    hits = [leaf for tree in trees for leaf in leaves_of(tree)[:2]][:number]
    retriever = SentenceWindowRetriever(
        counted.store([node for tree in trees for node in tree]), over="root", **options
    )
    assert requests(counted, retriever, retrieved_documents=hits).total() == 1


@pytest.mark.parametrize("direction", ["in", "both"])
@pytest.mark.parametrize("depth", [1, 3])
def test_recursion_asks_once_a_hop_in_every_direction(counted: Way, direction: str, depth: int):
    retriever = RecursiveRetriever(counted.store(LINKED), "name", ["cites", "sees"], direction=direction, top_k=100)
    assert requests(counted, retriever, documents=LINKED[5:7], depth=depth).total() <= depth


def test_inward_leaves_ask_once_more_for_their_sections(counted: Way):
    sections = [Document(id=f"s{n}", meta={"name": n}) for n in range(3)]
    leaves = [Document(id=f"l{n}", meta={"__parent_id": f"s{n}"}) for n in range(3)]
    retriever = RecursiveRetriever(counted.store([*sections, *leaves]), "name", ["cites"], direction="in")
    assert requests(counted, retriever, documents=leaves).total() == 2


def test_a_budget_asks_once_for_windows_and_once_for_all_that_is_larger(counted: Way):
    trees = [placed(balanced(2, 3), f"t{at}") for at in range(9)]
    hits = [hit(leaf, 1.0) for tree in trees for leaf in leaves_of(tree)]
    retriever = ContextBudget(counted.store([node for tree in trees for node in tree]), 1000)
    assert requests(counted, retriever, documents=hits).total() == 2
    assert requests(counted, ContextBudget(retriever.document_store, 9, worth={"leaf": 1}), documents=hits).total() == 0


def test_segments_ask_once_a_run(counted: Way):
    trees = [placed(balanced(2, 3), f"t{at}") for at in range(9)]
    hits = [hit(leaf, 1.0) for tree in trees for leaf in leaves_of(tree)[::2]]
    retriever = BestSegments(counted.store([node for tree in trees for node in tree]))
    assert requests(counted, retriever, documents=hits).total() == 1


@pytest.mark.parametrize(("retriever", "inputs"), [
    (AutoMergingRetriever, {"documents": []}),
    (BestSegments, {"documents": []}),
    (lambda store: ContextBudget(store, 9), {"documents": []}),
    (SentenceWindowRetriever, {"retrieved_documents": []}),
    (lambda store: RecursiveRetriever(store, "name", ["cites"]), {"documents": None}),
    (lambda store: RecursiveRetriever(store, "name", ["cites"]), {"documents": LINKED[:3], "top_k": 0}),
])  # fmt: skip
def test_nothing_to_look_for_asks_nothing(counted: Way, retriever: Any, inputs: dict[str, Any]):
    assert requests(counted, retriever(counted.store()), **inputs).total() == 0


def test_a_filter_retriever_asks_once(counted: Way):
    assert requests(counted, FilterRetriever(counted.store(LINKED))) == {"filter_documents": 1}


@pytest.mark.parametrize("traced", [False, True])
def test_a_keyword_search_asks_once_and_once_more_for_a_trace(counted: Way, traced: bool):
    if "plain" in counted.name:
        return
    retriever = InMemoryBM25Retriever(counted.store([Document(content="apple")]))
    if traced:
        with spaniel.trace() as t:
            requests(counted, retriever, query="apple")
        assert len(t.events) == 1
        calls = Counter(name.removesuffix("_async") for name in counted_calls(retriever))
        assert calls == {"bm25_retrieval": 1, "explain_bm25": 1}
    else:
        assert requests(counted, retriever, query="apple") == {"bm25_retrieval": 1}


@pytest.mark.parametrize("traced", [False, True])
def test_no_other_retriever_asks_more_for_a_trace(counted: Way, traced: bool):
    tree = nodes(balanced(2, 2))
    with spaniel.trace() if traced else _nothing():
        assert requests(counted, AutoMergingRetriever(counted.store(tree)), documents=leaves_of(tree)).total() == 2
        recursive = RecursiveRetriever(counted.store(LINKED), "name", ["cites"])
        assert requests(counted, recursive, documents=LINKED[:1], depth=2).total() == 2
        if "plain" not in counted.name:
            vectors = InMemoryEmbeddingRetriever(counted.store([Document(embedding=[1.0])]))
            assert requests(counted, vectors, query_embedding=[1.0]) == {"embedding_retrieval": 1}


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()
