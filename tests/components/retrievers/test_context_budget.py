"""ContextBudget and BestSegments over every kind of store, sync and async."""

import asyncio
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BestSegments,
    ContextBudget,
    RecursiveRetriever,
    SentenceWindowRetriever,
)
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.pipeline import Pipeline
from tests.components.retrievers.conftest import Way
from tests.components.retrievers.trees import hit
from tests.strategies.placed import forests_and_hits, is_slice, overlap, placed

TREE = placed([["One. ", "Two. ", "Three. "], ["Four. ", "Five. "]])
NODE = {node.id: node for node in TREE}


def test_a_budget_chooses_over_every_store(way: Way):
    retriever = ContextBudget(way.store(TREE), 17, tokenizer=len)
    found = way.run(retriever, documents=[hit(NODE["r.0.2"], 1.0)])
    assert [document.content for document in found["documents"]] == ["One. Two. Three. "]
    assert found["tokens"] == 17


def test_a_run_may_have_another_budget(way: Way):
    retriever = ContextBudget(way.store(TREE), 17, tokenizer=len)
    assert way.run(retriever, documents=[hit(NODE["r.0.2"], 1.0)], budget=0) == {"documents": [], "tokens": 0}
    assert way.ids(retriever, documents=[hit(NODE["r.0.2"], 1.0)], budget=29) == ["r"]


def test_segments_are_found_over_every_store(way: Way):
    retriever = BestSegments(way.store(TREE))
    found = way.run(retriever, documents=[hit(NODE["r.0.1"], 1.0), hit(NODE["r.1.0"], 1.0)])["documents"]
    assert [document.content for document in found] == ["Two. Three. Four. "]


@pytest.mark.parametrize(("options", "message"), [
    ({"budget": -1}, "budget must be greater than or equal to 0"),
    ({"worth": {}}, "worth must map kinds among"),
    ({"worth": {"page": 1}}, "worth must map kinds among"),
    ({"worth": {"leaf": 0}}, r"worth\['leaf'\] must be greater than 0"),
    ({"order": "best"}, "order must be one of .*, got 'best'"),
    ({"tokenizer": "none"}, "must be one of"),
])  # fmt: skip
def test_budget_rejects_parameters_out_of_range(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        ContextBudget(InMemoryDocumentStore(), **{"budget": 9} | options)


@pytest.mark.parametrize("penalty", [-0.1, 1, 2, float("nan"), "x"])
def test_segments_refuse_a_penalty_out_of_range(penalty: Any):
    with pytest.raises(ValueError, match="penalty must be"):
        BestSegments(InMemoryDocumentStore(), penalty=penalty)


def test_both_stand_in_a_pipeline():
    store = InMemoryDocumentStore()
    store.write_documents(TREE)
    pipeline = Pipeline()
    pipeline.add_component("segments", BestSegments(store))
    pipeline.add_component("budget", ContextBudget(store, 100))
    pipeline.connect("segments.documents", "budget.documents")
    found = pipeline.run({"segments": {"documents": [hit(NODE["r.0.1"], 1.0)]}})
    assert [document.content for document in found["budget"]["documents"]] == ["One. Two. Three. Four. Five. "]
    assert Pipeline.loads(pipeline.dumps()).dumps() == pipeline.dumps()


CONTEXT_RETRIEVERS: list[tuple[Any, dict[str, Any], str]] = [
    (AutoMergingRetriever, {"rule": "hichunk", "budget": 40, "tokenizer": len}, "documents"),
    (AutoMergingRetriever, {"share": "text", "level_thresholds": {0: 0.9}, "min_children": 2}, "documents"),
    (SentenceWindowRetriever, {"over": "root", "max_length": 20, "whole_windows": True}, "retrieved_documents"),
    (RecursiveRetriever, {"filter_key": "__parent_id", "relevant_doc_keys": ["__parent_id"], "direction": "both"}, "documents"),
    (ContextBudget, {"budget": 40, "tokenizer": len}, "documents"),
    (BestSegments, {"budget": 40, "tokenizer": len}, "documents"),
]  # fmt: skip


@pytest.mark.parametrize(("retriever_class", "options", "name"), CONTEXT_RETRIEVERS)
@settings(max_examples=15)
@given(drawn=forests_and_hits())
def test_sync_and_async_traced_or_not_are_the_same(
    retriever_class: Any, options: dict[str, Any], name: str, drawn: tuple[list[Document], list[Document]]
):
    stored, hits = drawn
    store = InMemoryDocumentStore()
    store.write_documents(stored)
    retriever = retriever_class(store, **options)
    found = retriever.run(**{name: hits})
    assert asyncio.run(retriever.run_async(**{name: hits})) == found
    with spaniel.trace() as t:
        assert retriever.run(**{name: hits}) == found
    t.to_dict()


@settings(max_examples=40)
@given(forests_and_hits(), st.integers(0, 80))
def test_merged_widened_and_budgeted_text_is_of_the_source_and_comes_once(
    drawn: tuple[list[Document], list[Document]], budget: int
):
    stored, hits = drawn
    store = InMemoryDocumentStore()
    store.write_documents(stored)
    widening = SentenceWindowRetriever(store, 1, over="root", merge_overlapping=True, whole_windows=True)
    merged = AutoMergingRetriever(store).run(hits)["documents"]
    windows = widening.run(merged)["context_documents"]
    found = ContextBudget(store, budget, tokenizer=len).run(windows)
    assert found["tokens"] == sum(len(document.content or "") for document in found["documents"]) <= budget
    assert all(is_slice(document, stored) for document in found["documents"])
    assert [(a.id, b.id) for a, b in combinations(found["documents"], 2) if overlap(a, b)] == []
    if sum(len(window.content or "") for window in windows) <= budget:
        held = [document for document in found["documents"] for each in hits if _holds(document, each)]
        assert len(held) == len(hits)


def _holds(whole: Document, part: Document) -> bool:
    same = whole.meta["__root_id"] == part.meta["__root_id"]
    return same and whole.meta["__start"] <= part.meta["__start"] <= part.meta["__end"] <= whole.meta["__end"]
