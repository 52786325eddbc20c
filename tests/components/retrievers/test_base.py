"""Invalid arguments of constructors and runs, for every retriever."""

from typing import Any

import haystack
import numpy as np
import pytest
from haystack.components.retrievers import FilterRetriever as TheirFilterRetriever
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever as TheirBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as TheirStore

from spaniel import Document
from spaniel.components.embedders import MockTextEmbedder
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BestSegments,
    ContextBudget,
    FilterRetriever,
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
    MultiQueryEmbeddingRetriever,
    MultiQueryTextRetriever,
    MultiRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    TextEmbeddingRetriever,
)
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import WrongStoreError

STORE = InMemoryDocumentStore()
KEYWORDS, VECTORS, EMBEDDER = InMemoryBM25Retriever(STORE), InMemoryEmbeddingRetriever(STORE), MockTextEmbedder()
NEEDED: dict[Any, dict[str, Any]] = {
    AutoMergingRetriever: {"document_store": STORE},
    BestSegments: {"document_store": STORE},
    ContextBudget: {"document_store": STORE, "budget": 100},
    FilterRetriever: {"document_store": STORE},
    InMemoryBM25Retriever: {"document_store": STORE},
    InMemoryEmbeddingRetriever: {"document_store": STORE},
    MultiQueryEmbeddingRetriever: {"retriever": VECTORS, "query_embedder": EMBEDDER},
    MultiQueryTextRetriever: {"retriever": KEYWORDS},
    MultiRetriever: {"retrievers": {"a": KEYWORDS}},
    RecursiveRetriever: {"document_store": STORE, "filter_key": "name", "relevant_doc_keys": ["cites"]},
    SentenceWindowRetriever: {"document_store": STORE},
    TextEmbeddingRetriever: {"retriever": VECTORS, "text_embedder": EMBEDDER},
}
OVER_STORE = [cls for cls, needed in NEEDED.items() if "document_store" in needed]
COUNTS = [
    (BestSegments, "max_segments"),
    (BestSegments, "per_document"),
    (BestSegments, "max_length"),
    (BestSegments, "budget"),
    (ContextBudget, "window_size"),
    (ContextBudget, "overhead"),
    (AutoMergingRetriever, "min_children"),
    (AutoMergingRetriever, "score_k"),
    (InMemoryBM25Retriever, "top_k"),
    (InMemoryEmbeddingRetriever, "top_k"),
    (MultiQueryEmbeddingRetriever, "max_workers"),
    (MultiQueryTextRetriever, "max_workers"),
    (MultiRetriever, "top_k"),
    (MultiRetriever, "top_k_per_retriever"),
    (MultiRetriever, "max_workers"),
    (RecursiveRetriever, "top_k"),
    (RecursiveRetriever, "depth"),
    (RecursiveRetriever, "max_targets"),
    (RecursiveRetriever, "max_documents"),
    (RecursiveRetriever, "max_requests"),
    (SentenceWindowRetriever, "window_size"),
    (SentenceWindowRetriever, "before"),
    (SentenceWindowRetriever, "after"),
    (SentenceWindowRetriever, "max_length"),
]
RUNS: list[tuple[Any, str, dict[str, Any]]] = [
    (BestSegments, "budget", {"documents": []}),
    (ContextBudget, "budget", {"documents": []}),
    (InMemoryBM25Retriever, "top_k", {"query": "a"}),
    (InMemoryEmbeddingRetriever, "top_k", {"query_embedding": [1.0]}),
    (MultiRetriever, "top_k", {"query": "a"}),
    (MultiRetriever, "top_k_per_retriever", {"query": "a"}),
    (RecursiveRetriever, "top_k", {}),
    (RecursiveRetriever, "depth", {}),
    (SentenceWindowRetriever, "window_size", {"retrieved_documents": []}),
]


@pytest.mark.parametrize("number", ["5", 1.5, 2.0, True, [1]])
@pytest.mark.parametrize(("cls", "name"), COUNTS)
def test_rejects_non_integers(cls: Any, name: str, number: Any):
    with pytest.raises(ValueError, match=f"{name}( parameter)? must be a whole number, not "):
        cls(**NEEDED[cls], **{name: number})


@pytest.mark.parametrize("number", ["5", 1.5, True])
@pytest.mark.parametrize(("cls", "name", "inputs"), RUNS)
def test_run_rejects_non_integers(cls: Any, name: str, inputs: dict[str, Any], number: Any):
    with pytest.raises(ValueError, match=f"{name}( parameter)? must be a whole number, not "):
        cls(**NEEDED[cls]).run(**inputs, **{name: number})


@pytest.mark.parametrize(("cls", "name"), [(InMemoryBM25Retriever, "top_k"), (MultiQueryTextRetriever, "max_workers")])
def test_none_is_refused_where_it_means_nothing(cls: Any, name: str):
    with pytest.raises(ValueError, match=f"{name} must be a whole number, not None"):
        cls(**NEEDED[cls], **{name: None})


def test_an_integer_of_numpy_is_kept_as_a_plain_one():
    assert type(InMemoryBM25Retriever(STORE, top_k=np.int64(3)).top_k) is int


@pytest.mark.parametrize("number", [float("nan"), "0.5", True, [0.5], 10**400])
@pytest.mark.parametrize("cls", NEEDED)
def test_a_least_score_that_is_no_number_is_refused(cls: Any, number: Any):
    with pytest.raises(ValueError, match="min_score must be a number, not "):
        cls(**NEEDED[cls], min_score=number)


@pytest.mark.parametrize("number", [None, 0, -1.5, float("-inf"), np.float32(0.5)])
@pytest.mark.parametrize("cls", NEEDED)
def test_a_least_score_may_be_any_number_or_none(cls: Any, number: Any):
    assert cls(**NEEDED[cls], min_score=number).min_score == number


@pytest.mark.parametrize("threshold", ["0.5", None, float("nan")])
def test_a_threshold_that_is_no_number_is_refused(threshold: Any):
    with pytest.raises(ValueError, match="threshold must be a number"):
        AutoMergingRetriever(STORE, threshold)


@pytest.mark.parametrize("store", [None, "store", {}, Document(content="a")])
@pytest.mark.parametrize("cls", OVER_STORE)
def test_rejects_non_stores(cls: Any, store: Any):
    with pytest.raises(WrongStoreError, match="document_store must be"):
        cls(**NEEDED[cls] | {"document_store": store})


def test_haystack_rejects_fractions_and_non_stores_in_run():
    store = TheirStore(shared=False)
    store.write_documents([haystack.Document(content="a"), haystack.Document(content="a b")])
    with pytest.raises(TypeError, match="slice indices"):
        TheirBM25Retriever(store, top_k=1.5).run("a")
    with pytest.raises(AttributeError, match="filter_documents"):
        TheirFilterRetriever("store").run()
    assert len(TheirBM25Retriever(store, top_k=True).run("a")["documents"]) == 1
