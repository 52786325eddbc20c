"""Joiners, rankers, routers, evaluators and CacheChecker: signatures, sockets and saved forms equal
Haystack's.
"""

import importlib
import inspect
import json
from typing import Any

import pytest
from haystack.components.joiners.document_joiner import JoinMode as ReferenceJoinMode
from haystack.core.pipeline.base import component_to_dict as reference_data
from haystack.document_stores.in_memory import InMemoryDocumentStore as ReferenceStore

from spaniel.components.joiners import JoinMode
from spaniel.core.component import get_input_sockets, get_output_sockets
from spaniel.core.serialization import component_to_dict
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.pipeline.serialized_form import build_component

RULE = {"field": "meta.lang", "operator": "==", "value": "en"}
CASES = [
    ("joiners", "DocumentJoiner", {}),
    ("joiners", "DocumentJoiner", {"join_mode": "merge", "weights": [3, 1], "top_k": 2, "sort_by_score": False}),
    ("joiners", "BranchJoiner", {"type_": list[str]}),
    ("joiners", "ListJoiner", {}),
    ("joiners", "ListJoiner", {"list_type_": list[dict[str, Any]]}),
    ("joiners", "StringJoiner", {}),
    ("rankers", "LostInTheMiddleRanker", {}),
    ("rankers", "LostInTheMiddleRanker", {"word_count_threshold": 10, "top_k": 3}),
    ("rankers", "MetaFieldRanker", {"meta_field": "rating"}),
    ("rankers", "MetaFieldRanker", {"meta_field": "rating", "weight": 0.5, "top_k": 3, "meta_value_type": "date"}),
    ("rankers", "MetaFieldGroupingRanker", {"group_by": "group"}),
    ("rankers", "MetaFieldGroupingRanker", {"group_by": "group", "subgroup_by": "sub", "sort_docs_by": "split_id"}),
    ("routers", "MetadataRouter", {"rules": {"en": RULE}}),
    ("routers", "MetadataRouter", {"rules": {}, "strict_datetime_comparison": True}),
    ("routers", "DocumentTypeRouter", {"mime_types": ["text/plain"], "mime_type_meta_field": "type"}),
    ("routers", "DocumentLengthRouter", {}),
    ("routers", "DocumentLengthRouter", {"threshold": 3}),
    ("routers", "FileTypeRouter", {"mime_types": ["text/plain"]}),
    (
        "routers",
        "FileTypeRouter",
        {"mime_types": ["a/b"], "additional_mimetypes": {"a/b": ".zq"}, "raise_on_failure": True},
    ),
    ("evaluators", "DocumentMAPEvaluator", {}),
    ("evaluators", "DocumentMRREvaluator", {"document_comparison_field": "id"}),
    ("evaluators", "DocumentNDCGEvaluator", {"document_comparison_field": "meta.path"}),
    ("evaluators", "DocumentRecallEvaluator", {}),
    ("evaluators", "DocumentRecallEvaluator", {"mode": "multi_hit"}),
]
CLASSES = sorted({(package, name) for package, name, _ in CASES} | {("caching", "CacheChecker")})


def class_of(library: str, package: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{library}.components.{package}"), name)


def parameters_of(function: Any) -> list[tuple[str, Any, Any]]:
    """Name, kind and default of each parameter; defaults that are classes of either library as
    text.
    """
    return [
        (parameter.name, parameter.kind, str(parameter.default).replace("haystack.", "spaniel."))
        for parameter in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize(("package", "name", "parameters"), CASES)
def test_a_component_is_saved_as_by_haystack_and_found_again(package, name, parameters):
    component = class_of("spaniel", package, name)(**parameters)
    data = component_to_dict(component, "x")
    expected = json.dumps(reference_data(class_of("haystack", package, name)(**parameters), "x"))
    assert data == json.loads(expected.replace("haystack.", "spaniel."))
    assert component_to_dict(build_component(data, "x"), "x") == data


def test_a_cache_checker_is_saved_with_its_store():
    ours = class_of("spaniel", "caching", "CacheChecker")(InMemoryDocumentStore(), "url").to_dict()
    theirs = class_of("haystack", "caching", "CacheChecker")(ReferenceStore(), "url").to_dict()
    assert ours["type"] == theirs["type"].replace("haystack.", "spaniel.")
    assert ours["init_parameters"].keys() == theirs["init_parameters"].keys()
    assert class_of("spaniel", "caching", "CacheChecker").from_dict(ours).cache_field == "url"


@pytest.mark.parametrize(("package", "name"), CLASSES)
def test_constructor_and_run_parameters_are_those_of_haystack(package, name):
    ours, theirs = class_of("spaniel", package, name), class_of("haystack", package, name)
    assert parameters_of(ours.__init__) == parameters_of(theirs.__init__)
    assert parameters_of(ours.run) == parameters_of(theirs.run)
    assert hasattr(ours, "run_async") == hasattr(theirs, "run_async")


@pytest.mark.parametrize(("package", "name", "parameters"), CASES)
def test_sockets_have_the_names_of_haystacks(package, name, parameters):
    theirs = class_of("haystack", package, name)(**parameters)
    ours = class_of("spaniel", package, name)(**parameters)
    assert list(get_input_sockets(ours)) == list(theirs.__haystack_input__._sockets_dict)
    assert set(get_output_sockets(ours)) == set(theirs.__haystack_output__._sockets_dict)


def test_the_modes_are_those_of_haystack():
    assert {mode.name: mode.value for mode in JoinMode} == {mode.name: mode.value for mode in ReferenceJoinMode}
    assert str(JoinMode.MERGE) == str(ReferenceJoinMode.MERGE) == "merge"
