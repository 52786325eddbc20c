import io
import re
import sys

import haystack
import pytest
import yaml
from haystack.core.errors import DeserializationError as HaystackDeserializationError
from haystack.core.errors import PipelineError as HaystackPipelineError

from spaniel import Document, Pipeline, component
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.components.retrievers.recursive_retriever import DeepsetOpenSearchRecursiveRetriever
from spaniel.core.secret import Secret
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError, PipelineConnectError, PipelineError, SecretError, SerializationError
from spaniel.marshal import YamlMarshaller
from tests.pipeline.paired_components import OURS

RECURSIVE = "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever"


@component
class Client:
    def __init__(self, api_key: Secret, sizes: tuple[int, ...] = (1, 2), note: object = None):
        self.api_key = api_key
        self.sizes = sizes
        self.note = note

    @component.output_types(n=int)
    def run(self):
        return {"n": 1}


@component
class Forgetful:
    def __init__(self, lost: int):
        pass

    @component.output_types(n=int)
    def run(self):
        return {"n": 1}


def retrieval(package):
    store = package.document_stores.in_memory.InMemoryDocumentStore(index="one")
    window = package.components.retrievers.SentenceWindowRetriever(store, window_size=2)
    pipeline = package.Pipeline(metadata={"name": "window"}, max_runs_per_component=7)
    pipeline.add_component("finder", package.components.retrievers.in_memory.InMemoryBM25Retriever(store, top_k=3))
    return pipeline.add_component("window", window).connect("finder", "window")


def test_serialised_form_differs_from_haystack_by_package_and_default_regex():
    import haystack.components.retrievers.in_memory
    import haystack.document_stores.in_memory

    import spaniel.components.retrievers.in_memory
    import spaniel.document_stores.in_memory

    text = retrieval(haystack).dumps().replace("type: haystack.", "type: spaniel.")
    theirs = YamlMarshaller().unmarshal(text)
    for part in theirs["components"].values():
        del part["init_parameters"]["document_store"]["init_parameters"]["bm25_tokenization_regex"]  # the default
    assert retrieval(spaniel).to_dict() == theirs
    assert Pipeline.loads(text) == retrieval(spaniel)


def test_pipeline_round_trips_through_yaml():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="dog")])
    pipeline = Pipeline().add_component("finder", InMemoryBM25Retriever(store))
    file = io.StringIO()
    pipeline.dump(file)
    file.seek(0)
    loaded = Pipeline.load(file)
    assert loaded == pipeline
    assert loaded.run({"query": "dog"}) == pipeline.run({"query": "dog"})


def test_pipelines_with_equal_parts_are_equal():
    pipelines = [Pipeline().add_component("a", OURS.Add(amount)) for amount in (1, 1, 2)]
    assert pipelines[0] == pipelines[1]
    assert pipelines[0] != pipelines[2]
    assert pipelines[0] != "pipeline"


def test_from_dict_does_not_change_its_data():
    data = Pipeline().add_component("a", Client(Secret.from_env_var("KEY"))).to_dict()
    before = repr(data)
    Pipeline.from_dict(data)
    assert repr(data) == before


def test_secrets_and_tuples_round_trip_through_yaml():
    text = Pipeline().add_component("client", Client(Secret.from_env_var("KEY"), (3, 4))).dumps()
    loaded = Pipeline.loads(text).get_component("client")
    assert loaded.api_key == Secret.from_env_var("KEY")
    assert loaded.sizes == (3, 4)


def test_rejects_serialisation_of_tokens():
    pipeline = Pipeline().add_component("client", Client(Secret.from_token("abc")))
    with pytest.raises(SecretError) as caught:
        pipeline.dumps()
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("note", "message"), [(object(), "of type 'object' under 'init_parameters.note'"), ({1: 2}, "non-string key")]
)
def test_rejects_serialisation_of_other_than_plain_data(note, message):
    pipeline = Pipeline().add_component("client", Client(Secret.from_env_var("KEY"), note=note))
    with pytest.raises(SerializationError, match=f"Component 'client' of type 'Client' has .*{message}"):
        pipeline.to_dict()


def test_rejects_serialisation_of_components_without_parameters_as_attributes():
    with pytest.raises(SerializationError, match=r"Forgetful does not keep its parameter 'lost': set self\.lost"):
        Pipeline().add_component("a", Forgetful(1)).to_dict()


def test_rejects_types_of_unallowed_modules_without_import():
    sys.modules.pop("this", None)
    data = {"components": {"a": {"type": "this.Zen", "init_parameters": {}}}}
    with pytest.raises(DeserializationError, match=r"component 'a' can't be built.*'this\.Zen' is not known"):
        Pipeline.from_dict(data)
    assert "this" not in sys.modules


def test_rejects_nested_types_of_unallowed_modules():
    name = f"{Client.__module__}.Client"
    nested = {"type": "subprocess.Popen", "init_parameters": {"args": ["true"]}}
    data = {"components": {"a": {"type": name, "init_parameters": {"api_key": None, "note": nested}}}}
    with pytest.raises(DeserializationError, match=r"'subprocess\.Popen' is not known"):
        Pipeline.from_dict(data)


def test_allows_modules_per_call(tmp_path, monkeypatch):
    source = (
        "from spaniel import component\n"
        "@component\n"
        "class Own:\n"
        "    @component.output_types(n=int)\n"
        "    def run(self):\n"
        "        return {'n': 3}\n"
    )
    (tmp_path / "my_components.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    text = "components: {own: {type: my_components.Own, init_parameters: {}}}"
    with pytest.raises(DeserializationError, match="not known"):
        Pipeline.loads(text)
    assert Pipeline.loads(text, allowed_modules=["my_components.*"]).run({}) == {"own": {"n": 3}}


def test_rejects_types_other_than_components():
    text = "components: {a: {type: spaniel.dataclasses.document.Document, init_parameters: {content: a}}}"
    with pytest.raises(DeserializationError):
        Pipeline.loads(text)


@pytest.mark.parametrize("text", ["a: [", "- a", "text", "", "a: !!python/object/apply:os.system ['true']", b"\xff"])
def test_rejects_text_other_than_a_pipeline(text):
    with pytest.raises(DeserializationError, match="YAML"):
        Pipeline.loads(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"components": {"a": {}}}, "Missing 'type' in component 'a'"),
        ({"connections": [{"sender": "a"}]}, "Missing receiver"),
        ({"connections": [{"receiver": "a"}]}, "Missing sender"),
    ],
)
def test_rejects_incomplete_data(data, message):
    with pytest.raises(PipelineError, match=message):
        Pipeline.from_dict(data)


@pytest.mark.parametrize("value", ["5", "null", "true", "[a]", "{a: 1}"])
def test_invalid_type_error_names_component_and_value(value):
    shown = re.escape(repr(yaml.safe_load(value)))
    with pytest.raises(
        DeserializationError, match=f"component 'first' can't be built: A type must be a name .* got {shown}"
    ):
        Pipeline.loads(f"components: {{first: {{type: {value}}}}}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"A pipeline must be a mapping .* got \[\]"),
        ({"components": [1]}, r"'components' of a pipeline must be a mapping, got \[1\]"),
        ({"components": {1: {}}}, "name of a component must be text, got 1"),
        ({"components": {"a": 5}}, "component 'a' must be a mapping with a 'type', got 5"),
        ({"connections": "a"}, "'connections' of a pipeline must be a list, got 'a'"),
        ({"connections": [5]}, "connection must be a mapping .* got 5"),
        ({"connections": [{"sender": 1, "receiver": "b"}]}, "connection must be a mapping .* got {'sender': 1"),
        ({"metadata": "a"}, "'metadata' of a pipeline must be a mapping, got 'a'"),
        ({"max_runs_per_component": "a"}, "'max_runs_per_component' of a pipeline must be a whole number, got 'a'"),
        ({"connection_type_validation": "a"}, "'connection_type_validation' of a pipeline must be true or false"),
    ],
)
def test_rejects_malformed_data(data, message):
    with pytest.raises(DeserializationError, match=message):
        Pipeline.from_dict(data)


def test_null_parts_are_omitted_parts():
    parts = ("metadata", "components", "connections", "max_runs_per_component", "connection_type_validation")
    assert Pipeline.from_dict(dict.fromkeys(parts)) == Pipeline()


def test_accepts_import_paths_as_types():
    store = "{type: spaniel.document_stores.in_memory.InMemoryDocumentStore, init_parameters: {}}"
    name = "spaniel.components.retrievers.in_memory.InMemoryBM25Retriever"
    pipeline = Pipeline.loads(f"components: {{a: {{type: {name}, init_parameters: {{document_store: {store}}}}}}}")
    assert type(pipeline.get_component("a")) is InMemoryBM25Retriever


def test_rejects_invalid_connections_on_load():
    data = Pipeline().add_components({"a": OURS.Shout(), "b": OURS.Fragile()}).to_dict()
    data["connections"] = [{"sender": "a.text", "receiver": "b.value"}]
    with pytest.raises(PipelineConnectError):
        Pipeline.from_dict(data)


def test_build_error_names_component_and_data():
    data = Pipeline().add_component("finder", InMemoryBM25Retriever(InMemoryDocumentStore())).to_dict()
    data["components"]["finder"]["init_parameters"]["top_k"] = 0
    with pytest.raises(DeserializationError, match="'finder' of class 'InMemoryBM25Retriever'") as caught:
        Pipeline.from_dict(data)
    assert "top_k must be greater than 0" in str(caught.value)
    assert '"bm25_algorithm": "BM25L"' in str(caught.value)
    assert len(str(caught.value)) < 1300


def test_accepts_replacement_components():
    add = OURS.Add(1)
    data = Pipeline().add_component("a", OURS.Add(5)).to_dict()
    assert Pipeline.from_dict(data, components={"a": add}).get_component("a") is add


@pytest.mark.parametrize("name", [RECURSIVE, f"deepset_cloud_custom_nodes.{RECURSIVE}"])
def test_loads_recursive_retriever_by_either_name(name):
    store = "{type: spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore, init_parameters: {}}"
    parameters = f"{{document_store: {store}, filter_key: name, relevant_doc_keys: [cites]}}"
    pipeline = Pipeline.loads(f"components: {{hops: {{type: {name}, init_parameters: {parameters}}}}}")
    assert type(pipeline.get_component("hops")) is DeepsetOpenSearchRecursiveRetriever


def test_recursive_retriever_without_parameters_error_names_missing_ones():
    with pytest.raises(
        DeserializationError, match=r"missing 3 .*: 'document_store', 'filter_key' and 'relevant_doc_keys'"
    ):
        Pipeline.loads(f"components: {{hops: {{type: {RECURSIVE}, init_parameters: }}}}")


def test_writes_yaml_as_haystack_does():
    from haystack.marshal import YamlMarshaller as Reference

    data = {"b": (1, 2), "a": [{"x": None, "y": "é"}, {1, 2}, 1.5, True]}
    assert YamlMarshaller().marshal(data) == Reference().marshal(data)
    assert YamlMarshaller().unmarshal(Reference().marshal(data)) == data


def test_accepts_another_marshaller():
    import json

    class Json:
        def marshal(self, dict_):
            return json.dumps(dict_)

        def unmarshal(self, data_):
            return json.loads(data_)

    pipeline = Pipeline().add_component("a", OURS.Add(1))
    assert Pipeline.loads(pipeline.dumps(Json()), Json()) == pipeline


@pytest.mark.parametrize("kind", [PipelineError, DeserializationError])
def test_unknown_component_error_has_both_types(kind):
    data = {"components": {"a": {"type": "spaniel.not.there.Component", "init_parameters": {}}}, "connections": []}
    with pytest.raises(kind, match=r"Component 'spaniel\.not\.there\.Component' \(name: 'a'\) not imported"):
        Pipeline.from_dict(data)
    with pytest.raises(HaystackPipelineError, match="not imported"):
        haystack.Pipeline.from_dict(
            {"components": {"a": {"type": "haystack.not.there.Component", "init_parameters": {}}}, "connections": []}
        )


CLEANER = "components: {{a: {{type: {package}.components.preprocessors.text_cleaner.TextCleaner, init_parameters: null{more}}}}}"


def test_rejects_parameters_beside_init_parameters():
    with pytest.raises(
        DeserializationError, match=r"component 'a' of class 'TextCleaner': .*'remove_numbers' are beside"
    ):
        Pipeline.loads(CLEANER.format(package="spaniel", more=", remove_numbers: true"))


def test_null_init_parameters_are_omitted_unlike_in_haystack():
    with pytest.raises(HaystackDeserializationError, match="'NoneType' object is not iterable"):
        haystack.Pipeline.loads(CLEANER.format(package="haystack", more=""))

    assert Pipeline.loads(CLEANER.format(package="spaniel", more="")).get_component("a").remove_numbers is False
