"""Our components inside Haystack's pipelines."""

import asyncio
import copy
import sys
from typing import Any

import haystack
import pytest
from haystack.components.embedders import MockTextEmbedder
from haystack.components.joiners import DocumentJoiner
from haystack.core.errors import DeserializationError as TheirDeserializationError
from haystack.core.errors import PipelineConnectError, PipelineRuntimeError
from haystack.document_stores.in_memory import InMemoryDocumentStore as TheirStore
from haystack.errors import FilterError as TheirFilterError

from spaniel import Document, Pipeline, SuperComponent, component
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.rankers import LostInTheMiddleRanker
from spaniel.components.retrievers import AutoMergingRetriever, EmbeddingRetriever, FilterRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.core.component import Variadic
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import ComponentError
from spaniel.interop.haystack import HaystackStore, SpanielComponent, as_component, to_haystack
from tests.components.test_same_forms_as_haystack import CASES, class_of

LOADING = {"allowed_modules": ["spaniel"]}
OVER_STORES = [
    ("retrievers", "FilterRetriever", {}),
    ("retrievers", "AutoMergingRetriever", {}),
    ("retrievers", "SentenceWindowRetriever", {}),
    ("retrievers.in_memory", "InMemoryBM25Retriever", {}),
    ("retrievers.in_memory", "InMemoryEmbeddingRetriever", {}),
    ("writers", "DocumentWriter", {}),
    ("caching", "CacheChecker", {"cache_field": "url"}),
]
WITHOUT = [
    *CASES,
    ("preprocessors", "DocumentSplitter", {}),
    ("preprocessors", "DocumentCleaner", {}),
    ("preprocessors", "HierarchicalDocumentSplitter", {"block_sizes": {4, 2}}),
    ("converters", "TextFileToDocument", {}),
    ("embedders", "MockTextEmbedder", {}),
    ("embedders", "MockDocumentEmbedder", {}),
]


def sockets(instance: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return instance.__haystack_input__._sockets_dict, instance.__haystack_output__._sockets_dict


@pytest.mark.parametrize(("package", "name", "parameters"), WITHOUT)
def test_sockets_are_those_of_haystack_s_component(package, name, parameters):
    ours, theirs = class_of("spaniel", package, name), class_of("haystack", package, name)

    assert sockets(as_component(ours(**parameters))) == sockets(theirs(**parameters))


@pytest.mark.parametrize(("package", "name", "parameters"), OVER_STORES)
def test_sockets_over_a_store_are_those_of_haystack_s_component(package, name, parameters):
    ours, theirs = class_of("spaniel", package, name), class_of("haystack", package, name)

    assert sockets(as_component(ours(InMemoryDocumentStore(), **parameters))) == sockets(
        theirs(TheirStore(), **parameters)
    )


def run_sync(pipeline: haystack.Pipeline, inputs: dict[str, Any]) -> dict[str, Any]:
    return pipeline.run(inputs)


def run_async(pipeline: haystack.Pipeline, inputs: dict[str, Any]) -> dict[str, Any]:
    return asyncio.run(pipeline.run_async(inputs))


@pytest.fixture(params=[run_sync, run_async])
def run(request):
    return request.param


@component
class Shout:
    """A component of a user's, without `run_async`."""

    def __init__(self, store: Any = None) -> None:
        self.store = store
        self.calls: list[str] = []

    @component.output_types(documents=list[Document], count=int)
    def run(self, documents: list[Document], mark: str = "!") -> dict[str, Any]:
        shouted = [Document(content=f"{document.content}{mark}", meta=document.meta) for document in documents]
        return {"documents": shouted, "count": len(shouted)}

    def warm_up(self) -> None:
        self.calls.append("warm_up")

    def close(self) -> None:
        self.calls.append("close")


@component
class Collect:
    @component.output_types(ids=list[str])
    def run(self, documents: Variadic[list[Document]]) -> dict[str, list[str]]:
        return {"ids": sorted(document.id for each in documents for document in each)}


@pytest.fixture
def store():
    store = InMemoryDocumentStore(index="of the tests")
    texts = {"1": "red apple", "2": "blue sky"}
    store.write_documents(
        [
            Document(id=id, content=text, embedding=MockTextEmbedder().run(text)["embedding"])
            for id, text in texts.items()
        ],
        "overwrite",
    )
    return store


@pytest.fixture
def hybrid(store):
    """Our retrievers between Haystack's embedder and joiner."""
    pipeline = haystack.Pipeline()
    pipeline.add_component("embedder", MockTextEmbedder())
    pipeline.add_component("words", as_component(InMemoryBM25Retriever(store)))
    pipeline.add_component("vectors", as_component(EmbeddingRetriever(store, top_k=1)))
    pipeline.add_component("joiner", DocumentJoiner())
    pipeline.connect("embedder.embedding", "vectors.query_embedding")
    pipeline.connect("words", "joiner")
    pipeline.connect("vectors", "joiner")
    return pipeline


QUESTION = {"query": "sky", "text": "red apple"}


def contents(outputs: dict[str, Any], name: str) -> list[str]:
    assert all(type(document) is haystack.Document for document in outputs[name]["documents"])
    return sorted(document.content for document in outputs[name]["documents"])


def test_retrievers_run_between_haystack_s_components(hybrid, run):
    assert contents(run(hybrid, QUESTION), "joiner") == ["blue sky", "red apple"]


def test_a_saved_pipeline_runs_again(hybrid, run):
    loaded = haystack.Pipeline.loads(hybrid.dumps(), **LOADING)

    assert loaded.to_dict()["components"] == hybrid.to_dict()["components"]
    assert contents(run(loaded, QUESTION), "joiner") == ["blue sky", "red apple"]


def test_haystack_s_reader_must_allow_it(hybrid):
    with pytest.raises(TheirDeserializationError, match="allowlist"):
        haystack.Pipeline.loads(hybrid.dumps())


def test_a_copied_pipeline_asks_the_same_store(hybrid, store, run):
    copied = copy.deepcopy(hybrid)

    assert contents(run(copied, QUESTION), "joiner") == ["blue sky", "red apple"]
    words = copied.get_component("words").component
    assert words is not hybrid.get_component("words").component
    assert words.document_store is store


def test_documents_are_converted_on_the_way_in_and_out(run):
    pipeline = haystack.Pipeline()
    pipeline.add_component("first", as_component(Shout()))
    pipeline.add_component("second", as_component(Shout()))
    pipeline.connect("first.documents", "second.documents")
    given = haystack.Document(content="a", meta={"page": [1]})

    outputs = run(pipeline, {"first": {"documents": [given]}, "second": {"mark": "?"}})

    assert outputs["second"]["count"] == 1
    assert contents(outputs, "second") == ["a!?"]
    assert outputs["second"]["documents"][0].meta == {"page": [1]}


def test_outputs_of_several_components_are_gathered(run):
    pipeline = haystack.Pipeline()
    pipeline.add_component("collect", as_component(Collect()))
    for name in "ab":
        pipeline.add_component(name, as_component(LostInTheMiddleRanker()))
        pipeline.connect(name, "collect.documents")

    assert run(pipeline, {name: {"documents": [haystack.Document(id=name, content=name)]} for name in "ab"}) == {
        "collect": {"ids": ["a", "b"]}
    }


def test_incompatible_sockets_are_not_connected():
    pipeline = haystack.Pipeline()
    pipeline.add_component("words", as_component(InMemoryBM25Retriever(InMemoryDocumentStore())))
    pipeline.add_component("embedder", MockTextEmbedder())

    with pytest.raises(PipelineConnectError):
        pipeline.connect("words.documents", "embedder.text")


def test_a_whole_pipeline_of_ours_is_one_component(store, run):
    ours = Pipeline()
    ours.add_component("retriever", InMemoryBM25Retriever(store))
    ours.add_component("ranker", LostInTheMiddleRanker())
    ours.connect("retriever", "ranker")
    pipeline = haystack.Pipeline()
    pipeline.add_component("search", as_component(SuperComponent(ours)))

    assert contents(run(pipeline, {"search": {"query": "apple"}}), "search") == ["red apple"]
    loaded = haystack.Pipeline.loads(pipeline.dumps(), **LOADING)
    assert contents(run(loaded, {"search": {"query": "apple"}}), "search") == ["red apple"]


def test_an_error_of_a_store_is_haystack_s_error(store):
    with pytest.raises(TheirFilterError):
        as_component(FilterRetriever(store)).run(filters={"field": "meta.page"})


def test_a_pipeline_names_the_component_that_failed(store):
    pipeline = haystack.Pipeline()
    pipeline.add_component("filter", as_component(FilterRetriever(store)))

    with pytest.raises(PipelineRuntimeError, match="filter"):
        pipeline.run({"filter": {"filters": {"field": "meta.page"}}})


def test_warming_up_and_closing_reach_the_component():
    inner = Shout()
    pipeline = haystack.Pipeline()
    pipeline.add_component("shout", as_component(inner))
    pipeline.add_component("nothing", as_component(LostInTheMiddleRanker()))

    pipeline.warm_up()
    asyncio.run(pipeline.warm_up_async())
    pipeline.close()
    asyncio.run(pipeline.close_async())

    assert inner.calls == ["warm_up", "warm_up", "close", "close"]


def test_modules_allowed_there_are_allowed_here():
    pipeline = haystack.Pipeline()
    pipeline.add_component("shout", as_component(Shout(store=InMemoryDocumentStore())))

    loaded = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["spaniel", __name__])

    assert isinstance(loaded.get_component("shout").component, Shout)


def test_modules_not_allowed_there_are_not_imported(monkeypatch):
    pipeline = haystack.Pipeline()
    pipeline.add_component("shout", as_component(Shout()))
    text = pipeline.dumps().replace(__name__, "this")  # which prints a poem when it is imported
    monkeypatch.delitem(sys.modules, "this", raising=False)

    with pytest.raises(TheirDeserializationError, match="not known"):
        haystack.Pipeline.loads(text, **LOADING)

    assert "this" not in sys.modules


def test_a_retriever_of_ours_over_a_store_of_theirs_is_saved(run):
    theirs = TheirStore(index="of the tests, too")
    leaves = HierarchicalDocumentSplitter(block_sizes={4, 2}).run([Document(content="a b c d")])["documents"]
    pipeline = haystack.Pipeline()
    pipeline.add_component("merge", as_component(AutoMergingRetriever(HaystackStore(theirs))))
    HaystackStore(theirs).write_documents(leaves, policy=DuplicatePolicy.OVERWRITE)

    hits = to_haystack([leaf for leaf in leaves if not leaf.meta["__children_ids"]])
    loaded = haystack.Pipeline.loads(pipeline.dumps(), **LOADING)

    assert contents(run(loaded, {"merge": {"documents": hits}}), "merge") == ["a b c d"]


@pytest.mark.parametrize("other", [object(), MockTextEmbedder(), "spaniel"])
def test_something_else_is_refused(other):
    with pytest.raises(ComponentError, match="as_component takes a component of Spaniel"):
        as_component(other)


def test_a_component_shows_its_sockets():
    shown = repr(as_component(LostInTheMiddleRanker()))

    assert "SpanielComponent" in shown
    assert "documents: list[Document]" in shown


def test_the_component_is_registered_where_haystack_looks_for_it():
    assert haystack.component.registry["spaniel.interop.haystack.component.SpanielComponent"] is SpanielComponent


def test_haystack_s_modules_stay_closed_to_our_readers():
    """Modules allowed in Haystack by itself are not those allowed here."""
    data = {"type": "spaniel.interop.haystack.component.SpanielComponent", "init_parameters": {}}
    data["init_parameters"]["component"] = {"type": "haystack.components.builders.PromptBuilder"}

    with pytest.raises(Exception, match="Haystack's"):
        SpanielComponent.from_dict(data)
