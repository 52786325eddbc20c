"""Hybrid searches in a single request, and their failures, with scripted answers."""

import json
import logging

import pytest

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from spaniel.errors import StoreRequestError, StoreUnavailableError
from tests.document_stores.faces import AsyncFace, SyncFace, ids_of
from tests.document_stores.opensearch.scripted import Scripted

MAPPING = {"docs": {"mappings": default_mapping(2)}}
COLORED = {"docs": {"mappings": {"properties": default_mapping(2)["properties"] | {"color": {"type": "keyword"}}}}}
CLAUSES = {"type": "search_phase_execution_exception", "root_cause": [{"type": "too_many_clauses", "reason": "1024"}]}
NO_FILTER = {
    "type": "x",
    "root_cause": [{"type": "illegal_argument", "reason": "Engine [NMSLIB] does not support filters"}],
}
BUSY = {"type": "rejected_execution_exception", "reason": "the queue is full"}
ONLY_RED = {"field": "meta.color", "operator": "==", "value": "red"}


def found(*ids):
    return {"hits": {"hits": [{"_id": id, "_score": 1.0, "_source": {"id": id, "content": id}} for id in ids]}}


def failed(error, status=400):
    return {"error": error, "status": status}


def answers(*responses):
    return {"responses": list(responses)}


@pytest.fixture(params=[SyncFace, AsyncFace])
def scripted(request, monkeypatch):
    """Makes a store whose server gives these answers, after the mapping; and the server."""
    monkeypatch.setattr("spaniel.runtime.retries.FIRST_PAUSE", 0.001)

    def make(*script, **settings):
        store = OpenSearchDocumentStore(index="docs", **settings)
        store._connection = Scripted(MAPPING, *script)
        store._index.has_vectors = True  # skips a request
        return request.param(store), store._connection

    return make


def searches(request):
    return [json.loads(line) for line in request.body.splitlines()[1::2]]


WORDS, VECTOR = {"query": "a"}, {"query_embedding": [1.0, 0.0]}


async def test_hybrid_search_is_a_single_request(scripted):
    store, server = scripted(answers(found("1"), found("2", "3")))
    first, second = await store.hybrid_retrieval(WORDS, {**VECTOR, "top_k": 2})
    assert (ids_of(first), ids_of(second)) == (["1"], ["2", "3"])
    [body] = [searches(request) for request in server.requests[1:]]
    assert [search["size"] for search in body] == [10, 2]


async def test_search_for_no_hits_is_not_sent(scripted):
    store, server = scripted(answers(found("1")))
    assert (await store.hybrid_retrieval(WORDS, {**VECTOR, "top_k": 0}))[1] == []
    assert len(searches(server.requests[1])) == 1


async def test_only_the_rejected_search_is_repeated(scripted):
    store, server = scripted(answers(found("1"), failed(BUSY, 429)), answers(found("2")))
    first, second = await store.hybrid_retrieval(WORDS, VECTOR)
    assert (ids_of(first), ids_of(second)) == (["1"], ["2"])
    assert "knn" in str(searches(server.requests[2]))
    assert len(searches(server.requests[2])) == 1


async def test_busy_server_raises_after_the_retries(scripted):
    store, _ = scripted(*[answers(found("1"), failed(BUSY, 429))] + [answers(failed(BUSY, 429))] * 99, patience=0.01)
    with pytest.raises(StoreUnavailableError, match="the queue is full"):
        await store.hybrid_retrieval(WORDS, VECTOR)


async def test_too_many_clauses_are_repeated_without_fuzziness(scripted, caplog):
    store, server = scripted(answers(failed(CLAUSES), found("2")), answers(found("1")))
    with caplog.at_level(logging.WARNING, "spaniel"):
        first, second = await store.hybrid_retrieval({**WORDS, "fuzziness": "AUTO"}, VECTOR)
    assert (ids_of(first), ids_of(second)) == (["1"], ["2"])
    assert "fuzziness" not in str(searches(server.requests[2]))
    assert "Retrying with fuzziness=0" in caplog.text


@pytest.mark.parametrize("words", [WORDS, {**WORDS, "fuzziness": 1, "custom_query": {"query": {}}}])
async def test_too_many_clauses_without_fuzziness_raise(scripted, words):
    store, _ = scripted(answers(failed(CLAUSES), found("2")))
    with pytest.raises(StoreRequestError, match="too_many_clauses"):
        await store.hybrid_retrieval(words, VECTOR)


async def test_hybrid_search_falls_back_to_filtering_neighbours(scripted, caplog):
    store, server = scripted(answers(found("1"), failed(NO_FILTER)), answers(found("2")))
    server.answers[0] = COLORED
    with caplog.at_level(logging.WARNING, "spaniel"):
        _, second = await store.hybrid_retrieval(WORDS, {**VECTOR, "filters": ONLY_RED})
    assert ids_of(second) == ["2"]
    [search] = searches(server.requests[-1])
    assert "filter" in search["query"]["bool"]
    assert "efficient_filtering=False" in caplog.text


async def test_vector_search_falls_back_to_filtering_neighbours(scripted):
    refusal = StoreRequestError("Engine [NMSLIB] does not support filters", 400, "illegal_argument")
    store, server = scripted(refusal, found("2"), refusal)
    server.answers[0] = COLORED
    assert ids_of(await store.embedding_retrieval([1.0, 0.0], ONLY_RED)) == ["2"]
    assert "filter" in server.requests[-1].body["query"]["bool"]
    with pytest.raises(StoreRequestError, match="NMSLIB"):
        await store.embedding_retrieval([1.0, 0.0], efficient_filtering=False)


async def test_rejected_request_is_repeated_search_by_search(scripted):
    refusal = StoreRequestError("unknown query", 400, "parsing_exception")
    script = refusal, refusal, answers(found("2"))
    store, _ = scripted(*script)
    with pytest.raises(StoreRequestError, match="unknown query"):
        await store.hybrid_retrieval(WORDS, VECTOR)
    store, server = scripted(*script)
    first, second = await store.hybrid_retrieval({**WORDS, "raise_on_failure": False}, VECTOR)
    assert (ids_of(first), ids_of(second)) == ([], ["2"])
    assert [len(searches(request)) for request in server.requests[1:]] == [2, 1, 1]


async def test_index_without_text_is_searched_by_vector(scripted):
    store, server = scripted(answers(found("2")))
    server.answers[0] = {"docs": {"mappings": {"properties": {"embedding": {"type": "knn_vector"}}}}}
    first, second = await store.hybrid_retrieval({**WORDS, "raise_on_failure": False}, VECTOR)
    assert (ids_of(first), ids_of(second)) == ([], ["2"])
