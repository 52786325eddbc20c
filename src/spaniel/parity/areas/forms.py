"""Components as plain data: the same types, names and values, and the same again after reading."""

import copy
import json
import re
from importlib import import_module
from typing import Any

from spaniel.core.serialization import component_from_dict, component_to_dict
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.filters import FilterPolicy
from spaniel.parity.area import Area, Given
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack

STORE = "a store"
"""Stands for an in-memory store of the library that is asked."""

_FILTER = {"field": "meta.lang", "operator": "==", "value": "en"}
_BM25: dict[str, list[Any]] = {
    "top_k": [1, 5],
    "scale_score": [True, False],
    "filters": [None, _FILTER],
    "filter_policy": ["merge"],
}
_COMPONENTS: list[tuple[str, dict[str, Any], dict[str, list[Any]]]] = [
    ("retrievers.in_memory.InMemoryBM25Retriever", {"document_store": STORE}, _BM25),
    (
        "retrievers.in_memory.InMemoryEmbeddingRetriever",
        {"document_store": STORE},
        {**_BM25, "return_embedding": [True]},
    ),
    ("retrievers.FilterRetriever", {"document_store": STORE}, {"filters": [_FILTER]}),
    ("retrievers.AutoMergingRetriever", {"document_store": STORE}, {"threshold": [0.25, 0.9]}),
    (
        "retrievers.SentenceWindowRetriever",
        {"document_store": STORE},
        {
            "window_size": [1, 7],
            "source_id_meta_field": ["source", ["a", "b"]],
            "split_id_meta_field": ["part"],
            "raise_on_missing_meta_fields": [False],
        },
    ),
    (
        "preprocessors.DocumentSplitter",
        {},
        {
            "split_by": ["page", "period"],
            "split_length": [3, 250],
            "split_overlap": [1, 2],
            "skip_empty_documents": [False],
        },
    ),
    (
        "preprocessors.RecursiveDocumentSplitter",
        {},
        {"split_length": [9], "split_unit": ["char"], "separators": [["\n"]]},
    ),
    (
        "preprocessors.HierarchicalDocumentSplitter",
        {"block_sizes": [9, 3]},
        {"split_by": ["line"], "split_overlap": [1]},
    ),
    ("preprocessors.DocumentCleaner", {}, {"keep_id": [True], "remove_substrings": [["a"]], "ascii_only": [True]}),
    (
        "preprocessors.CSVDocumentSplitter",
        {},
        {"row_split_threshold": [None, 1], "read_csv_kwargs": [{"sep": ";"}], "split_mode": ["row-wise"]},
    ),
    ("preprocessors.CSVDocumentCleaner", {}, {"ignore_rows": [1], "remove_empty_rows": [False], "keep_id": [True]}),
    ("preprocessors.PythonCodeSplitter", {}, {"max_effective_lines": [50], "strip_docstrings": [True]}),
    ("preprocessors.TextCleaner", {}, {"convert_to_lowercase": [True], "remove_regexps": [["a+"]]}),
    ("writers.DocumentWriter", {"document_store": STORE}, {}),
    ("caching.CacheChecker", {"document_store": STORE, "cache_field": "url"}, {}),
    (
        "joiners.DocumentJoiner",
        {},
        {"join_mode": ["merge"], "weights": [[1, 3]], "top_k": [4], "sort_by_score": [False]},
    ),
    ("joiners.StringJoiner", {}, {}),
    ("rankers.LostInTheMiddleRanker", {}, {"top_k": [3], "word_count_threshold": [9]}),
    (
        "rankers.MetaFieldRanker",
        {"meta_field": "x"},
        {"weight": [0.5], "missing_meta": ["drop"], "meta_value_type": ["int"]},
    ),
    ("rankers.MetaFieldGroupingRanker", {"group_by": "x"}, {"subgroup_by": ["y"], "sort_docs_by": ["z"]}),
    ("evaluators.DocumentMAPEvaluator", {}, {"document_comparison_field": ["id"]}),
    ("evaluators.DocumentRecallEvaluator", {}, {"mode": ["multi_hit"], "document_comparison_field": ["meta.x"]}),
    ("routers.MetadataRouter", {"rules": {"en": _FILTER}}, {"strict_datetime_comparison": [True]}),
    ("embedders.MockTextEmbedder", {}, {"dimension": [3]}),
]


def draw(chance: Chance) -> Given:
    """Draw a component, some of its parameters, and the settings of the store that it has."""
    name, needed, others = chance.one_of(_COMPONENTS)
    store = {
        "index": "parity",
        "bm25_algorithm": chance.one_of(["BM25L", "BM25Plus"]),
        "return_embedding": chance.maybe(),
        "embedding_similarity_function": chance.one_of(["cosine", "dot_product"]),
    }
    chosen = {key: chance.one_of(others[key]) for key in chance.subset(list(others))}
    return {"class": name, "parameters": {**needed, **chosen}, "store": store}


def ours(given: Given) -> Any:
    """Return Spaniel's form, and the form of what is read from it; the package has no name."""
    package, _, name = given["class"].rpartition(".")
    component_class = getattr(import_module(f"spaniel.components.{package}"), name)
    store = InMemoryDocumentStore(**given["store"], shared=False)
    forms = _forms(component_class, given, store, component_to_dict, component_from_dict, FilterPolicy)
    return json.loads(re.sub(r"\bspaniel\.", ".", json.dumps(forms)))


def theirs(given: Given) -> Any:
    """Return Haystack's form, and the form of what is read from it; the package has no name."""
    store = haystack("document_stores.in_memory.InMemoryDocumentStore")(**given["store"], shared=False)
    write, read = (haystack(f"core.serialization.component_{way}_dict") for way in ("to", "from"))
    policies = haystack("document_stores.types.FilterPolicy")
    forms = _forms(haystack(f"components.{given['class']}"), given, store, write, read, policies)
    return json.loads(re.sub(r"\bhaystack\.", ".", json.dumps(forms)))


def _forms(component_class: Any, given: Given, store: Any, write: Any, read: Any, policies: Any) -> Any:
    parameters = {name: store if value == STORE else value for name, value in given["parameters"].items()}
    if "filter_policy" in parameters:
        parameters["filter_policy"] = policies.from_str(parameters["filter_policy"])
    written = write(component_class(**parameters), "it")
    read_again = read(component_class, copy.deepcopy(written), "it")  # Haystack changes what it reads
    return [written, write(read_again, "it")]


FORMS = Area("forms", draw, ours, theirs)
