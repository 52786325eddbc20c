"""Words and vectors in one request, on a real server."""

import logging

import pytest

import spaniel
from spaniel import Document, Pipeline
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.retrievers.opensearch import (
    OpenSearchBM25Retriever,
    OpenSearchEmbeddingRetriever,
    OpenSearchHybridRetriever,
)
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError, StoreRequestError, WrongStoreError
from tests.components.retrievers.opensearch.conftest import Towards, ids

FRUIT = [
    Document(id="1", content="red apple", meta={"year": 2020}, embedding=[1, 0, 0]),
    Document(id="2", content="green apple apple tree", meta={"year": 2021}, embedding=[0.8, 0.6, 0]),
    Document(id="3", content="blue sky", meta={"year": 2021}, embedding=[0.9, 0.2, 0]),
    Document(id="4", content="yellow sun", meta={"year": 2022}, embedding=[0, 0, 1]),
]
LATER = {"field": "meta.year", "operator": ">=", "value": 2021}
LATEST = {"field": "meta.year", "operator": "==", "value": 2022}
BAD_QUERY = {"query": {"no_such_query": {}}}


@pytest.fixture(scope="module")
def store(server):
    return server.store(FRUIT)


@pytest.fixture
def make(store):
    return lambda **options: OpenSearchHybridRetriever(store, embedder=Towards(), **options)


def test_both_lists_take_one_request(server, make):
    result, requests = server.counted(make(), query="apple", filters_bm25=LATER, filters_embedding=LATER)
    assert requests == 1
    assert set(ids(result)) == {"2", "3", "4"}


@pytest.mark.parametrize("mode", ["concatenate", "merge", "reciprocal_rank_fusion", "distribution_based_rank_fusion"])
@pytest.mark.parametrize("options", [{}, {"weights": [0.2, 0.8]}, {"sort_by_score": False}, {"top_k": 2}])
def test_the_result_is_that_of_both_retrievers_joined(server, store, make, mode, options):
    words = server.run(OpenSearchBM25Retriever(document_store=store), query="apple sky")["documents"]
    vectors = server.run(OpenSearchEmbeddingRetriever(document_store=store), query_embedding=[1, 0, 0])["documents"]
    joined = DocumentJoiner(mode, **options).run([words, vectors])["documents"]
    found = server.run(make(join_mode=mode, **options), query="apple sky")["documents"]
    assert [(document.id, document.score) for document in found] == [(each.id, each.score) for each in joined]


@pytest.mark.parametrize(("options", "inputs", "found"), [
    ({"top_k_bm25": 1, "top_k_embedding": 1, "join_mode": "concatenate", "sort_by_score": False}, {}, ["2", "1"]),
    ({}, {"top_k_bm25": 1, "top_k_embedding": 0}, ["2"]),
    ({}, {"top_k_bm25": 0, "top_k_embedding": 2}, ["1", "3"]),
    ({}, {"top_k_bm25": 0, "top_k_embedding": 0}, []),
    ({"filters_bm25": LATER, "filters_embedding": LATEST}, {}, ["2", "4"]),
    ({"filters_bm25": LATER, "filters_embedding": LATEST}, {"filters_bm25": LATEST}, ["4"]),
    ({"filters_bm25": LATER, "filter_policy_bm25": "restrict", "filters_embedding": LATEST},
     {"filters_bm25": {"field": "meta.year", "operator": "<", "value": 2021}}, ["4"]),
    ({"all_terms_must_match": True, "top_k_embedding": 1}, {}, ["1", "2"]),
    ({"custom_query_bm25": {"query": {"ids": {"values": ["4"]}}}}, {"top_k_embedding": 0}, ["4"]),
    ({"custom_query_embedding": {"query": {"ids": {"values": ["4"]}}}}, {"top_k_bm25": 0}, ["4"]),
    ({"search_kwargs_embedding": {"boost": 2.0}}, {"top_k_bm25": 0, "top_k_embedding": 1}, ["1"]),
])  # fmt: skip
def test_each_search_has_parameters_of_its_own(server, make, options, inputs, found):
    result = ids(server.run(make(**options), query="apple", **inputs))
    assert result == found or sorted(result) == found


def test_further_parameters_of_a_search_are_passed_on(server, make):
    retriever = make(
        bm25_retriever={"min_score": 1000},
        embedding_retriever={"efficient_filtering": False, "filters": LATEST, "top_k": 2},
    )
    assert ids(server.run(retriever, query="apple")) == []


def test_documents_below_a_score_are_left_out_before_the_cut(server, make):
    scores = [document.score for document in server.run(make(), query="apple")["documents"]]
    assert len(server.run(make(min_score=scores[1], top_k=3), query="apple")["documents"]) == 2


def test_words_may_be_misspelt(server, make):
    assert ids(server.run(make(fuzziness="AUTO"), query="aple", top_k_embedding=0)) == ["2", "1"]


def test_a_query_with_too_many_clauses_is_asked_without_fuzziness(server, caplog):
    words = [f"word{number:04}" for number in range(1500)]
    documents = [Document(id=word, content=word, embedding=[1.0, 0.1, 0.0]) for word in words[:20]]
    store = server.store(documents)
    retriever = OpenSearchHybridRetriever(store, embedder=Towards(), fuzziness=1, top_k_bm25=3, top_k_embedding=1)
    with caplog.at_level(logging.WARNING):
        result, requests = server.counted(retriever, query=" ".join(words[:400]))
    assert len(result["documents"]) >= 3
    assert requests in (1, 2)  # as the server's limit, which grows with its memory, decides


# --- failures


def test_a_search_that_fails_is_an_error(server, make):
    with pytest.raises(StoreRequestError, match="no_such_query"):
        server.run(make(custom_query_bm25=BAD_QUERY), query="apple")
    with pytest.raises(StoreRequestError, match="no_such_query"):
        server.run(make(custom_query_embedding=BAD_QUERY), query="apple")


def test_a_failure_that_is_not_to_be_raised_leaves_the_other_list(server, make, caplog):
    ignored = {"raise_on_failure": False}
    with caplog.at_level(logging.WARNING, "spaniel"):
        first = server.run(make(custom_query_bm25=BAD_QUERY, bm25_retriever=ignored, top_k_embedding=1), query="apple")
        second = server.run(make(custom_query_embedding=BAD_QUERY, embedding_retriever=ignored), query="apple")
    assert (ids(first), ids(second)) == (["1"], ["2", "1"])
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("spaniel")]
    assert [message.partition(" failed")[0] for message in messages] == ["The search by words", "The search by vector"]


def test_a_failure_of_the_other_search_is_raised_all_the_same(server, make):
    retriever = make(custom_query_embedding=BAD_QUERY, bm25_retriever={"raise_on_failure": False})
    with pytest.raises(StoreRequestError, match="no_such_query"):
        server.run(retriever, query="apple")


def test_wrong_arguments_are_errors(server, make):
    with pytest.raises(FilterError):
        server.run(make(), query="apple", filters_bm25={"field": "meta.year"})
    with pytest.raises(ValueError, match="top_k"):
        server.run(make(), query="apple", top_k_embedding=-1)
    with pytest.raises(ValueError, match=r"valid extra args are only.*Found: joiner"):
        make(joiner={})
    with pytest.raises(ValueError, match="top_k"):
        make(top_k=0)
    with pytest.raises(WrongStoreError):
        OpenSearchHybridRetriever(InMemoryDocumentStore(), embedder=Towards())


# --- in a pipeline, in a trace, as data


def test_it_is_a_component_of_a_pipeline(server, make):
    pipeline = Pipeline()
    pipeline.add_component("retriever", make())
    result = server.run(pipeline, {"retriever": {"query": "apple", "top_k_embedding": 1}})
    assert ids(result["retriever"]) == ["1", "2"]


def test_a_trace_tells_where_each_document_stood_and_counts_the_request(server, make):
    with spaniel.trace() as trace:
        server.run(make(top_k=1), query="apple")
    first = trace.stages[0]
    assert [request.method for request in first.requests if not request.for_trace] == ["hybrid_retrieval"]
    matched = [event for event in first.events if event.about == "2"]
    assert [term.term for term in matched[0].terms] == ["apple"]
    fused = next(event for stage in trace.stages for event in stage.events if type(event).__name__ == "Fused")
    assert len(fused.ranks) == 2
    assert [event.by for event in first.events] == ["bm25"] * 2 + ["embedding"] * 4


@pytest.mark.parametrize(("id", "why"), [
    ("3", "by bm25: no word in common: the query has apple; it has blue, sky; by embedding: rank 2 of top_k 1"),
    ("1", "by bm25: rank 2 of top_k 1"),
    ("no such", "no document with this id is in the store"),
])  # fmt: skip
def test_a_trace_tells_why_neither_search_found_a_document(server, store, id, why):
    embedder = Towards(**{"an apple": [0.0, 0.0, 1.0]})
    retriever = OpenSearchHybridRetriever(store, embedder=embedder, top_k_bm25=1, top_k_embedding=1)
    if server.is_async:
        return  # a trace asks in plain code, and the plain client of this store is none
    with spaniel.trace() as trace:
        server.run(retriever, query="apple" if id != "1" else "an apple")
    assert why in str(trace.why_not(id))


def test_closes_embedder_and_store(make):
    retriever = make()
    retriever.close()
    assert retriever.document_store._connection._client is None
