"""Converted pipelines: only names change, and missing types are reported."""

import pytest

from spaniel import Pipeline
from spaniel.errors import DeserializationError
from spaniel.migration import convert_pipeline
from tests.pipeline.haystack_yaml import PLATFORM, RAG, V2_3, V2_8, V2_19, V3_4

TEXTS = {"2.3": V2_3, "2.8": V2_8, "2.19": V2_19, "3.4": V3_4, "platform": PLATFORM}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_converted_pipeline_is_equivalent(text: str, request: pytest.FixtureRequest) -> None:
    text = text.replace("INDEX", f"'{request.node.name}'")
    converted = convert_pipeline(text)
    assert converted.missing == ()
    assert "type: haystack." not in converted.text.replace("haystack.components.converters.pypdf.DefaultConverter", "")
    assert Pipeline.loads(converted.text) == Pipeline.loads(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_converting_again_changes_nothing(text: str) -> None:
    once = convert_pipeline(text).text
    assert convert_pipeline(once) == (once, (), ())


def test_all_but_the_names_stays_as_it_is() -> None:
    text = (
        "# my pipeline\r\ncomponents:\r\n"
        "  a:   # joins\r\n"
        '    type:   "haystack.components.joiners.BranchJoiner"\r\n'
        "    init_parameters: {type_: 'typing.List[haystack.dataclasses.document.Document]'}\r\n"
        "metadata: {note: haystack.components.joiners.BranchJoiner, 'é': 1}\r\n"
    )
    converted = convert_pipeline(text)
    assert converted.text == text.replace(
        '"haystack.components.joiners.B', '"spaniel.components.joiners.branch.B'
    ).replace("List[haystack", "List[spaniel")
    assert [note.line for note in converted.renamed] == [4, 5]


def test_a_store_behind_an_alias_is_converted_once() -> None:
    converted = convert_pipeline(PLATFORM)
    assert converted.text.count("spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore") == 1
    assert "document_store: *store" in converted.text


def test_missing_types_are_reported_with_their_lines() -> None:
    converted = convert_pipeline(RAG)
    assert [note.line for note in converted.missing] == [9, 15, 23, 29]
    assert all("foreign=True takes it from there" in note.text for note in converted.missing)
    assert "type: haystack.components.builders.prompt_builder.PromptBuilder" in converted.text


def test_foreign_types_are_not_missing() -> None:
    assert convert_pipeline(RAG, foreign=True).missing == ()


@pytest.mark.parametrize("name", ["my_project.Own", "deepset_cloud_custom_nodes.augmenters.Other"])
def test_a_type_that_is_neithers_is_missing(name: str) -> None:
    (note,) = convert_pipeline(f"components:\n  a: {{type: {name}, init_parameters: {{}}}}").missing
    assert note.line == 2
    assert "is not known" in note.text


def test_types_inside_a_component_that_stays_stay() -> None:
    text = (
        "components: {a: {type: haystack.components.converters.output_adapter.OutputAdapter, init_parameters: "
        "{template: a, output_type: 'list[haystack.dataclasses.document.Document]'}}}"
    )
    assert convert_pipeline(text).text == text


@pytest.mark.parametrize("text", ["a: [", "- a", "", "components: 5", "components: {a: !!python/object:os.x {}}"])
def test_rejects_yaml_that_is_not_a_pipeline(text: str) -> None:
    with pytest.raises(DeserializationError):
        convert_pipeline(text)
