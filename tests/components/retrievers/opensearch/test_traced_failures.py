"""A search under a trace whose explanation the server refuses."""

import pytest

import spaniel
from spaniel.components.retrievers.opensearch import OpenSearchBM25Retriever
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from tests.document_stores.opensearch.scripted import Scripted

FOUND = {"hits": {"hits": [{"_id": "1", "_score": 1.0, "_source": {"id": "1", "content": "word"}}]}}
FAILURES = [StoreRequestError("too many clauses", 400), StoreUnavailableError("a node is gone")]


def retriever(*answers):
    store = OpenSearchDocumentStore(index="docs", patience=0.01)
    store._connection = Scripted({"docs": {"mappings": default_mapping(2)}}, *answers)
    store._index.has_vectors = True  # else it would ask
    return OpenSearchBM25Retriever(document_store=store)


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_a_refused_explanation_does_not_fail_the_search(run_component, failure):
    with spaniel.trace() as t:
        found = run_component(retriever(FOUND, *[failure] * 50), "word")
    assert [document.id for document in found["documents"]] == ["1"]
    assert t.events[0].terms == ()
    assert [request.error is None for request in t.requests] == [True, False]
    assert str(failure) in t.requests[1].error


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_a_refused_search_fails(run_component, failure):
    with spaniel.trace() as t, pytest.raises(DocumentStoreError):
        run_component(retriever(*[failure] * 50), "word")
    assert str(failure) in t.requests[0].error
