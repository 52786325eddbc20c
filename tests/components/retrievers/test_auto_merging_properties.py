"""Auto-merging over random hierarchies: against Haystack, and properties for any hits."""

import asyncio
import random

import pytest
from haystack import Document as HaystackDocument
from haystack.components.retrievers import AutoMergingRetriever as HaystackAutoMergingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import AutoMergingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.components.retrievers.conftest import ids
from tests.components.retrievers.trees import ancestors, hit, leaves_of, nodes, trees_and_hits

THRESHOLDS = st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.9])
FEW = settings(max_examples=60, deadline=None)


def merged(stored: list[Document], hits: list[Document], threshold: float) -> list[Document]:
    store = InMemoryDocumentStore()
    store.write_documents(stored)
    return AutoMergingRetriever(store, threshold).run(hits)["documents"]


def merged_by_haystack(stored: list[Document], hits: list[Document], threshold: float) -> list[str]:
    store = HaystackStore()
    store.write_documents([HaystackDocument.from_dict(node.to_dict()) for node in stored])
    given_hits = [HaystackDocument.from_dict(node.to_dict()) for node in hits]
    found = HaystackAutoMergingRetriever(store, threshold).run(given_hits)["documents"]
    return [document.id for document in found]


def each_text_once(found: list[str]) -> list[str]:
    """Return Haystack's result corrected: each document once, and none inside another."""
    distinct = list(dict.fromkeys(found))
    return [id for id in distinct if not any(ancestor in distinct for ancestor in ancestors(id))]


@FEW
@given(trees_and_hits(), THRESHOLDS)
def test_the_result_is_haystacks_with_each_text_once(drawn: tuple[list[Document], list[Document]], threshold: float):
    stored, hits = drawn
    expected = each_text_once(merged_by_haystack(stored, hits, threshold))
    assert ids(merged(stored, hits, threshold)) == expected


@FEW
@given(st.integers(1, 40), st.sampled_from([{8, 4}, {9, 3}, {16, 4, 2}]), st.randoms(use_true_random=False), THRESHOLDS)
def test_over_the_trees_of_the_splitter_the_result_is_haystacks(
    words: int, sizes: set[int], chance: random.Random, threshold: float
):
    text = " ".join(f"w{number}" for number in range(words))
    stored = HierarchicalDocumentSplitter(block_sizes=sizes, split_by="word").run([Document(content=text)])["documents"]
    parent_of = {node.id: node.meta["__parent_id"] for node in stored}
    hits = [leaf for leaf in leaves_of(stored) if leaf.meta["__parent_id"] and chance.random() < 0.6]
    found = list(dict.fromkeys(merged_by_haystack(stored, hits, threshold)))

    def covered(id: str) -> bool:
        above = parent_of[id]
        while above and above not in found:
            above = parent_of[above]
        return bool(above)

    assert ids(merged(stored, hits, threshold)) == [id for id in found if not covered(id)]


def test_a_duplicate_hit_counts_twice_in_haystack_and_once_here():
    stored = nodes(["a", "b", "c"])
    hits = [stored[1], stored[1]]
    assert merged_by_haystack(stored, hits, 0.5) == ["r"]
    assert ids(merged(stored, hits, 0.5)) == ["r.0"]


def test_a_leaf_and_its_own_parent_both_come_from_haystack_and_only_the_parent_here():
    stored = nodes([["a", "b", "c"], ["d"]])
    hits = [stored[2], stored[1]]
    assert merged_by_haystack(stored, hits, 0.5) == ["r.0.0", "r.0"]
    assert ids(merged(stored, hits, 0.5)) == ["r.0"]


def test_haystack_needs_every_ancestor_where_here_the_climb_ends():
    stored = nodes([["a", "b", "c"], ["d"]])
    hits = stored[2:4]
    with pytest.raises(ValueError, match="found 0"):
        merged_by_haystack([stored[1]], hits, 0.5)
    assert ids(merged([stored[1]], hits, 0.5)) == ["r.0"]


@FEW
@given(trees_and_hits(), THRESHOLDS)
def test_no_hit_is_lost(drawn: tuple[list[Document], list[Document]], threshold: float):
    stored, hits = drawn
    found = ids(merged(stored, hits, threshold))
    assert [
        each.id for each in hits if each.id not in found and not any(up in found for up in ancestors(each.id))
    ] == []


@FEW
@given(trees_and_hits(), THRESHOLDS)
def test_no_text_comes_twice(drawn: tuple[list[Document], list[Document]], threshold: float):
    stored, hits = drawn
    found = ids(merged(stored, hits, threshold))
    assert len(set(found)) == len(found)
    assert [id for id in found if any(up in found for up in ancestors(id))] == []


@FEW
@given(trees_and_hits(), THRESHOLDS, st.sampled_from(["max", "mean", "sum"]), st.randoms(use_true_random=False))
def test_where_scores_decide_the_order_of_the_hits_does_not_matter(
    drawn: tuple[list[Document], list[Document]], threshold: float, score: str, chance: random.Random
):
    stored, plain_hits = drawn
    hits = [hit(each, 1 / (3 + place)) for place, each in enumerate(plain_hits)]
    store = InMemoryDocumentStore()
    store.write_documents(stored)
    retriever = AutoMergingRetriever(store, threshold, score=score)

    first = retriever.run(hits)["documents"]
    chance.shuffle(hits)
    second = retriever.run(hits)["documents"]

    assert {(document.id, document.score) for document in first} == {
        (document.id, document.score) for document in second
    }
    assert [document.score for document in first] == [document.score for document in second]


@settings(max_examples=20, deadline=None)
@given(trees_and_hits(), THRESHOLDS)
def test_sync_and_async_agree(drawn: tuple[list[Document], list[Document]], threshold: float):
    stored, hits = drawn
    store = InMemoryDocumentStore()
    store.write_documents(stored)
    retriever = AutoMergingRetriever(store, threshold)
    assert retriever.run(hits) == asyncio.run(retriever.run_async(hits))
