"""Components and stores of Haystack inside a pipeline of ours: by ``foreign=True``, and given by a
program.
"""

import copy
import sys

import haystack
import pytest
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.document_stores.in_memory import InMemoryDocumentStore as TheirStore

from spaniel import Document, Pipeline
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.retrievers import FilterRetriever, TextEmbeddingRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.core import haystack_names
from spaniel.core.component import get_input_sockets, get_output_sockets
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import (
    ComponentError,
    DeserializationError,
    PipelineConnectError,
    PipelineRuntimeError,
    PipelineValidationError,
)
from spaniel.interop.haystack import HaystackComponent, HaystackStore, foreign
from tests.pipeline.haystack_yaml import RAG


@haystack.component
class Shorten:
    """Keeps the first documents, and its parameters."""

    def __init__(self, count: int = 1):
        self.count = count
        self.seen = []

    @haystack.component.output_types(documents=list[haystack.Document], first=haystack.Document | None)
    def run(self, documents: list[haystack.Document]) -> dict:
        self.seen = documents
        kept = documents[: self.count]
        return {"documents": kept, "first": kept[0] if kept else None}

    @haystack.component.output_types(documents=list[haystack.Document], first=haystack.Document | None)
    async def run_async(self, documents: list[haystack.Document]) -> dict:
        return {**self.run(documents), "first": None}


@haystack.component
class Collect:
    """Takes values from many senders."""

    @haystack.component.output_types(texts=list[str])
    def run(self, texts: haystack.core.component.types.Variadic[str], suffix: str = "!") -> dict:
        return {"texts": [text + suffix for text in texts]}


@haystack.component
class Fail:
    @haystack.component.output_types(text=str)
    def run(self, text: str) -> dict:
        raise OSError("disk full")


class Warm:
    def __init__(self):
        self.events = []

    def warm_up(self):
        self.events.append("warm")

    def close(self):
        self.events.append("closed")

    @haystack.component.output_types(text=str)
    def run(self, text: str) -> dict:
        return {"text": text}


Warm = haystack.component(Warm)
QUESTION = {"retriever": {"query": "dog"}, "prompt_builder": {"question": "Who?"}, "answers": {"query": "Who?"}}


@pytest.fixture
def rag(request: pytest.FixtureRequest) -> Pipeline:
    pipeline = Pipeline.loads(RAG.replace("INDEX", f"'{request.node.name}'"), foreign=True)
    store = pipeline.get_component("retriever").document_store
    store.write_documents([Document(content="a dog", meta={"year": 2020}), Document(content="a cat")])
    return pipeline


def test_a_rag_pipeline_of_haystack_runs(rag: Pipeline) -> None:
    assert rag.run(QUESTION) == {"adapter": {"output": "A DOG 2020; WHO?"}}


async def test_it_runs_async(rag: Pipeline) -> None:
    assert await rag.run_async(QUESTION) == rag.run(QUESTION)


def test_retrieval_is_ours_and_the_rest_is_haystacks(rag: Pipeline) -> None:
    assert type(rag.get_component("retriever")) is InMemoryBM25Retriever
    assert type(rag.get_component("llm").component).__module__ == "haystack.components.generators.chat.mock"


def test_it_is_written_with_our_names_where_there_are_any_and_read_again(rag: Pipeline) -> None:
    written = rag.dumps()
    assert "type: spaniel.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever" in written
    assert "type: haystack.components.builders.prompt_builder.PromptBuilder" in written
    assert Pipeline.loads(written, foreign=True) == rag
    with pytest.raises(DeserializationError, match="foreign=True takes it from there"):
        Pipeline.loads(written)


async def test_the_reply_of_a_generator_can_be_a_query() -> None:
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="a dog"), Document(content="a cat")])
    pipeline = Pipeline().add_components(
        {"llm": HaystackComponent(MockChatGenerator("dog")), "finder": InMemoryBM25Retriever(store)}
    )
    pipeline.connect("llm.replies", "finder.query")
    found = pipeline.run({"llm": {"messages": "Which animal?"}})
    assert [document.content for document in found["finder"]["documents"]] == ["a dog"]
    assert await pipeline.run_async({"llm": {"messages": "Which animal?"}}) == found


def test_a_class_may_be_named_by_the_path_that_users_import_from() -> None:
    text = "components: {a: {type: haystack.components.builders.PromptBuilder, init_parameters: {template: hello}}}"
    assert Pipeline.loads(text, foreign=True).run({}) == {"a": {"prompt": "hello"}}


def test_documents_are_haystacks_inside_and_ours_outside() -> None:
    shorten = Shorten()
    found = HaystackComponent(shorten).run(documents=[Document(content="a", meta={"page": 1}), Document(content="b")])
    assert {type(document) for document in shorten.seen} == {haystack.Document}
    assert found == {
        "documents": [Document(content="a", meta={"page": 1})],
        "first": Document(content="a", meta={"page": 1}),
    }


def test_sockets_have_our_types_so_that_connections_are_checked() -> None:
    shorten = HaystackComponent(Shorten())
    assert get_input_sockets(shorten)["documents"].type == list[Document]
    assert get_output_sockets(shorten)["first"].type == Document | None
    pipeline = Pipeline().add_components(
        {"shorten": shorten, "joiner": DocumentJoiner(), "fail": HaystackComponent(Fail())}
    )
    pipeline.connect("shorten.documents", "joiner.documents")
    with pytest.raises(PipelineConnectError):
        pipeline.connect("shorten.documents", "fail.text")


async def test_an_async_method_is_awaited_where_there_is_one() -> None:
    shorten = HaystackComponent(Shorten())
    assert (await shorten.run_async(documents=[Document(content="a")]))["first"] is None
    assert not hasattr(HaystackComponent(Collect()), "run_async")


def test_an_input_may_have_several_senders_and_a_default() -> None:
    pipeline = Pipeline().add_components(
        {
            "a": HaystackComponent(PromptBuilder("A")),
            "b": HaystackComponent(PromptBuilder("B")),
            "all": HaystackComponent(Collect()),
        }
    )
    pipeline.connect_many([("a.prompt", "all.texts"), ("b.prompt", "all.texts")])
    assert pipeline.run({}) == {"all": {"texts": ["A!", "B!"]}}


def test_an_error_names_the_component_and_its_class() -> None:
    pipeline = Pipeline().add_component("third", HaystackComponent(Fail()))
    with pytest.raises(
        PipelineRuntimeError, match="'third'\nComponent type: 'Fail'\nError: OSError: disk full"
    ) as caught:
        pipeline.run({"third": {"text": "a"}})
    assert caught.value.component_name == "third"


def test_a_component_is_warmed_up_and_closed_if_it_can_be() -> None:
    warm, plain = Warm(), HaystackComponent(Collect())
    pipeline = Pipeline().add_components({"warm": HaystackComponent(warm), "plain": plain})
    pipeline.run({"warm": {"text": "a"}, "plain": {"texts": "b"}})
    pipeline.close()
    assert warm.events == ["warm", "closed"]
    assert not hasattr(plain, "warm_up")


def test_a_component_can_be_copied() -> None:
    copied = copy.deepcopy(HaystackComponent(Shorten(count=2)))
    assert type(copied).__name__ == "Shorten"
    assert copied.component.count == 2


def test_rejects_objects_that_are_not_components_of_haystack() -> None:
    with pytest.raises(ComponentError, match="HaystackComponent takes a component of Haystack, not 5"):
        HaystackComponent(5)


def test_a_pipeline_rejects_a_component_of_haystack_with_a_remedy() -> None:
    with pytest.raises(PipelineValidationError, match=r"'Shorten' is not a component.*HaystackComponent"):
        Pipeline().add_component("a", Shorten())


def test_a_component_of_a_module_that_the_caller_allows_is_taken_too() -> None:
    text = f"components: {{a: {{type: {__name__}.Shorten, init_parameters: {{count: 2}}}}}}"
    with pytest.raises(DeserializationError, match="not known"):
        Pipeline.loads(text, foreign=True)
    pipeline = Pipeline.loads(text, foreign=True, allowed_modules=[__name__])
    assert pipeline.get_component("a").component.count == 2
    with pytest.raises(DeserializationError, match="is not a component"):
        Pipeline.loads(text, allowed_modules=[__name__])


class OtherStore(TheirStore):
    """A store of Haystack that we have no class for."""


@pytest.fixture
def other_store(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a store of Haystack's integrations."""
    monkeypatch.setattr(OtherStore, "__module__", "haystack.document_stores.in_memory")
    monkeypatch.setattr(sys.modules["haystack.document_stores.in_memory"], "OtherStore", OtherStore, raising=False)
    return "haystack.document_stores.in_memory.OtherStore"


def test_a_store_that_we_do_not_have_serves_our_retrievers(other_store: str) -> None:
    parameters = f"{{document_store: {{type: {other_store}, init_parameters: {{index: null}}}}}}"
    text = (
        f"components: {{all: {{type: haystack.components.retrievers.FilterRetriever, init_parameters: {parameters}}}}}"
    )
    with pytest.raises(DeserializationError, match="no 'OtherStore'"):
        Pipeline.loads(text)
    pipeline = Pipeline.loads(text, foreign=True)
    retriever = pipeline.get_component("all")
    assert type(retriever) is FilterRetriever
    assert type(retriever.document_store) is HaystackStore
    retriever.document_store.write_documents([Document(content="a")])
    assert pipeline.run({}) == {"all": {"documents": [Document(content="a")]}}
    assert type(Pipeline.loads(pipeline.dumps()).get_component("all").document_store.store) is OtherStore


def test_a_store_of_haystack_that_a_program_gave_stays_haystacks_when_loaded() -> None:
    data = FilterRetriever(HaystackStore(TheirStore())).to_dict()
    assert type(FilterRetriever.from_dict(data).document_store.store) is TheirStore


def test_foreign_components_inside_others_are_taken(rag: Pipeline) -> None:
    data = {
        "type": "haystack.core.super_component.super_component.SuperComponent",
        "init_parameters": {
            "pipeline": Pipeline().add_component("prompt", HaystackComponent(PromptBuilder("hello"))).to_dict()
        },
    }
    pipeline = Pipeline.from_dict({"components": {"a": data}}, foreign=True)
    assert pipeline.run({}) == {"a": {"prompt": "hello"}}
    embedding = {
        "type": "haystack.components.retrievers.text_embedding_retriever.TextEmbeddingRetriever",
        "init_parameters": {
            "retriever": {
                "type": "haystack.components.retrievers.in_memory.InMemoryEmbeddingRetriever",
                "init_parameters": {"document_store": InMemoryDocumentStore().to_dict()},
            },
            "text_embedder": {
                "type": "haystack.components.embedders.azure_text_embedder.AzureOpenAITextEmbedder",
                "init_parameters": {"azure_endpoint": "http://127.0.0.1:9"},
            },
        },
    }
    with pytest.raises(DeserializationError, match=r"its 'text_embedder': The type .*AzureOpenAITextEmbedder"):
        Pipeline.from_dict({"components": {"a": embedding}})


@haystack.component
class Embed:
    @haystack.component.output_types(embedding=list[float])
    def run(self, text: str) -> dict:
        return {"embedding": [float(len(text)), 1.0]}


def test_a_component_of_haystack_serves_inside_one_of_ours() -> None:
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="a", embedding=[1.0, 0.0]), Document(content="b", embedding=[-1.0, 0.0])])
    retriever = TextEmbeddingRetriever(
        retriever=InMemoryEmbeddingRetriever(store, top_k=1), text_embedder=HaystackComponent(Embed())
    )
    assert [document.content for document in retriever.run("dog")["documents"]] == ["a"]


def test_types_that_haystack_lacks_are_reported() -> None:
    text = "components: {a: {type: haystack.components.generators.openai.OpenAIGenerator, init_parameters: {}}}"
    with pytest.raises(DeserializationError, match=r"No module named .*haystack-ai 3.* is installed: put a component"):
        Pipeline.loads(text, foreign=True)


def test_a_version_of_haystack_that_imports_anything_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "__version__", "2.31.0")
    text = "components: {a: {type: haystack.components.builders.PromptBuilder, init_parameters: {template: a}}}"
    with pytest.raises(DeserializationError, match=r"needs haystack-ai 3 or newer, not 2\.31\.0"):
        Pipeline.loads(text, foreign=True)


def test_without_haystack_all_missing_types_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("spaniel.interop")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "haystack", None)
    with pytest.raises(DeserializationError, match=r"4 types of the pipeline") as caught:
        Pipeline.loads(RAG, foreign=True)
    assert str(caught.value).count("pip install 'spaniel[haystack]'") == 4


def test_without_haystack_a_pipeline_of_ours_alone_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("spaniel.interop")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "haystack", None)
    text = "components: {a: {type: haystack.components.joiners.DocumentJoiner, init_parameters: {}}}"
    assert type(Pipeline.loads(text, foreign=True).get_component("a")) is DocumentJoiner


def test_the_names_of_ours_win_over_haystacks() -> None:
    assert "haystack.document_stores.in_memory.InMemoryDocumentStore" in haystack_names._SPANIEL_NAMES
    store = "{type: haystack.document_stores.in_memory.InMemoryDocumentStore, init_parameters: {}}"
    text = f"components: {{a: {{type: haystack.components.retrievers.FilterRetriever, init_parameters: {{document_store: {store}}}}}}}"
    assert type(Pipeline.loads(text, foreign=True).get_component("a").document_store) is InMemoryDocumentStore
