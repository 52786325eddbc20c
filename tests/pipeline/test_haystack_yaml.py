"""Pipelines that Haystack wrote load as they are, and are written with our names."""

import re
import sys

import haystack
import pytest

from spaniel import Document, Pipeline
from spaniel.components.converters import PyPDFToDocument
from spaniel.components.joiners import BranchJoiner
from spaniel.components.retrievers import SentenceWindowRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy, FilterPolicy
from spaniel.errors import DeserializationError, ForeignTypeError
from spaniel.marshal import YamlMarshaller
from tests.pipeline.haystack_yaml import OPENSEARCH, PLATFORM, RAG, V2_3, V2_8, V2_19, V3_4

DOCUMENTS = [
    Document(content="a dog", meta={"lang": "en", "name": "dog", "links": ["katze"]}),
    Document(content="eine Katze", meta={"lang": "de", "name": "katze"}),
]


@pytest.mark.parametrize("text", [V2_3, V2_8, V2_19, V3_4, PLATFORM], ids=["2.3", "2.8", "2.19", "3.4", "platform"])
def test_loads_haystack_yaml_and_writes_spaniel_names(text: str, request: pytest.FixtureRequest) -> None:
    pipeline = Pipeline.loads(text.replace("INDEX", f"'{request.node.name}'"))
    written = pipeline.dumps()
    assert not re.search(r"type: (haystack|deepset_cloud)|haystack\.dataclasses", written)
    assert Pipeline.loads(written) == pipeline


@pytest.mark.parametrize("text", [V2_19, V3_4], ids=["2.19", "3.4"])
def test_it_runs(text: str, request: pytest.FixtureRequest) -> None:
    pipeline = Pipeline.loads(text.replace("INDEX", f"'{request.node.name}'"))
    assert pipeline.run({"bm25": {"query": "dog"}, "writer": {"documents": DOCUMENTS}})["writer"] == {
        "documents_written": 2
    }
    found = pipeline.run({"bm25": {"query": "dog"}, "writer": {"documents": []}})
    assert [document.content for document in found["router"]["en"]] == ["a dog"]
    assert [document.content for document in found["router"]["unmatched"]] == ["eine Katze"]


def test_runs_pipeline_of_the_deepset_platform() -> None:
    store = InMemoryDocumentStore(index="platform")
    store.write_documents(DOCUMENTS)
    found = Pipeline.loads(PLATFORM.replace("INDEX", "platform")).run({"query": "dog"})
    assert [document.content for document in found["linked"]["documents"]] == ["a dog", "eine Katze"]


def test_loads_every_parameter_of_opensearch_haystack() -> None:
    pipeline = Pipeline.loads(OPENSEARCH)
    assert type(pipeline.get_component("finder")).__module__.startswith("spaniel.")
    expected, found = YamlMarshaller().unmarshal(OPENSEARCH), pipeline.to_dict()
    for name, described in expected["components"].items():
        parameters = found["components"][name]["init_parameters"]
        store, written = parameters.pop("document_store"), described["init_parameters"].pop("document_store")
        assert store["init_parameters"] == written["init_parameters"]
        assert parameters == described["init_parameters"]


def test_values_in_parameters_keep_their_meaning() -> None:
    pipeline = Pipeline.loads(V2_19)
    assert pipeline.get_component("bm25").filter_policy is FilterPolicy.MERGE
    assert pipeline.get_component("writer").policy is DuplicatePolicy.OVERWRITE
    assert pipeline.outputs()["router"]["en"] == {"type": list[Document]}
    assert pipeline.get_component("bm25").document_store.bm25_tokenization_regex == r"(?u)\b\w\w+\b"


def test_haystack_does_not_load_yaml_of_2_3() -> None:
    text = "components: {a: {type: haystack.components.others.multiplexer.Multiplexer, init_parameters: {type_: str}}}"
    with pytest.raises(haystack.core.errors.PipelineError, match="not imported"):
        haystack.Pipeline.loads(text)
    assert type(Pipeline.loads(text).get_component("a")) is BranchJoiner
    data = {"components": {}, "connections": [], "max_loops_allowed": 7}
    assert haystack.Pipeline.from_dict(data).to_dict()["max_runs_per_component"] == 100


def test_old_names_and_parameters_map_to_their_successors() -> None:
    pipeline = Pipeline.loads(V2_3)
    assert type(pipeline.get_component("multi")) is BranchJoiner
    assert type(pipeline.get_component("window")) is SentenceWindowRetriever
    assert type(pipeline.get_component("pdf")) is PyPDFToDocument
    assert pipeline.to_dict()["max_runs_per_component"] == 7


@pytest.mark.parametrize(
    "parameter", ["{extractor_type: ArticleExtractor}", "{extractor_type: null, try_others: true}"]
)
def test_ignores_old_parameters_without_effect(parameter: str) -> None:
    Pipeline.loads(
        f"components: {{a: {{type: haystack.components.converters.HTMLToDocument, init_parameters: {parameter}}}}}"
    )


@pytest.mark.parametrize(
    "parameter", ["{converter_name: mine}", "{converter: {type: mine.Converter, init_parameters: {}}}"]
)
def test_rejects_unsupported_values_of_old_parameters(parameter: str) -> None:
    text = f"components: {{a: {{type: haystack.components.converters.PyPDFToDocument, init_parameters: {parameter}}}}}"
    with pytest.raises(DeserializationError, match=r"'converter(_name)?' of PyPDFToDocument can't be 'mine.*Remove it"):
        Pipeline.loads(text)


def test_haystack_reports_one_missing_type() -> None:
    text = "components: {a: {type: haystack.no.A, init_parameters: {}}, b: {type: haystack.no.B, init_parameters: {}}}"
    with pytest.raises(haystack.core.errors.PipelineError) as caught:
        haystack.Pipeline.loads(text)
    assert "haystack.no.A" in str(caught.value)
    assert "haystack.no.B" not in str(caught.value)


def test_reports_all_missing_types_with_remedies() -> None:
    text = RAG.replace("document_store.InMemoryDocumentStore", "document_store.NoSuchStore")
    with pytest.raises(DeserializationError) as caught:
        Pipeline.loads(text)
    lines = str(caught.value).splitlines()
    assert lines[0] == "5 types of the pipeline can't be loaded."
    assert [re.findall("'(.*?)'", line)[0] for line in lines[1:]] == [
        "adapter",
        "answers",
        "llm",
        "prompt_builder",
        "retriever",
    ]
    assert (
        "Spaniel has no 'PromptBuilder', but with 'haystack-ai' installed, foreign=True takes it from there."
        in lines[4]
    )
    assert "its 'document_store'" in lines[5]
    assert isinstance(caught.value.__cause__, ExceptionGroup)


@pytest.mark.parametrize("store", ["elasticsearch", "qdrant", "pgvector"])
def test_reports_missing_stores(store: str) -> None:
    name = f"haystack_integrations.document_stores.{store}.document_store.SomeDocumentStore"
    text = (
        "components: {a: {type: haystack.components.retrievers.FilterRetriever, init_parameters: {document_store: "
        f"{{type: {name}, init_parameters: {{}}}}}}}}}}"
    )
    with pytest.raises(
        DeserializationError, match=f"Spaniel has no store of {store} yet, but with '{store}-haystack'"
    ) as caught:
        Pipeline.loads(text)
    assert isinstance(caught.value.__cause__, ForeignTypeError)


def test_replacement_components_need_no_type() -> None:
    given = SentenceWindowRetriever(InMemoryDocumentStore())
    text = "components: {a: {type: haystack.no.Such, init_parameters: {}}}"
    assert Pipeline.from_dict({"components": {"a": {"type": "haystack.no.Such"}}}, components={"a": given})
    with pytest.raises(DeserializationError):
        Pipeline.loads(text)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "subprocess.Popen",
        "haystack.utils.auth.os",
        "haystack.utils.type_serialization.thread_safe_import",
        "haystack.core.serialization.import_class_by_name",
        "haystack.core.serialization_security.allow_deserialization_module",
        "haystack.tools.tool.Tool",
        "haystack.core.pipeline.Pipeline",
        "haystack_integrations.this.Zen",
        "builtins.eval",
        "spaniel.core.foreign.import_module",
        "spaniel.interop.haystack.foreign.build",
    ],
)
@pytest.mark.parametrize("foreign", [False, True])
def test_rejects_types_that_could_run_code(name: str, foreign: bool) -> None:
    data = {"type": name, "init_parameters": {"args": ["true"]}}
    nested = {
        "haystack.components.retrievers.FilterRetriever": "document_store",
        "haystack.components.builders.prompt_builder.PromptBuilder": "template",
    }
    for described in (data, *({"type": type_, "init_parameters": {key: data}} for type_, key in nested.items())):
        with pytest.raises(DeserializationError):
            Pipeline.from_dict({"components": {"a": described}}, foreign=foreign)


@pytest.mark.parametrize(
    "function", ["os.system", "haystack.utils.type_serialization.thread_safe_import", "builtins.exec"]
)
@pytest.mark.parametrize("foreign", [False, True])
def test_rejects_functions_that_could_run_code(function: str, foreign: bool) -> None:
    splitter = (
        "components: {a: {type: haystack.components.preprocessors.DocumentSplitter, init_parameters: {split_by: function, "
        f"splitting_function: {function}}}}}}}"
    )
    adapter = (
        "components: {a: {type: haystack.components.converters.output_adapter.OutputAdapter, init_parameters: {template: "
        f"'{{{{ x | f }}}}', output_type: str, custom_filters: {{f: {function}}}}}}}}}"
    )
    for text in (splitter, adapter):
        with pytest.raises(DeserializationError):
            Pipeline.loads(text, foreign=foreign)


def test_rejected_types_are_not_imported() -> None:
    sys.modules.pop("this", None)
    for foreign in (False, True):
        with pytest.raises(DeserializationError):
            Pipeline.loads("components: {a: {type: this.Zen, init_parameters: {}}}", foreign=foreign)
    assert "this" not in sys.modules
