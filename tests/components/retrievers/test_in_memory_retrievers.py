"""The keyword, vector and filter retrievers: their own rules, and Haystack's answers."""

import math
from typing import Any

import numpy as np
import pytest
from haystack import Document as HaystackDocument
from haystack.components.retrievers import FilterRetriever as HaystackFilterRetriever
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever as HaystackBM25Retriever
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever as HaystackEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from haystack.document_stores.types import FilterPolicy as HaystackFilterPolicy
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.retrievers import FilterRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import FilterPolicy
from spaniel.errors import FilterError, WrongStoreError
from spaniel.testing import PlainStore
from tests.components.retrievers.conftest import Way, ids

FEW = settings(max_examples=50, deadline=None)
SEARCHERS = [InMemoryBM25Retriever, InMemoryEmbeddingRetriever]
FRUIT = [
    Document(id="1", content="red apple", meta={"n": 1, "kind": "k1"}, embedding=[1.0, 0.0]),
    Document(id="2", content="apple apple pie", meta={"n": 2, "kind": "k2"}, embedding=[0.6, 0.8]),
    Document(id="3", content="blue sky", meta={"n": 3, "kind": "k1"}, embedding=[0.0, 1.0]),
]


def query(retriever: Any) -> dict[str, Any]:
    return {"query": "apple"} if isinstance(retriever, InMemoryBM25Retriever) else {"query_embedding": [1.0, 0.1]}


def at_least(n: int) -> dict[str, Any]:
    return {"field": "meta.n", "operator": ">=", "value": n}


def kind(name: str) -> dict[str, Any]:
    return {"field": "meta.kind", "operator": "==", "value": name}


# --- both searches -------------------------------------------------------------------------------


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_the_best_documents_come_first(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT), top_k=2)
    expected = ["2", "1"] if searcher is InMemoryBM25Retriever else ["1", "2"]
    assert own_way.ids(retriever, **query(retriever)) == expected


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_run_may_set_top_k_and_0_gives_none(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT))
    assert len(own_way.ids(retriever, **query(retriever), top_k=1)) == 1
    assert own_way.ids(retriever, **query(retriever), top_k=0) == []


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_negative_top_k_in_a_run_is_an_error(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT))
    with pytest.raises(ValueError, match="top_k"):
        own_way.run(retriever, **query(retriever), top_k=-1)


@pytest.mark.parametrize("top_k", [0, -3])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_top_k_of_0_or_less_in_the_constructor_is_an_error(searcher: Any, top_k: int):
    with pytest.raises(ValueError, match=f"top_k must be greater than 0, but is {top_k}"):
        searcher(InMemoryDocumentStore(), top_k=top_k)


@pytest.mark.parametrize("error", [ValueError, TypeError, WrongStoreError])
@pytest.mark.parametrize("store", [None, "store", PlainStore(InMemoryDocumentStore())])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_store_of_another_kind_is_both_a_value_error_and_a_type_error(
    searcher: Any, store: Any, error: type[Exception]
):
    with pytest.raises(error, match=f"must be an instance of InMemoryDocumentStore, not {type(store).__name__}"):
        searcher(store)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_policy_may_be_given_by_name(searcher: Any):
    assert searcher(InMemoryDocumentStore(), filter_policy="Merge").filter_policy is FilterPolicy.MERGE
    with pytest.raises(ValueError, match="Unknown FilterPolicy type 'both'"):
        searcher(InMemoryDocumentStore(), filter_policy="both")


@pytest.mark.parametrize(("policy", "expected"), [("replace", {"1"}), ("merge", {"1"}), ("restrict", set())])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_the_policy_joins_the_filters_of_constructor_and_run(
    own_way: Way, searcher: Any, policy: str, expected: set[str]
):
    retriever = searcher(own_way.store(FRUIT[:2]), filters=kind("k2"), filter_policy=policy)
    assert set(own_way.ids(retriever, **query(retriever), filters=kind("k1"))) == expected


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_restricted_retriever_can_only_be_narrowed(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT), filters=kind("k1"), filter_policy=FilterPolicy.RESTRICT)
    wide = {"operator": "OR", "conditions": [kind("k1"), kind("k2")]}
    assert "2" not in own_way.ids(retriever, **query(retriever), filters=wide)


@pytest.mark.parametrize("policy", [FilterPolicy.MERGE, FilterPolicy.RESTRICT])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_run_leaves_no_filter_behind(own_way: Way, searcher: Any, policy: FilterPolicy):
    initial = {"operator": "AND", "conditions": [at_least(1)]}
    retriever = searcher(own_way.store(FRUIT[:2]), filters=initial, filter_policy=policy)
    own_way.run(retriever, **query(retriever), filters=kind("k1"))
    assert own_way.ids(retriever, **query(retriever), filters=kind("k2")) == ["2"]
    assert initial == {"operator": "AND", "conditions": [at_least(1)]}


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_two_or_filters_merge_so_that_both_hold(own_way: Way, searcher: Any):
    one = {"operator": "OR", "conditions": [kind("k2"), kind("k3")]}
    other = {"operator": "OR", "conditions": [at_least(2), at_least(3)]}
    retriever = searcher(own_way.store(FRUIT), filters=one, filter_policy=FilterPolicy.MERGE)
    assert own_way.ids(retriever, **query(retriever), filters=other) == ["2"]


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_malformed_filter_is_an_error(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT))
    with pytest.raises(FilterError):
        own_way.run(retriever, **query(retriever), filters={"field": "meta.n", "operator": "IN", "value": [1]})


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_min_score_is_compared_with_the_score_that_is_returned(own_way: Way, searcher: Any, scaled: bool):
    first, *_ = own_way.run(retriever := searcher(own_way.store(FRUIT), scale_score=scaled), **query(retriever))[
        "documents"
    ]
    strict = searcher(own_way.store(FRUIT), scale_score=scaled, min_score=first.score)
    assert own_way.ids(strict, **query(strict)) == [first.id]


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_scale_score_false_in_a_run_wins_over_true(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT), scale_score=True)
    raw = searcher(own_way.store(FRUIT))
    found = own_way.run(retriever, **query(retriever), scale_score=False)
    assert found == own_way.run(raw, **query(raw))


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_editing_a_result_does_not_edit_the_store(own_way: Way, searcher: Any):
    retriever = searcher(own_way.store(FRUIT))
    first = own_way.run(retriever, **query(retriever))["documents"][0]
    first.meta["n"] = 99
    assert own_way.run(retriever, **query(retriever))["documents"][0].meta["n"] != 99


# --- keywords and vectors -------------------------------------------------------------------------


def test_only_documents_that_share_a_term_are_found(own_way: Way):
    docs = [Document(id=text, content=text) for text in ("red apple", "blue sky", "green grass")]
    for scaled in (False, True):
        retriever = InMemoryBM25Retriever(own_way.store(docs), scale_score=scaled)
        assert own_way.ids(retriever, query="apple") == ["red apple"]


def test_an_empty_query_is_an_error(own_way: Way):
    with pytest.raises(ValueError, match="Query should be a non-empty string"):
        own_way.run(InMemoryBM25Retriever(own_way.store(FRUIT)), query="")


@pytest.mark.parametrize("vector", [[1, 0], np.array([1, 0]), np.array([1, 0], dtype=np.float32), (1.0, 0.0)])
def test_a_vector_may_be_of_any_numbers(own_way: Way, vector: Any):
    retriever = InMemoryEmbeddingRetriever(own_way.store(FRUIT), top_k=1)
    assert own_way.ids(retriever, query_embedding=vector) == ["1"]


@pytest.mark.parametrize("vector", [[], "", [math.nan, 1.0]])
def test_a_vector_that_is_none_is_an_error(own_way: Way, vector: Any):
    with pytest.raises(ValueError, match=r"."):
        own_way.run(InMemoryEmbeddingRetriever(own_way.store(FRUIT)), query_embedding=vector)


@pytest.mark.parametrize(
    ("init", "run", "expected"),
    [(False, None, None), (True, None, [1.0, 0.0]), (True, False, None), (False, True, [1.0, 0.0])],
)
def test_embeddings_are_returned_on_demand(own_way: Way, init: bool, run: bool | None, expected: list[float] | None):
    retriever = InMemoryEmbeddingRetriever(own_way.store(FRUIT), top_k=1, return_embedding=init)
    [found] = own_way.run(retriever, query_embedding=[1.0, 0.0], return_embedding=run)["documents"]
    assert found.embedding == expected


# --- filters alone --------------------------------------------------------------------------------


def test_filter_retriever_returns_matches_in_store_order(way: Way):
    assert way.ids(FilterRetriever(way.store(FRUIT), filters=kind("k1"))) == ["1", "3"]


def test_without_a_filter_it_returns_everything(way: Way):
    assert way.ids(FilterRetriever(way.store(FRUIT))) == ["1", "2", "3"]


def test_the_filter_of_a_run_takes_the_place_of_the_constructors(way: Way):
    retriever = FilterRetriever(way.store(FRUIT), filters=kind("k1"))
    assert way.ids(retriever, filters=at_least(2)) == ["2", "3"]
    assert way.ids(retriever, filters={}) == ["1", "2", "3"]


def test_its_min_score_concerns_documents_with_a_score(way: Way):
    docs = [Document(id="weak", score=0.1), Document(id="strong", score=0.9), Document(id="none")]
    assert way.ids(FilterRetriever(way.store(docs), min_score=0.5)) == ["strong", "none"]


# --- against Haystack -----------------------------------------------------------------------------

WORDS = st.lists(
    st.sampled_from(["apple", "pie", "banana", "split", "cherry", "tart", "red"]), min_size=0, max_size=8
).map(" ".join)
VECTORS = st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3)


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    texts = draw(st.lists(st.tuples(WORDS, VECTORS, st.integers(0, 3)), min_size=1, max_size=12))
    return [
        Document(id=str(place), content=text, embedding=vector, meta={"n": n})
        for place, (text, vector, n) in enumerate(texts)
    ]


def both(documents: list[Document], **options: Any) -> tuple[InMemoryDocumentStore, HaystackStore]:
    ours, theirs = InMemoryDocumentStore(**options), HaystackStore(**options)
    ours.write_documents(documents)
    theirs.write_documents([HaystackDocument.from_dict(document.to_dict()) for document in documents])
    return ours, theirs


def agree(ours: list[Document], theirs: list[Any]) -> None:
    """Check that scores are equal, and the order too, but for documents whose scores differ by less
    than 1e-9.
    """
    assert [document.score for document in ours] == pytest.approx([document.score for document in theirs], abs=1e-9)
    scores = {document.id: float(document.score) for document in theirs}
    assert {document.id: document.score for document in ours} == pytest.approx(scores, abs=1e-9)


@FEW
@given(
    corpora(),
    WORDS.filter(bool),
    st.sampled_from(["BM25L", "BM25Plus"]),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 3).map(at_least)),
)
def test_keyword_results_are_haystacks(
    documents: list[Document], text: str, algorithm: str, scaled: bool, filters: Any
):
    ours, theirs = both(documents, bm25_algorithm=algorithm)
    run = {"query": text, "scale_score": scaled, "filters": filters, "top_k": 50}
    agree(InMemoryBM25Retriever(ours).run(**run)["documents"], HaystackBM25Retriever(theirs).run(**run)["documents"])


@FEW
@given(
    corpora(),
    VECTORS,
    st.sampled_from(["dot_product", "cosine"]),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 3).map(at_least)),
)
def test_vector_results_are_haystacks(
    documents: list[Document], vector: list[float], similarity: str, scaled: bool, filters: Any
):
    ours, theirs = both(documents, embedding_similarity_function=similarity)
    run = {"query_embedding": vector, "scale_score": scaled, "filters": filters, "top_k": 50}
    found = InMemoryEmbeddingRetriever(ours).run(**run)["documents"]
    agree(found, HaystackEmbeddingRetriever(theirs).run(**run)["documents"])


@FEW
@given(corpora(), st.sampled_from(["replace", "merge"]), st.integers(0, 3), st.integers(0, 3))
def test_policies_are_haystacks(documents: list[Document], policy: str, initial: int, run_time: int):
    ours, theirs = both(documents)
    run = {"query_embedding": [1.0, 1.0, 1.0], "filters": {"field": "meta.n", "operator": "<=", "value": run_time}}
    found = InMemoryEmbeddingRetriever(ours, at_least(initial), filter_policy=policy).run(**run)["documents"]
    expected = HaystackEmbeddingRetriever(theirs, at_least(initial), filter_policy=HaystackFilterPolicy(policy)).run(
        **run
    )["documents"]
    assert set(ids(found)) == {document.id for document in expected}


@FEW
@given(
    corpora(),
    st.one_of(st.none(), st.just({}), st.integers(0, 4).map(at_least)),
    st.one_of(st.none(), st.just({}), st.integers(0, 4).map(at_least)),
)
def test_filter_results_are_haystacks(documents: list[Document], initial: Any, run_time: Any):
    ours, theirs = both(documents)
    found = FilterRetriever(ours, initial).run(run_time)["documents"]
    expected = HaystackFilterRetriever(theirs, initial).run(run_time)["documents"]
    assert ids(found) == [document.id for document in expected]
