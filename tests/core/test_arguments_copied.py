"""Lists and dictionaries that a constructor takes are copied, so that a later change does not pass
its checks.
"""

import copy

import pytest

from spaniel import Pipeline
from spaniel.components import embedders, joiners, preprocessors, retrievers, routers
from spaniel.components.retrievers import opensearch
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.pipeline import SuperComponent

FILTERS = {"operator": "AND", "conditions": [{"field": "meta.a", "operator": "in", "value": ["b"]}]}
MAPPED = {"properties": {"content": {"type": "text"}}}


def store():
    return InMemoryDocumentStore()


def remote():
    return OpenSearchDocumentStore(hosts="http://localhost:9200", index="docs", embedding_dim=3)


def searching():
    return Pipeline().add_component("finder", InMemoryBM25Retriever(store()))


MAKERS = [
    (InMemoryDocumentStore, {"bm25_parameters": {"k1": 1.2}}),
    (
        OpenSearchDocumentStore,
        {"hosts": ["http://a:1"], "mappings": MAPPED, "settings": {"index": {"knn": True}}, "method": {"name": "hnsw"}},
    ),
    (OpenSearchDocumentStore, {"nested_fields": ["meta.a"]}),
    (embedders.MockTextEmbedder, {"meta": {"a": [1]}, "embedding": [1.0]}),
    (embedders.MockDocumentEmbedder, {"meta": {"a": [1]}, "meta_fields_to_embed": ["a"]}),
    (joiners.DocumentJoiner, {"weights": [0.5, 0.5]}),
    (preprocessors.CSVDocumentSplitter, {"read_csv_kwargs": {"sep": ";"}}),
    (preprocessors.DocumentCleaner, {"remove_substrings": ["a"], "replace_regexes": {"a": "b"}}),
    (preprocessors.DocumentPreprocessor, {"remove_substrings": ["a"]}),
    (preprocessors.MarkdownHeaderSplitter, {"header_split_levels": [1, 2]}),
    (preprocessors.RecursiveDocumentSplitter, {"separators": ["a"], "sentence_splitter_params": {"language": "en"}}),
    (preprocessors.TextCleaner, {"remove_regexps": ["a"]}),
    (lambda **given: retrievers.BM25Retriever(store(), **given), {"filters": FILTERS}),
    (lambda **given: retrievers.EmbeddingRetriever(store(), **given), {"filters": FILTERS}),
    (lambda **given: InMemoryBM25Retriever(store(), **given), {"filters": FILTERS}),
    (lambda **given: InMemoryEmbeddingRetriever(store(), **given), {"filters": FILTERS}),
    (lambda **given: retrievers.FilterRetriever(store(), **given), {"filters": FILTERS}),
    (lambda **given: retrievers.AutoMergingRetriever(store(), **given), {"level_thresholds": {0: 0.5}}),
    (lambda **given: retrievers.ContextBudget(store(), 9, **given), {"worth": {"leaf": 1.0}, "bounded_by": ["a"]}),
    (
        retrievers.MultiRetriever,
        {"retrievers": {"a": InMemoryBM25Retriever(store())}, "filters": FILTERS},
    ),
    (
        lambda **given: retrievers.RecursiveRetriever(document_store=store(), filter_key="a", **given),
        {"relevant_doc_keys": ["b"], "filters": FILTERS, "key_quotas": {"b": 2}},
    ),
    (
        lambda **given: retrievers.SentenceWindowRetriever(store(), **given),
        {"source_id_meta_field": ["a"], "bounded_by": ["b"]},
    ),
    (
        lambda **given: retrievers.StructuredRetriever(store(), **given),
        {"filters": FILTERS, "bounded_by": ["a"], "follow": ["b"]},
    ),
    (
        lambda **given: opensearch.OpenSearchBM25Retriever(document_store=remote(), **given),
        {"filters": FILTERS, "custom_query": {"query": {"match": {"content": "$query"}}}},
    ),
    (
        lambda **given: opensearch.OpenSearchEmbeddingRetriever(document_store=remote(), **given),
        {"filters": FILTERS, "custom_query": {"query": {"match_all": {}}}, "search_kwargs": {"k": [1]}},
    ),
    (
        lambda **given: opensearch.OpenSearchMetadataRetriever(document_store=remote(), **given),
        {"metadata_fields": ["a"]},
    ),
    (
        lambda **given: opensearch.OpenSearchHybridRetriever(remote(), embedder=embedders.MockTextEmbedder(), **given),
        {"filters_bm25": FILTERS, "filters_embedding": FILTERS, "weights": [0.5, 0.5]},
    ),
    (routers.FileTypeRouter, {"mime_types": ["text/plain"], "additional_mimetypes": {"text/x": ".x"}}),
    (
        lambda **given: routers.DocumentTypeRouter(mime_type_meta_field="type", **given),
        {"mime_types": ["text/plain"], "additional_mimetypes": {"text/x": ".x"}},
    ),
    (routers.MetadataRouter, {"rules": {"new": FILTERS}}),
    (Pipeline, {"metadata": {"a": [1]}}),
    (
        lambda **given: SuperComponent(searching(), **given),
        {"input_mapping": {"q": ["finder.query"]}, "output_mapping": {"finder.documents": "found"}},
    ),
]


def change(value):
    """Empty every list and dictionary, from the inside."""
    for item in list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()):
        change(item)
    if isinstance(value, (list, dict)):
        value.clear()


@pytest.mark.parametrize(("make", "given"), MAKERS)
def test_changing_an_argument_later_has_no_effect(make, given):
    arguments = {name: dict(value) if name == "retrievers" else copy.deepcopy(value) for name, value in given.items()}
    made = make(**arguments)
    before = copy.deepcopy(made.to_dict())
    for value in arguments.values():
        change(value)
    assert made.to_dict() == before


def test_local_store_keeps_validated_parameters(tmp_path):
    parameters = {"k1": 1.2}
    with LocalDocumentStore(tmp_path / "kb", bm25_parameters=parameters) as local:
        parameters["k1"] = "large"
        assert local.bm25_parameters == {"k1": 1.2}


def test_changed_dictionary_does_not_bypass_validation():
    parameters = {"k1": 1.2}
    made = InMemoryDocumentStore(bm25_parameters=parameters)
    parameters["k1"] = float("nan")
    assert made.bm25_parameters == {"k1": 1.2}
