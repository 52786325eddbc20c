import re

import pytest

from spaniel import Document, Pipeline, component
from spaniel.core.component import Variadic
from spaniel.errors import PipelineConnectError, PipelineError, PipelineValidationError
from tests.pipeline.twins import OURS


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


def test_a_component_is_added_once_and_under_one_name():
    add = OURS.Add()
    pipeline = Pipeline().add_component("add", add).add_component("add", add)
    assert list(pipeline.walk()) == [("add", add)]
    with pytest.raises(PipelineError, match="already been added to this pipeline, as 'add'"):
        pipeline.add_component("other", add)


def test_a_component_of_another_pipeline_is_refused_until_it_is_removed_there():
    add, first = OURS.Add(), Pipeline()
    first.add_component("add", add)
    with pytest.raises(PipelineError, match="another pipeline"):
        Pipeline().add_component("add", add)
    assert first.remove_component("add") is add
    Pipeline().add_component("add", add)


def test_a_component_whose_pipeline_is_gone_can_be_added_to_another():
    add = OURS.Add()
    Pipeline().add_component("add", add)
    assert Pipeline().add_component("add", add).get_component("add") is add


@pytest.mark.parametrize("name", ["a.b", "_debug", "taken"])
def test_a_name_that_cannot_be_used_is_refused(name):
    pipeline = Pipeline().add_component("taken", OURS.Add())
    with pytest.raises(ValueError, match=re.escape(name)):
        pipeline.add_component(name, OURS.Add())


def test_an_object_that_is_no_component_is_refused():
    with pytest.raises(PipelineValidationError, match="'dict' is no component"):
        Pipeline().add_component("a", {})


def test_several_components_are_added_all_or_none():
    pipeline, twice = Pipeline(), OURS.Add()
    with pytest.raises(PipelineError, match="'a' and 'b'"):
        pipeline.add_components({"first": OURS.Add(), "a": twice, "b": twice})
    assert list(pipeline.walk()) == []


def test_an_unknown_component_is_told_with_those_there_are():
    with pytest.raises(ValueError, match=r"Component named b not found in the pipeline; it has \['a'\]"):
        Pipeline().add_component("a", OURS.Add()).connect("a", "b")


def test_an_unknown_socket_is_told_with_those_there_are():
    pipeline = Pipeline().add_components({"finder": Finder(), "reader": Reader()})
    with pytest.raises(
        PipelineConnectError, match=r"finder.docs.*documents \(type list\[Document\]\), scores \(type list\[float\]\)"
    ):
        pipeline.connect("finder.docs", "reader")
    with pytest.raises(PipelineConnectError, match=r"reader.docs.*documents \(type list\[Document\]\), extra"):
        pipeline.connect("finder", "reader.docs")


def test_two_sockets_that_do_not_fit_are_listed_with_their_types():
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


def test_of_several_pairs_that_fit_the_one_with_one_name_is_taken():
    pipeline = Pipeline().add_components({"finder": Finder(), "reader": Reader()}).connect("finder", "reader")
    assert pipeline.to_dict()["connections"] == [{"sender": "finder.documents", "receiver": "reader.documents"}]


def test_several_pairs_that_fit_without_one_name_are_refused():
    pipeline = Pipeline().add_components({"pair": OURS.Pair(), "other": OURS.Pair()})
    with pytest.raises(PipelineConnectError, match=r"more than one.*connect\('pair.value', 'other.a'\)"):
        pipeline.connect("pair", "other")


def test_a_component_without_outputs_cannot_send():
    pipeline = Pipeline().add_components({"silent": Silent(), "add": OURS.Add()})
    with pytest.raises(PipelineConnectError, match=r"output_types on Silent\.run"):
        pipeline.connect("silent", "add")


def test_a_component_cannot_be_connected_to_itself():
    with pytest.raises(PipelineConnectError, match="itself"):
        Pipeline().add_component("add", OURS.Add()).connect("add.value", "add.value")


def test_a_second_sender_is_refused_where_the_input_takes_one_value():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add(), "c": OURS.Add()}).connect("a", "c.value")
    with pytest.raises(PipelineConnectError, match=r"'c\.value' is fed by 'a' already"):
        pipeline.connect("b", "c.value")


def test_a_second_sender_of_a_list_is_joined():
    pipeline = Pipeline().add_components({"a": Finder(), "b": Finder(), "reader": Reader()})
    pipeline.connect("b.documents", "reader.documents").connect("a.documents", "reader.documents")
    assert pipeline.run({"a": {"query": "one"}, "b": {"query": "two"}})["reader"] == {"answer": "one two"}


def test_connecting_again_does_nothing():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add()})
    assert pipeline.connect("a", "b.value").connect("a.value", "b.value").to_dict()["connections"] == [
        {"sender": "a.value", "receiver": "b.value"}
    ]


def test_without_type_validation_everything_may_be_connected():
    pipeline = Pipeline(connection_type_validation=False).add_components({"finder": Finder(), "add": OURS.Add()})
    pipeline.connect("finder.scores", "add.value")
    assert pipeline.to_dict()["connection_type_validation"] is False


def test_an_input_without_a_type_takes_anything():
    pipeline = Pipeline().add_components({"finder": Finder(), "untyped": Untyped()}).connect("finder.scores", "untyped")
    assert pipeline.run({"query": "a"})["untyped"] == {"value": [1.0]}


def test_removing_a_component_frees_the_inputs_it_fed():
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


def test_a_component_is_found_by_name_and_by_itself():
    add = OURS.Add()
    pipeline = Pipeline().add_component("add", add)
    assert pipeline.get_component("add") is add
    assert pipeline.get_component_name(add) == "add"
    assert pipeline.get_component_name(OURS.Add()) == ""


def test_the_graph_is_a_copy():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add()}).connect("a", "b.value")
    graph = pipeline.graph
    assert list(graph.edges(keys=True)) == [("a", "b", "value/value")]
    graph.remove_node("a")
    assert pipeline.get_component("a") is not None


def test_a_variadic_input_can_be_passed_beside_its_senders():
    @component
    class Sum:
        @component.output_types(total=int)
        def run(self, values: Variadic[int]):
            return {"total": sum(values)}

    pipeline = Pipeline().add_components({"add": OURS.Add(1), "sum": Sum()}).connect("add", "sum")
    assert pipeline.run({"add": {"value": 1}, "sum": {"values": 10}}) == {"sum": {"total": 12}}
