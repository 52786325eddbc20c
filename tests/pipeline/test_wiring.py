import re

import pytest

from spaniel import Document, Pipeline, component
from spaniel.core.component import Variadic
from spaniel.errors import PipelineConnectError, PipelineError, PipelineValidationError
from tests.pipeline.paired_components import OURS


@component
class Finder:
    @component.output_types(documents=list[Document], scores=list[float])
    def run(self, query: str):
        return {"documents": [Document(content=query)], "scores": [1.0]}


@component
class Reader:
    @component.output_types(answer=str)
    def run(self, documents: list[Document], extra: list[Document] | None = None, prompt: str = ""):
        return {"answer": " ".join(document.content for document in documents)}


@component
class Untyped:
    @component.output_types(value=int)
    def run(self, value):
        return {"value": value}


@component
class Silent:
    def run(self, value: int):
        return {}


def test_adds_a_component_once_under_one_name():
    add = OURS.Add()
    pipeline = Pipeline().add_component("add", add).add_component("add", add)
    assert list(pipeline.walk()) == [("add", add)]
    with pytest.raises(PipelineError, match="already been added to this pipeline, as 'add'"):
        pipeline.add_component("other", add)


def test_rejects_component_of_another_pipeline_until_removed():
    add, first = OURS.Add(), Pipeline()
    first.add_component("add", add)
    with pytest.raises(PipelineError, match="another pipeline"):
        Pipeline().add_component("add", add)
    assert first.remove_component("add") is add
    Pipeline().add_component("add", add)


def test_accepts_component_whose_pipeline_was_deleted():
    add = OURS.Add()
    Pipeline().add_component("add", add)
    assert Pipeline().add_component("add", add).get_component("add") is add


@pytest.mark.parametrize("name", ["a.b", "_debug", "taken"])
def test_rejects_invalid_component_names(name):
    pipeline = Pipeline().add_component("taken", OURS.Add())
    with pytest.raises(ValueError, match=re.escape(name)):
        pipeline.add_component(name, OURS.Add())


def test_rejects_non_components():
    with pytest.raises(PipelineValidationError, match="'dict' is not a component"):
        Pipeline().add_component("a", {})


def test_add_components_is_all_or_nothing():
    pipeline, twice = Pipeline(), OURS.Add()
    with pytest.raises(PipelineError, match="'a' and 'b'"):
        pipeline.add_components({"first": OURS.Add(), "a": twice, "b": twice})
    assert list(pipeline.walk()) == []


def test_unknown_component_error_lists_components():
    with pytest.raises(ValueError, match=r"Component named b not found in the pipeline; it has \['a'\]"):
        Pipeline().add_component("a", OURS.Add()).connect("a", "b")


def test_unknown_socket_error_lists_sockets():
    pipeline = Pipeline().add_components({"finder": Finder(), "reader": Reader()})
    with pytest.raises(
        PipelineConnectError, match=r"finder.docs.*documents \(type list\[Document\]\), scores \(type list\[float\]\)"
    ):
        pipeline.connect("finder.docs", "reader")
    with pytest.raises(PipelineConnectError, match=r"reader.docs.*documents \(type list\[Document\]\), extra"):
        pipeline.connect("finder", "reader.docs")


def test_type_mismatch_error_lists_sockets_with_types():
    pipeline = Pipeline().add_components({"finder": Finder(), "add": OURS.Add()})
    with pytest.raises(PipelineConnectError) as caught:
        pipeline.connect("finder.scores", "add.value")
    assert str(caught.value).splitlines() == [
        "Cannot connect 'finder.scores' with 'add.value': their declared input and output types do not match.",
        "'finder':",
        " - scores: list[float]",
        "'add':",
        " - value: int (available)",
    ]


def test_connect_prefers_the_pair_with_equal_names():
    pipeline = Pipeline().add_components({"finder": Finder(), "reader": Reader()}).connect("finder", "reader")
    assert pipeline.to_dict()["connections"] == [{"sender": "finder.documents", "receiver": "reader.documents"}]


def test_rejects_ambiguous_connections():
    pipeline = Pipeline().add_components({"pair": OURS.Pair(), "other": OURS.Pair()})
    with pytest.raises(PipelineConnectError, match=r"more than one.*connect\('pair.value', 'other.a'\)"):
        pipeline.connect("pair", "other")


def test_rejects_sender_without_outputs():
    pipeline = Pipeline().add_components({"silent": Silent(), "add": OURS.Add()})
    with pytest.raises(PipelineConnectError, match=r"output_types on Silent\.run"):
        pipeline.connect("silent", "add")


def test_rejects_connection_to_itself():
    with pytest.raises(PipelineConnectError, match="itself"):
        Pipeline().add_component("add", OURS.Add()).connect("add.value", "add.value")


def test_rejects_second_sender_of_a_single_value_input():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add(), "c": OURS.Add()}).connect("a", "c.value")
    with pytest.raises(PipelineConnectError, match=r"'c\.value' is already connected to 'a'"):
        pipeline.connect("b", "c.value")


def test_joins_lists_of_several_senders():
    pipeline = Pipeline().add_components({"a": Finder(), "b": Finder(), "reader": Reader()})
    pipeline.connect("b.documents", "reader.documents").connect("a.documents", "reader.documents")
    assert pipeline.run({"a": {"query": "one"}, "b": {"query": "two"}})["reader"] == {"answer": "one two"}


def test_connecting_again_has_no_effect():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add()})
    assert pipeline.connect("a", "b.value").connect("a.value", "b.value").to_dict()["connections"] == [
        {"sender": "a.value", "receiver": "b.value"}
    ]


def test_connects_anything_without_type_validation():
    pipeline = Pipeline(connection_type_validation=False).add_components({"finder": Finder(), "add": OURS.Add()})
    pipeline.connect("finder.scores", "add.value")
    assert pipeline.to_dict()["connection_type_validation"] is False


def test_untyped_input_accepts_anything():
    pipeline = Pipeline().add_components({"finder": Finder(), "untyped": Untyped()}).connect("finder.scores", "untyped")
    assert pipeline.run({"query": "a"})["untyped"] == {"value": [1.0]}


def test_remove_component_frees_connected_inputs():
    pipeline = Pipeline().add_components({"a": Finder(), "b": Finder(), "reader": Reader(), "last": OURS.Shout()})
    pipeline.connect_many(
        [("a.documents", "reader.documents"), ("b.documents", "reader.documents"), ("reader", "last.text")]
    )
    pipeline.remove_component("b")
    pipeline.remove_component("last")
    assert repr(pipeline).endswith("Connections\n  - a.documents -> reader.documents")
    assert "documents" not in pipeline.inputs()["reader"]
    pipeline.remove_component("a")
    assert pipeline.inputs()["reader"]["documents"]["is_mandatory"]
    with pytest.raises(ValueError, match="Component named a not found"):
        pipeline.remove_component("a")


def test_finds_component_by_name_and_name_by_component():
    add = OURS.Add()
    pipeline = Pipeline().add_component("add", add)
    assert pipeline.get_component("add") is add
    assert pipeline.get_component_name(add) == "add"
    assert pipeline.get_component_name(OURS.Add()) == ""


def test_graph_is_a_copy():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add()}).connect("a", "b.value")
    graph = pipeline.graph
    assert list(graph.edges(keys=True)) == [("a", "b", "value/value")]
    graph.remove_node("a")
    assert pipeline.get_component("a") is not None


def test_connected_variadic_input_accepts_caller_value():
    @component
    class Sum:
        @component.output_types(total=int)
        def run(self, values: Variadic[int]):
            return {"total": sum(values)}

    pipeline = Pipeline().add_components({"add": OURS.Add(1), "sum": Sum()}).connect("add", "sum")
    assert pipeline.run({"add": {"value": 1}, "sum": {"values": 10}}) == {"sum": {"total": 12}}
