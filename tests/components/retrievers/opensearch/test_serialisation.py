"""The serialised form, the parameters and their defaults are those of opensearch-haystack 9.0.0."""

import importlib
import inspect
from typing import Any

import pytest

from spaniel.components.embedders import MockTextEmbedder
from spaniel.components.retrievers import opensearch
from spaniel.components.retrievers.opensearch import (
    OpenSearchBM25Retriever,
    OpenSearchEmbeddingRetriever,
    OpenSearchHybridRetriever,
    OpenSearchMetadataRetriever,
)
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.errors import DeserializationError, MissingParameterError
from spaniel.filters import FilterPolicy

THEIRS = importlib.import_module("haystack_integrations.components.retrievers.opensearch")
NEEDED: dict[str, dict[str, Any]] = {
    "OpenSearchBM25Retriever": {},
    "OpenSearchEmbeddingRetriever": {},
    "OpenSearchHybridRetriever": {"embedder": None},
    "OpenSearchMetadataRetriever": {"metadata_fields": ["topic"]},
}
FILTER = {"field": "meta.a", "operator": "==", "value": 1}
CHANGED: dict[str, dict[str, Any]] = {
    "OpenSearchBM25Retriever": {
        "filters": FILTER, "fuzziness": "AUTO", "top_k": 3, "scale_score": True, "all_terms_must_match": True,
        "filter_policy": "merge", "custom_query": {"query": {"match": {"a": "$query"}}}, "raise_on_failure": False,
    },
    "OpenSearchEmbeddingRetriever": {
        "filters": FILTER, "top_k": 3, "filter_policy": "merge", "custom_query": {"query": "$query_embedding"},
        "raise_on_failure": False, "efficient_filtering": False, "search_kwargs": {"k": 20},
    },
    "OpenSearchHybridRetriever": {
        "filters_bm25": FILTER, "fuzziness": 1, "top_k_bm25": 3, "scale_score": True, "all_terms_must_match": True,
        "filter_policy_bm25": "merge", "custom_query_bm25": {"query": 1}, "filters_embedding": FILTER,
        "top_k_embedding": 4, "filter_policy_embedding": "merge", "custom_query_embedding": {"query": 2},
        "search_kwargs_embedding": {"k": 20}, "join_mode": "merge", "weights": [0.5, 0.5], "top_k": 7,
        "sort_by_score": False, "bm25_retriever": {"raise_on_failure": False},
        "embedding_retriever": {"raise_on_failure": False, "efficient_filtering": False},
    },
    "OpenSearchMetadataRetriever": {
        "top_k": 3, "exact_match_weight": 0.5, "mode": "strict", "fuzziness": "AUTO", "prefix_length": 1,
        "max_expansions": 5, "tie_breaker": 0.1, "jaccard_n": 2, "raise_on_failure": False,
    },
}  # fmt: skip
NAMES = sorted(NEEDED)
STORE = OpenSearchDocumentStore(hosts="http://localhost:9200", index="docs")


def theirs(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the serialised form of the original, except for the store and the embedder."""
    from haystack.components.embedders import MockTextEmbedder as TheirEmbedder
    from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore as TheirStore

    needed = NEEDED[name] | ({"embedder": TheirEmbedder()} if "embedder" in NEEDED[name] else {})
    retriever = getattr(THEIRS, name)(
        document_store=TheirStore(hosts="http://localhost:9200", index="docs"), **needed, **options
    )
    return retriever.to_dict()


def ours(name: str, options: dict[str, Any]) -> Any:
    needed = NEEDED[name] | ({"embedder": MockTextEmbedder()} if "embedder" in NEEDED[name] else {})
    return getattr(opensearch, name)(document_store=STORE, **needed, **options)


def compared(data: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters without the store and the embedder, which have tests of their own."""
    return {
        name: value for name, value in data["init_parameters"].items() if name not in {"document_store", "embedder"}
    }


def test_the_names_are_those_of_the_original_but_for_sql():
    assert set(opensearch.__all__) == set(THEIRS.__all__) - {"OpenSearchSQLRetriever"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, CHANGED], ids=["defaults", "changed"])
def test_the_serialised_form_is_that_of_the_original(name, options):
    chosen = options.get(name, {})
    data, original = ours(name, chosen).to_dict(), theirs(name, chosen)
    if name == "OpenSearchEmbeddingRetriever" and not chosen:
        assert original["init_parameters"].pop("efficient_filtering") is False
        assert data["init_parameters"].pop("efficient_filtering") is True  # docs/parity.md
    assert compared(data) == compared(original)
    assert data["type"] == original["type"].replace("haystack_integrations.", "spaniel.")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, CHANGED], ids=["defaults", "changed"])
def test_serialised_form_of_the_original_survives_a_round_trip(name, options):
    data = ours(name, {}).to_dict()
    data["init_parameters"] |= compared(theirs(name, options.get(name, {})))
    assert getattr(opensearch, name).from_dict(data).to_dict() == data


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["__init__", "run", "run_async"])
def test_parameters_stand_in_the_order_of_the_original_with_its_defaults(name, method):
    original = getattr(getattr(THEIRS, name), method, None)
    if original is None or (name == "OpenSearchHybridRetriever" and method != "__init__"):
        return  # the original makes these when it is built
    own = inspect.signature(getattr(getattr(opensearch, name), method)).parameters
    known = list(inspect.signature(original).parameters.values())
    shown = {"efficient_filtering": True} if method == "__init__" else {}
    for parameter in known:
        default = own[parameter.name].default
        expected = shown.get(parameter.name, parameter.default)
        assert str(default) == str(expected) or default is expected, parameter
        assert own[parameter.name].kind is parameter.kind
    added = [each for each in own if each not in inspect.signature(original).parameters]
    assert added in ([], ["min_score"])


def test_hybrid_run_parameters_are_those_of_the_original():
    from haystack.components.embedders import MockTextEmbedder as TheirEmbedder
    from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore as TheirStore

    original = THEIRS.OpenSearchHybridRetriever(TheirStore(hosts="http://localhost:9200"), embedder=TheirEmbedder())
    own = inspect.signature(OpenSearchHybridRetriever.run).parameters
    assert set(own) - {"self"} == set(original.input_mapping)


def test_a_value_that_was_written_is_honoured():
    data = ours("OpenSearchEmbeddingRetriever", {}).to_dict()
    data["init_parameters"]["efficient_filtering"] = False
    assert OpenSearchEmbeddingRetriever.from_dict(data).efficient_filtering is False


def test_forms_of_older_versions_load():
    data = ours("OpenSearchBM25Retriever", {}).to_dict()
    del data["init_parameters"]["filter_policy"]
    assert OpenSearchBM25Retriever.from_dict(data).filter_policy is FilterPolicy.REPLACE


def test_min_score_is_written_only_where_it_is_set():
    assert "min_score" not in ours("OpenSearchBM25Retriever", {}).to_dict()["init_parameters"]
    data = ours("OpenSearchHybridRetriever", {"min_score": 0.5}).to_dict()
    assert data["init_parameters"]["min_score"] == 0.5
    assert OpenSearchHybridRetriever.from_dict(data).min_score == 0.5


@pytest.mark.parametrize(
    ("cls", "name"), [(OpenSearchMetadataRetriever, "metadata_fields"), (OpenSearchHybridRetriever, "embedder")]
)
def test_missing_yaml_parameters_are_named(cls, name):
    data = ours(cls.__name__, {}).to_dict()
    del data["init_parameters"][name]
    with pytest.raises(MissingParameterError, match=f"'{name}'"):
        cls.from_dict(data)


def test_an_unknown_parameter_is_named():
    data = ours("OpenSearchBM25Retriever", {}).to_dict()
    data["init_parameters"]["fuzzyness"] = 1
    with pytest.raises(DeserializationError, match="fuzzyness"):
        OpenSearchBM25Retriever.from_dict(data)


@pytest.mark.parametrize("name", NAMES)
def test_each_class_stands_in_the_module_that_yaml_names(name):
    original = getattr(THEIRS, name).__module__
    module = importlib.import_module(original.replace("haystack_integrations.", "spaniel."))
    assert getattr(module, name) is getattr(opensearch, name)
