"""Serialized components: types, names and values, and the round trip."""

import copy
import json
import re
from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData

_STORE = "a store"
"""Placeholder for an in-memory store of the library."""

_WITH_STORE = ("retrievers.", "writers.", "caching.")
_FILTER = {"field": "meta.lang", "operator": "==", "value": "en"}
_BM25: Given = {"top_k": [1, 5], "scale_score": [True, False], "filters": [None, _FILTER], "filter_policy": ["merge"]}
_REQUIRED: dict[str, JsonObject] = {
    "preprocessors.HierarchicalDocumentSplitter": {"block_sizes": [9, 3]},
    "caching.CacheChecker": {"cache_field": "url"},
    "rankers.MetaFieldRanker": {"meta_field": "x"},
    "rankers.MetaFieldGroupingRanker": {"group_by": "x"},
    "routers.MetadataRouter": {"rules": {"en": _FILTER}},
}
_OPTIONAL: dict[str, dict[str, list[Any]]] = {
    "retrievers.in_memory.InMemoryBM25Retriever": _BM25,
    "retrievers.in_memory.InMemoryEmbeddingRetriever": {**_BM25, "return_embedding": [True]},
    "retrievers.FilterRetriever": {"filters": [_FILTER]},
    "retrievers.AutoMergingRetriever": {"threshold": [0.25, 0.9]},
    "retrievers.SentenceWindowRetriever": {
        "window_size": [1, 7],
        "source_id_meta_field": ["source", ["a", "b"]],
        "split_id_meta_field": ["part"],
        "raise_on_missing_meta_fields": [False],
    },
    "preprocessors.DocumentSplitter": {
        "split_by": ["page", "period"],
        "split_length": [3, 250],
        "split_overlap": [1, 2],
        "skip_empty_documents": [False],
    },
    "preprocessors.RecursiveDocumentSplitter": {"split_length": [9], "split_unit": ["char"], "separators": [["\n"]]},
    "preprocessors.HierarchicalDocumentSplitter": {"split_by": ["line"], "split_overlap": [1]},
    "preprocessors.DocumentCleaner": {"keep_id": [True], "remove_substrings": [["a"]], "ascii_only": [True]},
    "preprocessors.CSVDocumentSplitter": {
        "row_split_threshold": [None, 1],
        "read_csv_kwargs": [{"sep": ";"}],
        "split_mode": ["row-wise"],
    },
    "preprocessors.CSVDocumentCleaner": {"ignore_rows": [1], "remove_empty_rows": [False], "keep_id": [True]},
    "preprocessors.PythonCodeSplitter": {"max_effective_lines": [50], "strip_docstrings": [True]},
    "preprocessors.TextCleaner": {"convert_to_lowercase": [True], "remove_regexps": [["a+"]]},
    "writers.DocumentWriter": {},
    "caching.CacheChecker": {},
    "joiners.DocumentJoiner": {"join_mode": ["merge"], "weights": [[1, 3]], "top_k": [4], "sort_by_score": [False]},
    "joiners.StringJoiner": {},
    "rankers.LostInTheMiddleRanker": {"top_k": [3], "word_count_threshold": [9]},
    "rankers.MetaFieldRanker": {"weight": [0.5], "missing_meta": ["drop"], "meta_value_type": ["int"]},
    "rankers.MetaFieldGroupingRanker": {"subgroup_by": ["y"], "sort_docs_by": ["z"]},
    "evaluators.DocumentMAPEvaluator": {"document_comparison_field": ["id"]},
    "evaluators.DocumentRecallEvaluator": {"mode": ["multi_hit"], "document_comparison_field": ["meta.x"]},
    "routers.MetadataRouter": {"strict_datetime_comparison": [True]},
    "embedders.MockTextEmbedder": {"dimension": [3]},
}


def _draw(rng: RandomData) -> Given:
    name = rng.choice(list(_OPTIONAL))
    required = {**_REQUIRED.get(name, {}), **({"document_store": _STORE} if name.startswith(_WITH_STORE) else {})}
    store = {
        "index": "parity",
        "bm25_tokenization_regex": r"\w+",  # a default is written by Haystack only
        "bm25_algorithm": rng.choice(["BM25L", "BM25Plus"]),
        "return_embedding": rng.flip(),
        "embedding_similarity_function": rng.choice(["cosine", "dot_product"]),
    }
    chosen = {key: rng.choice(_OPTIONAL[name][key]) for key in rng.subset(list(_OPTIONAL[name]))}
    return {"class": name, "parameters": {**required, **chosen}, "store": store}


def _run(given: Given, library: Library) -> Json:
    write, read = (library.get(f"core.serialization.component_{way}_dict") for way in ("to", "from"))
    component_class, store = library.get(f"components.{given['class']}"), library.store(**given["store"])
    parameters = {name: store if value == _STORE else value for name, value in given["parameters"].items()}
    if "filter_policy" in parameters:
        policies = library.get("document_stores.types.FilterPolicy")
        parameters["filter_policy"] = policies.from_str(parameters["filter_policy"])
    written = write(component_class(**parameters), "it")
    again = read(component_class, copy.deepcopy(written), "it")  # Haystack changes its argument
    return json.loads(re.sub(rf"\b{library.package}\.", ".", json.dumps([written, write(again, "it")])))


FORMS = Area("forms", _draw, _run)
