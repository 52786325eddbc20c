"""Embedders and retrievers connected: every pair in the package, programs and YAML that came from
Haystack.
"""

import asyncio
import importlib
import pkgutil

import pytest

from spaniel import Document, Pipeline, components
from spaniel.components.embedders import (
    MockDocumentEmbedder,
    MockTextEmbedder,
    MultilingualTextEmbedder,
    OllamaTextEmbedder,
    OnnxTextEmbedder,
    OpenAITextEmbedder,
    SentenceTransformersTextEmbedder,
)
from spaniel.components.rankers import EmbeddingCosineRanker, MMRRanker
from spaniel.components.retrievers import EmbeddingRetriever, HybridRetriever, StructuredRetriever
from spaniel.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from spaniel.components.retrievers.opensearch import OpenSearchEmbeddingRetriever
from spaniel.core.component import component, get_input_sockets, get_output_sockets
from spaniel.core.component.sockets import build_input_sockets
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.interop.haystack import from_haystack
from spaniel.migration import convert_pipeline, migrate_code
from spaniel.pipeline import SuperComponent

for _found in pkgutil.walk_packages(components.__path__, "spaniel.components."):
    importlib.import_module(_found.name)
CLASSES = [cls for name, cls in component.registry.items() if name.startswith("spaniel.components.")]

EMBEDDERS = {
    MockTextEmbedder: lambda: MockTextEmbedder(dimension=3),
    MultilingualTextEmbedder: MultilingualTextEmbedder,
    OllamaTextEmbedder: OllamaTextEmbedder,
    OnnxTextEmbedder: OnnxTextEmbedder,
    OpenAITextEmbedder: OpenAITextEmbedder,
    SentenceTransformersTextEmbedder: SentenceTransformersTextEmbedder,
}
RETRIEVERS = {
    EmbeddingCosineRanker: lambda store: EmbeddingCosineRanker(),
    EmbeddingRetriever: EmbeddingRetriever,
    HybridRetriever: HybridRetriever,
    MMRRanker: lambda store: MMRRanker(),
    InMemoryEmbeddingRetriever: InMemoryEmbeddingRetriever,
    OpenSearchEmbeddingRetriever: lambda store: OpenSearchEmbeddingRetriever(
        document_store=OpenSearchDocumentStore(hosts="http://localhost:9200", index="docs", embedding_dim=3)
    ),
    StructuredRetriever: lambda store: StructuredRetriever(store, search="embedding"),
}


def filled(store):
    embedded = MockDocumentEmbedder(dimension=3).run([Document(content=text) for text in "abc"])["documents"]
    store.write_documents(embedded)
    return store


def test_covers_every_embedder_and_retriever():
    takes_vectors = {cls for cls in CLASSES if "query_embedding" in build_input_sockets(cls.run)}
    assert takes_vectors == set(RETRIEVERS)
    gives_vectors = {cls for cls in CLASSES if "embedding" in getattr(cls.run, "__spaniel_outputs__", ())}
    assert gives_vectors == set(EMBEDDERS)


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda cls: cls.__name__)
def test_embedder_connects_to_retriever(embedder, retriever):
    pipeline = Pipeline().add_component("embedder", EMBEDDERS[embedder]())
    pipeline.add_component("retriever", RETRIEVERS[retriever](filled(InMemoryDocumentStore())))
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    assert Pipeline.from_dict(pipeline.to_dict()).to_dict() == pipeline.to_dict()


@pytest.mark.parametrize(
    "make_store", [lambda folder: InMemoryDocumentStore(), LocalDocumentStore], ids=["in_memory", "local"]
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_connected_retriever_finds_embedded_text(make_store, is_async, tmp_path):
    store = make_store(tmp_path / "store")
    pipeline = Pipeline().add_component("embedder", MockTextEmbedder(dimension=3))
    pipeline.add_component("retriever", EmbeddingRetriever(filled(store), top_k=1))
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    inputs = {"embedder": {"text": "b"}}
    result = asyncio.run(pipeline.run_async(inputs)) if is_async else pipeline.run(inputs)
    assert [document.content for document in result["retriever"]["documents"]] == ["b"]


@component
class TakesList:
    @component.output_types(size=int)
    def run(self, query_embedding: list[float]):
        return {"size": len(query_embedding)}


def test_super_component_feeds_list_and_sequence_inputs():
    pipeline = Pipeline().add_component("size", TakesList())
    pipeline.add_component("retriever", EmbeddingRetriever(filled(InMemoryDocumentStore()), top_k=1))
    search = SuperComponent(pipeline)
    assert get_input_sockets(search)["query_embedding"].type == list[float]
    assert set(get_output_sockets(search)) == {"size", "documents"}
    outer = Pipeline().add_component("embedder", MockTextEmbedder(dimension=3)).add_component("search", search)
    outer.connect("embedder.embedding", "search.query_embedding")
    assert outer.run({"embedder": {"text": "c"}})["search"]["documents"][0].content == "c"


PROGRAM = """
from haystack import Document, Pipeline
from haystack.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

store = InMemoryDocumentStore(index="migrated")
indexing = Pipeline()
indexing.add_component("embedder", MockDocumentEmbedder(dimension=8))
indexing.add_component("writer", DocumentWriter(store))
indexing.connect("embedder.documents", "writer.documents")
indexing.run({"embedder": {"documents": [Document(content=text) for text in ("red fox", "blue whale", "red kite")]}})

search = Pipeline()
search.add_component("embedder", MockTextEmbedder(dimension=8))
search.add_component("by_vector", InMemoryEmbeddingRetriever(store, top_k=2))
search.add_component("by_words", InMemoryBM25Retriever(store, top_k=2))
search.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
search.connect("embedder.embedding", "by_vector.query_embedding")
search.connect("by_vector", "joiner")
search.connect("by_words", "joiner")
found = search.run({"embedder": {"text": "red fox"}, "by_words": {"query": "red fox"}})
ranking = [(document.content, round(document.score, 9)) for document in found["joiner"]["documents"]]
"""


def values_after(program):
    namespace = {}
    exec(program, namespace)  # noqa: S102 (a program of this file)
    return namespace


def test_migrated_hybrid_program_keeps_ranking():
    before, after = values_after(PROGRAM), values_after(migrate_code(PROGRAM.encode()).after)
    assert after["ranking"] == before["ranking"]


def test_converted_yaml_with_embedder_keeps_ranking():
    before = values_after(PROGRAM.replace("migrated", "converted"))
    loaded = Pipeline.loads(convert_pipeline(before["search"].dumps()).text)
    documents = from_haystack(before["store"].filter_documents())
    loaded.get_component("by_vector").document_store.write_documents(documents)
    found = loaded.run({"embedder": {"text": "red fox"}, "by_words": {"query": "red fox"}})
    ranking = [(document.content, round(document.score, 9)) for document in found["joiner"]["documents"]]
    assert ranking == before["ranking"]
