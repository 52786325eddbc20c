"""Search by words and by vector, on a real server."""

import logging

import pytest

import spaniel
from spaniel import Document
from spaniel.components.retrievers.opensearch import OpenSearchBM25Retriever, OpenSearchEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError, StoreRequestError, WrongStoreError
from tests.components.retrievers.opensearch.conftest import ids

FRUIT = [
    Document(id="1", content="red apple", meta={"year": 2020, "title": "sky"}, embedding=[1, 0, 0]),
    Document(id="2", content="green apple tree", meta={"year": 2021, "title": "tree"}, embedding=[0.8, 0.6, 0]),
    Document(id="3", content="blue sky", meta={"year": 2021, "title": "apple"}, embedding=[0, 1, 0]),
    Document(id="4", content="yellow sun", meta={"year": 2022, "title": "sun"}, embedding=[0, 0, 1]),
]
LATER = {"field": "meta.year", "operator": ">=", "value": 2021}
LATEST = {"field": "meta.year", "operator": "==", "value": 2022}


@pytest.fixture(scope="module")
def store(server):
    return server.store(FRUIT)


@pytest.fixture
def words(store):
    return OpenSearchBM25Retriever(document_store=store)


@pytest.fixture
def vectors(store):
    return OpenSearchEmbeddingRetriever(document_store=store)


# --- words


def test_words_are_found_in_the_text_best_first(server, words):
    assert ids(server.run(words, query="apple")) == ["1", "2"]


def test_a_search_is_one_request(server, words):
    assert server.counted(words, query="apple", filters=LATER)[1] == 1


@pytest.mark.parametrize(("query", "inputs", "found"), [
    ("apple", {"filters": LATER}, ["2"]),
    ("apple", {"top_k": 1}, ["1"]),
    ("apple", {"top_k": 0}, []),
    ("aple", {}, []),
    ("aple", {"fuzziness": "AUTO"}, ["1", "2"]),
    ("green apple", {"all_terms_must_match": True}, ["2"]),
    ("", {"filters": LATEST}, ["4"]),
])  # fmt: skip
def test_run_overrides_the_constructor(server, words, query, inputs, found):
    assert ids(server.run(words, query=query, **inputs)) == found


def test_constructor_options_apply_to_every_run(server, store):
    retriever = OpenSearchBM25Retriever(
        document_store=store, filters=LATER, fuzziness="AUTO", top_k=1, all_terms_must_match=True, scale_score=True
    )
    found = server.run(retriever, query="gren aple")["documents"]
    assert [document.id for document in found] == ["2"]
    assert 0.5 < found[0].score < 1


def test_a_query_of_ones_own_is_filled(server, words):
    query = {"query": {"bool": {"must": {"match": {"title": "$query"}}, "filter": "$filters"}}}
    assert ids(server.run(words, query="apple", custom_query=query)) == ["3"]
    assert ids(server.run(words, query="apple", custom_query=query, filters=LATEST)) == []


def test_documents_below_a_score_are_left_out(server, store):
    scores = [
        document.score
        for document in server.run(OpenSearchBM25Retriever(document_store=store), query="apple")["documents"]
    ]
    retriever = OpenSearchBM25Retriever(document_store=store, min_score=sum(scores) / 2)
    assert ids(server.run(retriever, query="apple")) == ["1"]


def test_a_trace_tells_the_words_that_matched(server, words):
    with spaniel.trace() as trace:
        server.run(words, query="apple tree")
    [first, _] = trace.events
    assert first.about == "2"
    assert {term.term for term in first.terms} == {"apple", "tree"}


def test_a_trace_of_a_fuzzy_search_tells_ranks_only(server, words):
    with spaniel.trace() as trace:
        server.run(words, query="aple", fuzziness=1)
    assert [(event.about, event.rank, event.terms) for event in trace.events] == [("1", 1, ()), ("2", 2, ())]


# --- vectors


def test_the_most_similar_come_first_and_without_their_vectors(server, vectors):
    found = server.run(vectors, query_embedding=[0.9, 0.1, 0], top_k=2)["documents"]
    assert [(document.id, document.embedding) for document in found] == [("1", None), ("2", None)]


def test_as_many_as_are_wanted_are_found_among_those_that_match(server, vectors):
    assert ids(server.run(vectors, query_embedding=[1, 0.1, 0.2], filters=LATEST, top_k=1)) == ["4"]


@pytest.mark.parametrize("where", ["constructor", "run"])
def test_a_filter_may_be_put_to_the_neighbours_instead(server, store, where):
    options = {"efficient_filtering": False}
    retriever = OpenSearchEmbeddingRetriever(document_store=store, **(options if where == "constructor" else {}))
    inputs = options if where == "run" else {}
    assert ids(server.run(retriever, query_embedding=[1, 0.1, 0.2], filters=LATEST, top_k=1, **inputs)) == []


def test_further_members_of_the_vector_query_are_passed_on(server, vectors):
    more = {"method_parameters": {"ef_search": 50}}
    assert ids(server.run(vectors, query_embedding=[0, 0, 1], top_k=1, search_kwargs=more)) == ["4"]
    with pytest.raises(StoreRequestError, match="status 400"):
        server.run(vectors, query_embedding=[0, 0, 1], search_kwargs={"method_parameters": {"ef_search": -1}})


def test_a_vector_query_of_ones_own_is_filled(server, vectors):
    near = {"knn": {"embedding": {"vector": "$query_embedding", "k": 4}}}
    query = {"query": {"bool": {"must": [near], "filter": "$filters"}}}
    assert ids(server.run(vectors, query_embedding=[1, 0, 0], custom_query=query, filters=LATER))[0] == "2"


def test_vectors_below_a_score_are_left_out(server, store):
    retriever = OpenSearchEmbeddingRetriever(document_store=store, min_score=0.95)
    assert ids(server.run(retriever, query_embedding=[1, 0, 0])) == ["1"]


# --- failures, and another store


def test_rejection_by_the_server_is_an_error(server, words, vectors):
    with pytest.raises(StoreRequestError, match=r"\(status 400, parsing_exception\): unknown query \[no_such_query\]"):
        server.run(words, query="apple", custom_query={"query": {"no_such_query": {}}})
    with pytest.raises(StoreRequestError, match="dimension"):
        server.run(vectors, query_embedding=[1, 0])


def test_a_failure_that_is_not_to_be_raised_is_a_warning_and_finds_nothing(server, store, caplog):
    words = OpenSearchBM25Retriever(document_store=store, raise_on_failure=False)
    vectors = OpenSearchEmbeddingRetriever(document_store=store, raise_on_failure=False)
    with caplog.at_level(logging.WARNING):
        assert server.run(words, query="a", custom_query={"query": {"no_such_query": {}}}) == {"documents": []}
        assert server.run(vectors, query_embedding=[1, 0]) == {"documents": []}
    first, second = [record.getMessage() for record in caplog.records if record.name.startswith("spaniel")]
    assert "no_such_query" in first
    assert "dimension" in second


def test_wrong_arguments_are_raised_all_the_same(server, store):
    retriever = OpenSearchBM25Retriever(document_store=store, raise_on_failure=False)
    with pytest.raises(FilterError):
        server.run(retriever, query="apple", filters={"field": "meta.year"})
    with pytest.raises(ValueError, match="top_k"):
        server.run(retriever, query="apple", top_k=-1)
    with pytest.raises(ValueError, match="string"):
        server.run(retriever, query=5)


def test_a_run_may_ask_another_store(server, words, vectors):
    other = server.store([Document(id="other", content="apple", embedding=[1, 0, 0])])
    assert ids(server.run(words, query="apple", document_store=other)) == ["other"]
    assert ids(server.run(vectors, query_embedding=[1, 0, 0], document_store=other)) == ["other"]
    assert ids(server.run(words, query="apple")) == ["1", "2"]


def test_another_kind_of_store_is_refused(server, words):
    with pytest.raises(WrongStoreError, match="must be an instance of OpenSearchDocumentStore"):
        OpenSearchBM25Retriever(document_store=InMemoryDocumentStore())
    with pytest.raises(WrongStoreError, match="must be an instance of OpenSearchDocumentStore"):
        server.run(words, query="apple", document_store=InMemoryDocumentStore())
