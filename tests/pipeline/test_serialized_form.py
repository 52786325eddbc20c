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
from spaniel.core.haystack_names import SEED_NAMES
from spaniel.core.secret import Secret
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError, PipelineConnectError, PipelineError, SecretError, SerializationError
from spaniel.marshal import YamlMarshaller
from tests.pipeline.twins import OURS


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


def test_a_pipeline_is_written_as_haystack_writes_it_but_for_the_package():
    import haystack.components.retrievers.in_memory
    import haystack.document_stores.in_memory

    import spaniel.components.retrievers.in_memory
    import spaniel.document_stores.in_memory

    text = retrieval(haystack).dumps().replace("type: haystack.", "type: spaniel.")
    assert retrieval(spaniel).to_dict() == YamlMarshaller().unmarshal(text)
    assert Pipeline.loads(text) == retrieval(spaniel)


def test_a_pipeline_survives_yaml():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="dog")])
    pipeline = Pipeline().add_component("finder", InMemoryBM25Retriever(store))
    file = io.StringIO()
    pipeline.dump(file)
    file.seek(0)
    loaded = Pipeline.load(file)
    assert loaded == pipeline
    assert loaded.run({"query": "dog"}) == pipeline.run({"query": "dog"})


def test_pipelines_are_equal_if_they_are_made_of_the_same():
    pipelines = [Pipeline().add_component("a", OURS.Add(amount)) for amount in (1, 1, 2)]
    assert pipelines[0] == pipelines[1]
    assert pipelines[0] != pipelines[2]
    assert pipelines[0] != "pipeline"


def test_plain_data_that_was_read_is_not_changed():
    data = Pipeline().add_component("a", Client(Secret.from_env_var("KEY"))).to_dict()
    before = repr(data)
    Pipeline.from_dict(data)
    assert repr(data) == before


def test_secrets_and_tuples_survive_yaml():
    text = Pipeline().add_component("client", Client(Secret.from_env_var("KEY"), (3, 4))).dumps()
    loaded = Pipeline.loads(text).get_component("client")
    assert loaded.api_key == Secret.from_env_var("KEY")
    assert loaded.sizes == (3, 4)


def test_a_pipeline_with_a_token_is_not_written():
    pipeline = Pipeline().add_component("client", Client(Secret.from_token("abc")))
    with pytest.raises(SecretError) as caught:
        pipeline.dumps()
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("note", "message"), [(object(), "of type 'object' under 'init_parameters.note'"), ({1: 2}, "non-string key")]
)
def test_what_is_more_than_plain_data_is_not_written(note, message):
    pipeline = Pipeline().add_component("client", Client(Secret.from_env_var("KEY"), note=note))
    with pytest.raises(SerializationError, match=f"Component 'client' of type 'Client' has .*{message}"):
        pipeline.to_dict()


def test_a_component_that_does_not_keep_its_parameters_is_not_written():
    with pytest.raises(SerializationError, match=r"Forgetful does not keep its parameter 'lost': set self\.lost"):
        Pipeline().add_component("a", Forgetful(1)).to_dict()


def test_a_type_of_a_module_that_is_not_allowed_is_refused_and_not_imported():
    sys.modules.pop("this", None)
    data = {"components": {"a": {"type": "this.Zen", "init_parameters": {}}}}
    with pytest.raises(DeserializationError, match=r"component 'a' can't be built.*'this\.Zen' is not known"):
        Pipeline.from_dict(data)
    assert "this" not in sys.modules


def test_a_nested_type_of_a_module_that_is_not_allowed_is_refused():
    name = f"{Client.__module__}.Client"
    nested = {"type": "subprocess.Popen", "init_parameters": {"args": ["true"]}}
    data = {"components": {"a": {"type": name, "init_parameters": {"api_key": None, "note": nested}}}}
    with pytest.raises(DeserializationError, match=r"'subprocess\.Popen' is not known"):
        Pipeline.from_dict(data)


def test_a_module_can_be_allowed_for_one_call(tmp_path, monkeypatch):
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


def test_a_type_that_is_no_component_is_refused():
    text = "components: {a: {type: spaniel.dataclasses.document.Document, init_parameters: {content: a}}}"
    with pytest.raises(DeserializationError):
        Pipeline.loads(text)


@pytest.mark.parametrize("text", ["a: [", "- a", "text", "", "a: !!python/object/apply:os.system ['true']", b"\xff"])
def test_text_that_is_no_pipeline_is_refused(text):
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
def test_data_that_lacks_a_part_is_refused(data, message):
    with pytest.raises(PipelineError, match=message):
        Pipeline.from_dict(data)


@pytest.mark.parametrize("value", ["5", "null", "true", "[a]", "{a: 1}"])
def test_a_type_that_is_no_name_is_refused_with_the_component_and_the_value(value):
    shown = re.escape(repr(yaml.safe_load(value)))
    with pytest.raises(
        DeserializationError, match=f"component 'first' can't be built: A type is a name .* not {shown}"
    ):
        Pipeline.loads(f"components: {{first: {{type: {value}}}}}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"A pipeline is a mapping .* not \[\]"),
        ({"components": [1]}, r"'components' of a pipeline must be a mapping, not \[1\]"),
        ({"components": {1: {}}}, "name of a component must be text, not 1"),
        ({"components": {"a": 5}}, "component 'a' must be a mapping with a 'type', not 5"),
        ({"connections": "a"}, "'connections' of a pipeline must be a list, not 'a'"),
        ({"connections": [5]}, "connection must be a mapping .* not 5"),
        ({"connections": [{"sender": 1, "receiver": "b"}]}, "connection must be a mapping .* not {'sender': 1"),
        ({"metadata": "a"}, "'metadata' of a pipeline must be a mapping, not 'a'"),
        ({"max_runs_per_component": "a"}, "'max_runs_per_component' of a pipeline must be a whole number, not 'a'"),
        ({"connection_type_validation": "a"}, "'connection_type_validation' of a pipeline must be true or false"),
    ],
)
def test_data_of_another_form_is_refused(data, message):
    with pytest.raises(DeserializationError, match=message):
        Pipeline.from_dict(data)


def test_parts_that_are_null_are_as_if_left_out():
    parts = ("metadata", "components", "connections", "max_runs_per_component", "connection_type_validation")
    assert Pipeline.from_dict(dict.fromkeys(parts)) == Pipeline()


def test_types_may_be_named_by_the_path_that_users_import_from():
    store = "{type: spaniel.document_stores.in_memory.InMemoryDocumentStore, init_parameters: {}}"
    name = "spaniel.components.retrievers.in_memory.InMemoryBM25Retriever"
    pipeline = Pipeline.loads(f"components: {{a: {{type: {name}, init_parameters: {{document_store: {store}}}}}}}")
    assert type(pipeline.get_component("a")) is InMemoryBM25Retriever


def test_a_connection_that_does_not_fit_is_refused_when_loaded():
    data = Pipeline().add_components({"a": OURS.Shout(), "b": OURS.Fragile()}).to_dict()
    data["connections"] = [{"sender": "a.text", "receiver": "b.value"}]
    with pytest.raises(PipelineConnectError):
        Pipeline.from_dict(data)


def test_a_component_that_cannot_be_built_is_named_with_its_data():
    data = Pipeline().add_component("finder", InMemoryBM25Retriever(InMemoryDocumentStore())).to_dict()
    data["components"]["finder"]["init_parameters"]["top_k"] = 0
    with pytest.raises(DeserializationError, match="'finder' of class 'InMemoryBM25Retriever'") as caught:
        Pipeline.from_dict(data)
    assert "top_k must be greater than 0" in str(caught.value)
    assert '"bm25_algorithm": "BM25L"' in str(caught.value)
    assert len(str(caught.value)) < 1300


def test_a_component_can_be_given_instead_of_being_built():
    add = OURS.Add(1)
    data = Pipeline().add_component("a", OURS.Add(5)).to_dict()
    assert Pipeline.from_dict(data, components={"a": add}).get_component("a") is add


@pytest.mark.parametrize("name", SEED_NAMES)
def test_a_recursive_retriever_is_loaded_from_either_of_its_names(name):
    store = "{type: spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore, init_parameters: {}}"
    parameters = f"{{document_store: {store}, filter_key: name, relevant_doc_keys: [cites]}}"
    pipeline = Pipeline.loads(f"components: {{hops: {{type: {name}, init_parameters: {parameters}}}}}")
    assert type(pipeline.get_component("hops")) is DeepsetOpenSearchRecursiveRetriever


def test_a_recursive_retriever_without_parameters_names_the_three_that_are_missing():
    with pytest.raises(
        DeserializationError, match=r"missing 3 .*: 'document_store', 'filter_key' and 'relevant_doc_keys'"
    ):
        Pipeline.loads(f"components: {{hops: {{type: {next(iter(SEED_NAMES))}, init_parameters: }}}}")


def test_yaml_is_written_as_haystack_writes_it():
    from haystack.marshal import YamlMarshaller as Reference

    data = {"b": (1, 2), "a": [{"x": None, "y": "é"}, {1, 2}, 1.5, True]}
    assert YamlMarshaller().marshal(data) == Reference().marshal(data)
    assert YamlMarshaller().unmarshal(Reference().marshal(data)) == data


def test_another_format_can_be_used():
    import json

    class Json:
        def marshal(self, dict_):
            return json.dumps(dict_)

        def unmarshal(self, data_):
            return json.loads(data_)

    pipeline = Pipeline().add_component("a", OURS.Add(1))
    assert Pipeline.loads(pipeline.dumps(Json()), Json()) == pipeline


@pytest.mark.parametrize("kind", [PipelineError, DeserializationError])
def test_a_component_that_is_not_known_is_an_error_of_both_kinds(kind):
    data = {"components": {"a": {"type": "spaniel.not.there.Component", "init_parameters": {}}}, "connections": []}
    with pytest.raises(kind, match=r"Component 'spaniel\.not\.there\.Component' \(name: 'a'\) not imported"):
        Pipeline.from_dict(data)
    with pytest.raises(HaystackPipelineError, match="not imported"):
        haystack.Pipeline.from_dict(
            {"components": {"a": {"type": "haystack.not.there.Component", "init_parameters": {}}}, "connections": []}
        )


CLEANER = "components: {{a: {{type: {package}.components.preprocessors.text_cleaner.TextCleaner, init_parameters: null{more}}}}}"


def test_parameters_beside_init_parameters_are_refused_with_the_remedy():
    with pytest.raises(
        DeserializationError, match=r"component 'a' of class 'TextCleaner': .*'remove_numbers' stand beside"
    ):
        Pipeline.loads(CLEANER.format(package="spaniel", more=", remove_numbers: true"))


def test_init_parameters_that_are_null_are_an_error_in_haystack_and_as_if_left_out_here():
    with pytest.raises(HaystackDeserializationError, match="'NoneType' object is not iterable"):
        haystack.Pipeline.loads(CLEANER.format(package="haystack", more=""))

    assert Pipeline.loads(CLEANER.format(package="spaniel", more="")).get_component("a").remove_numbers is False
