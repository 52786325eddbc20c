"""Merges, windows, hops and structured retrieval over a real server: their results, and for how
many HTTP requests.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BestSegments,
    ContextBudget,
    DeepsetOpenSearchRecursiveRetriever,
    FilterRetriever,
    MultiRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
    TextEmbeddingRetriever,
)
from spaniel.components.retrievers.opensearch import OpenSearchBM25Retriever, OpenSearchEmbeddingRetriever
from spaniel.core.known_types import resolve_serializable_class
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.components.retrievers.opensearch.conftest import Towards, ids
from tests.components.retrievers.trees import balanced, hit, leaves_of
from tests.strategies.placed import placed

FANOUT, LEVELS = 3, 3


def tree(number: int) -> list[Document]:
    """A tree of which each leaf has a word and a direction of its own."""
    words = iter(f"word{number}x{place} " for place in range(FANOUT**LEVELS))
    found = placed(_filled(balanced(FANOUT, LEVELS), words), f"t{number}")
    places = {leaf.id: place for place, leaf in enumerate(leaves_of(found))}
    return [_placed_leaf(node, number, places[node.id]) if node.id in places else node for node in found]


def _filled(block: Any, words: Iterator[str]) -> Any:
    return next(words) if isinstance(block, str) else [_filled(child, words) for child in block]


def _placed_leaf(leaf: Document, number: int, place: int) -> Document:
    meta = {**leaf.meta, "source_id": f"s{number}", "split_id": place, "section": place // 4}
    return replace(leaf, embedding=[1.0, 0.02 * place, 0.3 * number], meta=meta)


def graph(count: int, seed: int) -> list[Document]:
    """Documents that link to each other by two keys, by single values and by lists, in circles and
    into nothing.
    """
    chance = random.Random(seed)
    documents = []
    for number in range(count):
        cites = [f"n{chance.randrange(count + 5)}" for _ in range(chance.randrange(4))]
        meta = {"name": f"n{number}", "also": [f"a{number}", f"b{number % 7}"], "year": 2000 + number % 5}
        meta |= {"cites": cites} if chance.random() < 0.8 else {}
        meta |= {"sees": f"b{chance.randrange(9)}"} if chance.random() < 0.5 else {}
        documents.append(Document(id=f"d{number:02}", content=f"text {number}", meta=meta))
    return documents


TREES = [document for number in range(3) for document in tree(number)]
GRAPH = graph(40, 1)
ALL = sorted([*TREES, *GRAPH], key=lambda document: document.id)  # as the server returns them
LEAVES = leaves_of(TREES)
RECENT = {"field": "meta.year", "operator": ">=", "value": 2002}


@pytest.fixture(scope="module")
def store(server):
    return server.store(ALL, return_embedding=True)


@pytest.fixture(scope="module")
def memory():
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(ALL)
    return store


def linked(store: Any, **options: Any) -> RecursiveRetriever:
    return RecursiveRetriever(store, **({"filter_key": "name", "relevant_doc_keys": ["cites"], "top_k": 50} | options))


# --- equal to the in-memory store

HITS = st.lists(st.sampled_from(LEAVES), max_size=20, unique_by=lambda leaf: leaf.id).map(
    lambda leaves: [hit(leaf, 1 / (2 + place)) for place, leaf in enumerate(leaves)]
)
EXAMPLES = settings(max_examples=40, deadline=None)


@EXAMPLES
@given(hits=HITS, threshold=st.sampled_from([0.2, 0.5, 0.7]), share=st.sampled_from(["children", "text"]))
def test_merges_are_those_of_the_in_memory_store(server, store, memory, hits, threshold, share):
    options = {"threshold": threshold, "share": share}
    found = server.run(AutoMergingRetriever(store, **options), documents=hits)["documents"]
    expected = AutoMergingRetriever(memory, **options).run(documents=hits)["documents"]
    assert [document.to_dict() for document in found] == [document.to_dict() for document in expected]


@EXAMPLES
@given(hits=HITS, size=st.integers(1, 3), options=st.sampled_from([{}, {"over": "root"}, {"merge_overlapping": True}]))
def test_windows_are_those_of_the_in_memory_store(server, store, memory, hits, size, options):
    found = server.run(SentenceWindowRetriever(store, window_size=size, **options), retrieved_documents=hits)
    expected = SentenceWindowRetriever(memory, window_size=size, **options).run(retrieved_documents=hits)
    assert found["context_windows"] == expected["context_windows"]
    assert found["context_documents"] == expected["context_documents"]


@EXAMPLES
@given(
    originals=st.lists(st.sampled_from(GRAPH), max_size=5),
    depth=st.integers(0, 3),
    keys=st.sampled_from([["cites"], ["sees", "cites"]]),
    target=st.sampled_from(["name", "also", "meta.also"]),
    options=st.sampled_from([
        {}, {"direction": "in"}, {"direction": "both"}, {"filters": RECENT}, {"top_k": 4}, {"score_decay": 0.5},
        {"sampling_strategy": ["depth", "source", "rank"]}, {"force_keep_original_documents": True, "top_k": 3},
    ]),
)  # fmt: skip
def test_hops_are_those_of_the_in_memory_store(server, store, memory, originals, depth, keys, target, options):
    options = {"filter_key": target, "relevant_doc_keys": keys, "depth": depth, **options}
    found = server.run(linked(store, **options), documents=originals)["documents"]
    assert found == linked(memory, **options).run(documents=originals)["documents"]


@pytest.mark.parametrize("filters", [None, RECENT, {"field": "id", "operator": "in", "value": ["d01", "t0"]}])
def test_a_filter_finds_the_same_as_in_memory(server, store, memory, filters):
    found = server.run(FilterRetriever(store, filters=filters))["documents"]
    assert ids({"documents": found}) == ids(FilterRetriever(memory, filters=filters).run())


STRUCTURES: list[dict[str, Any]] = [
    {},
    {"merge": False},
    {"window": 1},
    {"window": 2, "window_over": "root", "bounded_by": ["section"]},
    {"budget": 30},
    {"threshold": 0.3},
]


@pytest.mark.parametrize("options", STRUCTURES, ids=str)
@pytest.mark.parametrize("query", ["word1x4", "word0x0 word0x1 word0x2", "word0x0 word0x1 word0x2 word0x3 word2x9"])
def test_a_structured_search_by_words_of_one_document_each_finds_the_same(server, store, memory, options, query):
    found = server.run(StructuredRetriever(store, **options), query=query)
    expected = StructuredRetriever(memory, **options).run(query=query)
    assert set(ids(found)) == set(ids(expected))
    assert sorted(found["context_windows"]) == sorted(expected["context_windows"])


@pytest.mark.parametrize("options", STRUCTURES, ids=str)
@pytest.mark.parametrize("vector", [[1.0, 0.06, 0.0], [1.0, 0.5, 0.61]])
def test_a_structured_search_by_vector_finds_the_same(server, store, memory, options, vector):
    options = {"search": "embedding", "top_k": 4, **options}
    found = server.run(StructuredRetriever(store, **options), query="", query_embedding=vector)
    expected = StructuredRetriever(memory, **options).run(query="any", query_embedding=vector)
    assert ids(found) == ids(expected)
    assert found["context_windows"] == expected["context_windows"]


# --- requests

Case = tuple[Callable[[Any], Any], dict[str, Any], int]
MANY = [hit(leaf, 1.0) for leaf in LEAVES]
COSTS: dict[str, Case] = {
    "a merge: one per level": (AutoMergingRetriever, {"documents": MANY}, LEVELS),
    "a merge of nothing": (AutoMergingRetriever, {"documents": MANY[:1]}, 1),
    "windows: one per run": (SentenceWindowRetriever, {"retrieved_documents": MANY}, 1),
    "windows over roots: one per run": (
        lambda store: SentenceWindowRetriever(store, over="root"), {"retrieved_documents": MANY}, 1
    ),
    "segments: one per run": (BestSegments, {"documents": MANY}, 1),
    "a budget: windows, then all that is larger": (
        lambda store: ContextBudget(store, 100), {"documents": MANY[:9]}, 2
    ),
    "a filter: one": (FilterRetriever, {"filters": RECENT}, 1),
    "hops: one each": (linked, {"documents": GRAPH[:9], "depth": 2}, 2),
    "hops by two keys: one each": (
        lambda store: linked(store, relevant_doc_keys=["cites", "sees"], filters=RECENT),
        {"documents": GRAPH[:9], "depth": 2}, 2,
    ),
    "hops of no depth": (linked, {"documents": GRAPH[:9], "depth": 0}, 0),
    "structured, by words": (lambda store: StructuredRetriever(store, merge=False), {"query": "word0x0"}, 1),
    "structured, by vector, with windows": (
        lambda store: StructuredRetriever(store, search="embedding", merge=False, window=1, text_embedder=Towards()),
        {"query": "a"}, 2,
    ),
    "structured, by both": (
        lambda store: StructuredRetriever(store, search="hybrid", merge=False, text_embedder=Towards()),
        {"query": "word0x0"}, 2,
    ),
    "structured, with hops": (
        lambda store: StructuredRetriever(store, merge=False, follow=["cites"], filter_key="name", depth=2),
        {"query": "text"}, 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COSTS)
def test_a_run_takes_as_many_requests_as_it_says(server, store, name):
    make, inputs, requests = COSTS[name]
    assert server.counted(make(store), **inputs)[1] == requests


@pytest.mark.parametrize("options", [{}, {"window": 1}, {"search": "hybrid"}, {"budget": 20}], ids=str)
def test_a_plan_is_kept(server, store, options):
    retriever = StructuredRetriever(store, text_embedder=Towards(), **options)
    promised = sum(part.requests or 0 for part in retriever.plan(levels=LEVELS))
    assert server.counted(retriever, query=" ".join(leaf.content for leaf in LEAVES[:27]))[1] <= promised


def test_several_retrievers_take_one_request_each(server, store):
    words = OpenSearchBM25Retriever(document_store=store, top_k=2)
    vectors = TextEmbeddingRetriever(
        retriever=OpenSearchEmbeddingRetriever(document_store=store, top_k=2), text_embedder=Towards()
    )
    retriever = MultiRetriever(retrievers={"words": words, "vectors": vectors})
    result, requests = server.counted(retriever, query="word2x5")
    assert requests == 2
    assert set(ids(result)) >= {"t2.0.1.2", "t0.0.0.0", "t0.0.0.1"}


# --- the retriever of the seed

SEED = "deepset_cloud_custom_nodes.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever"


def test_the_recursive_retriever_of_the_platform_runs_from_its_yaml(server, store, memory):
    data = {
        "type": SEED,
        "init_parameters": {
            "filter_key": "name",
            "relevant_doc_keys": ["cites", "sees"],
            "document_store": store.to_dict(),
            "top_k": 20,
            "depth": 2,
            "sampling_strategy": ["rank", "source", "depth"],
            "force_keep_original_documents": False,
            "filters": None,
            "filter_policy": "merge",
        },
    }
    del data["init_parameters"]["document_store"]["init_parameters"]["connection_class"]  # it counts, here
    loaded = resolve_serializable_class(SEED).from_dict(data)
    assert isinstance(loaded, DeepsetOpenSearchRecursiveRetriever)
    expected = linked(memory, relevant_doc_keys=["cites", "sees"], top_k=20, depth=2)
    assert server.run(loaded, documents=GRAPH[:3]) == expected.run(documents=GRAPH[:3])
    server.stores.append(loaded.document_store)


def test_a_run_of_it_takes_its_inputs_and_one_request_a_hop(server, store):
    retriever = DeepsetOpenSearchRecursiveRetriever(store, filter_key="name", relevant_doc_keys=["cites"])
    inputs = {"documents": GRAPH[:5], "top_k": 8, "depth": 3, "filters": RECENT}
    result, requests = server.counted(retriever, **inputs)
    assert requests == 3
    assert len(result["documents"]) == 8
    assert all(document.meta["year"] >= 2002 for document in result["documents"] if document not in GRAPH[:5])


# --- documents that are only kept


@pytest.fixture(scope="module")
def kept(server):
    return server.store([document.independent_copy() for document in TREES], search="leaves", return_embedding=True)


def test_documents_that_are_kept_are_in_no_search_and_come_back_whole(server, kept):
    words = OpenSearchBM25Retriever(document_store=kept, top_k=1000)
    assert set(ids(server.run(words, query="x word0x0"))) == {"t0.0.0.0"}
    everything = server.run(FilterRetriever(kept))["documents"]
    assert {document.id: document.content for document in everything} == {each.id: each.content for each in TREES}


def test_hits_merge_into_documents_that_are_only_kept(server, kept):
    parent = next(document for document in TREES if document.id == "t0.0.0")
    [merged] = server.run(StructuredRetriever(kept), query="word0x0 word0x1")["documents"]
    assert (merged.id, merged.content) == ("t0.0.0", parent.content)


def test_a_structured_search_takes_one_request_and_one_a_level(server, kept):
    retriever = StructuredRetriever(kept)
    result, requests = server.counted(retriever, query=" ".join(f"word0x{place}" for place in range(27)))
    assert ids(result) == ["t0"]
    assert requests == 1 + LEVELS


def test_the_statistics_are_those_of_the_leaves(server, kept):
    alone = server.store([document.independent_copy() for document in LEAVES])
    found, expected = [
        server.run(OpenSearchBM25Retriever(document_store=each), query="word1x7 word1x8")["documents"]
        for each in (kept, alone)
    ]
    assert [(each.id, each.score) for each in found] == [(each.id, each.score) for each in expected]
