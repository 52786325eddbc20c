"""Retrievers as data: Haystack's form, with the package's name replaced."""

import importlib
import inspect
import json
from typing import Any

import pytest
import yaml
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore

from spaniel.components import retrievers
from spaniel.core.component import get_input_sockets, get_output_sockets
from spaniel.document_stores.in_memory import InMemoryDocumentStore

CASES: list[tuple[str, dict[str, Any]]] = [
    ("in_memory.bm25_retriever.InMemoryBM25Retriever", {}),
    ("in_memory.bm25_retriever.InMemoryBM25Retriever", {"filters": {"field": "meta.a", "operator": "==", "value": 1}, "top_k": 5, "scale_score": True}),
    ("in_memory.embedding_retriever.InMemoryEmbeddingRetriever", {}),
    ("in_memory.embedding_retriever.InMemoryEmbeddingRetriever", {"top_k": 3, "return_embedding": True}),
    ("filter_retriever.FilterRetriever", {}),
    ("filter_retriever.FilterRetriever", {"filters": {"field": "meta.a", "operator": "==", "value": 1}}),
    ("auto_merging_retriever.AutoMergingRetriever", {}),
    ("auto_merging_retriever.AutoMergingRetriever", {"threshold": 0.7}),
    ("sentence_window_retriever.SentenceWindowRetriever", {}),
    ("sentence_window_retriever.SentenceWindowRetriever", {"window_size": 1, "source_id_meta_field": ["a", "b"], "split_id_meta_field": "c", "raise_on_missing_meta_fields": False}),
]  # fmt: skip
OURS = {
    "InMemoryBM25Retriever": {"min_score": 0.1},
    "InMemoryEmbeddingRetriever": {"min_score": 0.1},
    "FilterRetriever": {"min_score": 0.1},
    "AutoMergingRetriever": {
        "score": "top_k_mean", "score_k": 2, "rule": "hichunk", "share": "text", "min_children": 2,
        "level_thresholds": {0: 0.9}, "budget": 100, "tokenizer": "o200k_base", "raise_on_missing_parent": False,
        "min_score": 0.1,
    },
    "SentenceWindowRetriever": {
        "merge_overlapping": True, "before": 0, "after": 2, "over": "root", "bounded_by": ["section"], "max_length": 100,
        "tokenizer": "cl100k_base", "gap": " ... ", "keep_scores": True, "whole_windows": True, "min_score": 0.1,
    },
    "RecursiveRetriever": {
        "direction": "both", "key_weights": {"links": 2.0}, "key_quotas": {"links": 3}, "score_decay": 0.5, "max_targets": 5,
        "max_documents": 9, "max_requests": 4, "max_seconds": 1.5, "min_score": 0.1,
    },
    "ContextBudget": {
        "tokenizer": "o200k_base", "worth": {"leaf": 1.0, "section": 2.0}, "window_size": 2, "bounded_by": "section",
        "overhead": 3, "order": "text", "min_score": 0.1,
    },
    "BestSegments": {
        "penalty": 0.3, "max_segments": 3, "per_document": 1, "max_length": 50, "budget": 90, "tokenizer": "o200k_base",
        "min_score": 0.1,
    },
}  # fmt: skip
ALL = [getattr(retrievers, name) for name in [*OURS, "DeepsetOpenSearchRecursiveRetriever"]]


def built(package: str, path: str, options: dict[str, Any]) -> Any:
    module, _, name = f"{package}.components.retrievers.{path}".rpartition(".")
    store = InMemoryDocumentStore if package == "spaniel" else HaystackStore
    return getattr(importlib.import_module(module), name)(store(index="same"), **options)


def minimal(retriever: type) -> Any:
    needed: dict[str, Any] = {"budget": 100} if retriever.__name__ == "ContextBudget" else {}
    if "Recursive" in retriever.__name__:
        needed = {"filter_key": "name", "relevant_doc_keys": ["links"]}
    return retriever(InMemoryDocumentStore(), **needed)


@pytest.mark.parametrize(("path", "options"), CASES)
def test_the_serialised_form_is_haystacks(path: str, options: dict[str, Any]):
    ours, theirs = (built(package, path, options).to_dict() for package in ("spaniel", "haystack"))
    for data in (ours, theirs):  # the store has tests of its own
        data["init_parameters"]["document_store"] = data["init_parameters"]["document_store"]["type"]
    assert ours == json.loads(json.dumps(theirs).replace('"haystack.', '"spaniel.'))


@pytest.mark.parametrize(("path", "options"), CASES)
def test_to_dict_survives_a_round_trip(path: str, options: dict[str, Any]):
    retriever = built("spaniel", path, options)
    data = yaml.safe_load(yaml.safe_dump(retriever.to_dict()))
    assert type(retriever).from_dict(data).to_dict() == retriever.to_dict()


@pytest.mark.parametrize("name", OURS)
def test_our_own_options_are_written_only_when_set(name: str):
    retriever = getattr(retrievers, name)
    plain = minimal(retriever)
    assert not OURS[name].keys() & plain.to_dict()["init_parameters"].keys()
    changed = type(plain)(**{**plain._init_parameters(), **OURS[name]})
    assert changed.to_dict()["init_parameters"].items() >= OURS[name].items()
    assert type(plain).from_dict(changed.to_dict()).to_dict() == changed.to_dict()


@pytest.mark.parametrize("name", ["InMemoryBM25Retriever", "InMemoryEmbeddingRetriever", "RecursiveRetriever"])
def test_the_filter_policy_is_written_by_its_value(name: str):
    data = minimal(getattr(retrievers, name)).to_dict()
    assert data["init_parameters"]["filter_policy"] == "replace"
    loaded = getattr(retrievers, name).from_dict(data)
    assert str(loaded.filter_policy) == "replace"


@pytest.mark.parametrize("retriever", ALL)
def test_every_retriever_takes_min_score_by_keyword(retriever: type):
    assert inspect.signature(retriever).parameters["min_score"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("retriever", ALL)
def test_every_retriever_is_a_component_with_sockets(retriever: type):
    instance = minimal(retriever)
    others = {
        "SentenceWindowRetriever": {"context_windows", "context_documents"}, "ContextBudget": {"documents", "tokens"}
    }  # fmt: skip
    assert set(get_output_sockets(instance)) == others.get(retriever.__name__, {"documents"})
    assert set(get_input_sockets(instance)) == set(inspect.signature(instance.run).parameters)


@pytest.mark.parametrize("retriever", ALL)
async def test_closing_a_retriever_closes_its_store(retriever: type):
    instance = minimal(retriever)
    closed = []
    instance.close()  # a store that can't be closed is left alone
    await instance.close_async()

    async def close_async() -> None:
        closed.append("async")

    instance.document_store.close = lambda: closed.append("sync")
    instance.document_store.close_async = close_async
    instance.close()
    await instance.close_async()
    assert closed == ["sync", "async"]


def test_from_dict_changes_its_input_in_haystack_and_not_here():
    changed = {}
    for library, store in [("haystack", HaystackStore), ("spaniel", InMemoryDocumentStore)]:
        package = importlib.import_module(f"{library}.components.retrievers.in_memory")
        data = package.InMemoryBM25Retriever(store()).to_dict()
        before = json.dumps(data)
        package.InMemoryBM25Retriever.from_dict(data)
        changed[library] = (
            json.dumps(data, default=str) != before or data["init_parameters"]["filter_policy"] != "replace"
        )
    assert changed == {"haystack": True, "spaniel": False}
