"""Faults that people reported of libraries of this kind, in merging, windows, links and budgets:
the correct results.

Each test names the threads in its parameters' ids or its comment; the inputs are small
restatements.
"""

import logging
from typing import Any

import pytest

from spaniel import Document
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    ContextBudget,
    RecursiveRetriever,
    SentenceWindowRetriever,
)
from tests.components.retrievers.conftest import Way, ids
from tests.components.retrievers.trees import hit, leaves_of, nodes
from tests.strategies.placed import placed

FOUR = nodes(["a", "b", "c", "d"])


def test_a_leaf_that_several_retrievers_found_counts_once(way: Way):
    thrice = [hit(FOUR[1], 0.5)] * 3
    assert way.ids(AutoMergingRetriever(way.store(FOUR), 0.5), documents=thrice) == ["r.0"]


@pytest.mark.parametrize("options", [{}, {"rule": "hichunk", "budget": 99}, {"share": "text"}])
def test_leaves_whose_parent_is_not_stored_are_kept_if_asked(  # llama_index 12115, 14239, 13488, 18444
    way: Way, options: dict[str, Any], caplog: pytest.LogCaptureFixture
):
    two = [hit(FOUR[1]), hit(FOUR[2])]
    with pytest.raises(ValueError, match="Expected 1 parent document with id r, found 0"):
        way.run(AutoMergingRetriever(way.store(), **options), documents=two)
    with caplog.at_level(logging.WARNING):
        kept = AutoMergingRetriever(way.store(), raise_on_missing_parent=False, **options)
        assert way.ids(kept, documents=two) == ["r.0", "r.1"]
    assert "Parents that are not in the store: 1" in caplog.text


@pytest.mark.parametrize("options", [{}, {"rule": "hichunk", "budget": 99}])
def test_a_merged_parent_has_a_score_and_stands_alone(
    way: Way, options: dict[str, Any]
):  # langchainjs 3006, langchain 17589
    three = [hit(FOUR[1], 0.3), hit(FOUR[2], 0.9), hit(FOUR[3], 0.2), hit(FOUR[0], 0.1)]
    [parent] = way.run(AutoMergingRetriever(way.store(FOUR), **options), documents=three)["documents"]
    assert (parent.id, parent.score) == ("r", 0.9)


def test_a_window_repeats_no_text_of_a_chunk_inside_another(way: Way):  # haystack pull request 12645
    parts = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    chunks = [
        Document(id=str(at), content=text, meta={"source_id": "s", "split_id": at, "split_idx_start": start})
        for at, (text, start) in enumerate(parts)
    ]
    found = way.run(SentenceWindowRetriever(way.store(chunks)), retrieved_documents=chunks[1:2])
    assert found["context_windows"] == ["The bird sings."]


@pytest.mark.parametrize(("merge", "number"), [(False, 6), (True, 4)])
def test_neighbouring_hits_share_a_window_if_asked(  # SynapseKit 163, langchain4j pull request 5708
    way: Way, merge: bool, number: int
):
    chunks = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in range(4)]
    retriever = SentenceWindowRetriever(way.store(chunks), 1, merge_overlapping=merge)
    found = way.run(retriever, retrieved_documents=chunks[1:3])["context_documents"]
    assert len(found) == number
    assert set(ids(found)) == set("0123")


def test_a_window_stays_in_its_section_and_its_length(way: Way):  # haystack 9687, 8277, langchain pull request 20981
    tree = placed([["One. ", "Two. "], ["Three. ", "Four. "]])
    for node in tree:
        node.meta["section"] = node.id[:3]
    hits = [leaves_of(tree)[1]]
    sections = SentenceWindowRetriever(way.store(tree), 3, over="root", bounded_by="section")
    assert way.run(sections, retrieved_documents=hits)["context_windows"] == ["One. Two. "]
    words = SentenceWindowRetriever(way.store(tree), 3, over="root", max_length=3, tokenizer=str.split)
    assert way.run(words, retrieved_documents=hits)["context_windows"] == ["One. Two. Three. "]


LINKED = [
    Document(id="a", content="same", meta={"name": "a", "links": ["b", "c"], "ok": 1}),
    Document(id="b", content="other", meta={"name": "b", "links": ["a"], "ok": 1}),
    Document(id="c", content="same", meta={"name": "c", "ok": 1}),
    Document(id="d", content="no links", meta={"name": "d"}),
    Document(id="e", content="held back", meta={"name": "e", "links": ["c"]}),
]


def test_plain_documents_and_equal_texts_are_kept(way: Way):  # llama_index 7749, 10454, 21033
    retriever = RecursiveRetriever(way.store(LINKED), "name", ["links"])
    assert sorted(way.ids(retriever, documents=[LINKED[0], LINKED[3]])) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("direction", ["out", "both"])
def test_a_circle_ends_and_each_document_comes_once(way: Way, direction: str):  # graph-rag 167
    retriever = RecursiveRetriever(way.store(LINKED), "name", ["links"], depth=9, direction=direction)
    found = way.ids(retriever, documents=LINKED[:1])
    assert len(set(found)) == len(found) >= 3


@pytest.mark.parametrize("direction", ["in", "both"])
def test_every_hop_obeys_the_filter(own_way: Way, direction: str):  # graph-rag 170
    ok = {"field": "meta.ok", "operator": "==", "value": 1}
    retriever = RecursiveRetriever(own_way.store(LINKED), "name", ["links"], depth=9, direction=direction, filters=ok)
    assert set(own_way.ids(retriever, documents=LINKED[2:3])) == {"a", "b", "c"}


def test_a_budget_repeats_no_text_of_neighbouring_hits(way: Way):
    tree = placed([["One. ", "Two. ", "Three. "], ["Four. ", "Five. "]])
    hits = [hit(leaf, 1.0) for leaf in leaves_of(tree)[:3]]
    found = way.run(ContextBudget(way.store(tree), 20, tokenizer=len), documents=hits)
    assert [document.content for document in found["documents"]] == ["One. Two. Three. "]
