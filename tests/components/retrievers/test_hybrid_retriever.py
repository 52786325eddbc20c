import pytest

import spaniel
from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.retrievers import HybridRetriever, InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.strategies.score_fusion import add_scores
from tests.modes import COMPONENT_MODES

TEXTS = ["sun and wind", "rain and wind", "snow", "wind", "sun"]


class BrokenEmbedder:
    def run(self, text):
        raise ConnectionError("no answer")


class BrokenStore:
    """A store whose vectors can't be searched."""

    def __init__(self, store):
        self.bm25_retrieval, self.filter_documents = store.bm25_retrieval, store.filter_documents

    def embedding_retrieval(self, query_embedding, filters=None, top_k=10):
        raise ConnectionError("no vectors")


@pytest.fixture
def store():
    store = InMemoryDocumentStore()
    documents = [Document(content=text, meta={"n": number}) for number, text in enumerate(TEXTS)]
    store.write_documents(MockDocumentEmbedder().run(documents)["documents"])
    return store


@pytest.mark.parametrize("fusion", ["dbsf", "min_max", "rrf"])
@pytest.mark.parametrize("weights", [None, [0.3, 0.7]])
def test_documents_are_those_of_both_searches_with_the_sum_of_their_scores(store, fusion, weights, run_component):
    vector = MockTextEmbedder().run("wind")["embedding"]
    words = InMemoryBM25Retriever(store, top_k=100).run("wind")["documents"]
    near = InMemoryEmbeddingRetriever(store, top_k=100).run(vector)["documents"]
    retriever = HybridRetriever(store, text_embedder=MockTextEmbedder(), fusion=fusion, weights=weights, top_k=3)
    assert run_component(retriever, query="wind")["documents"] == add_scores([words, near], weights, method=fusion)[:3]


def test_filters_hold_for_both_searches(store, run_component):
    retriever = HybridRetriever(store, text_embedder=MockTextEmbedder())
    found = run_component(retriever, query="wind", filters={"field": "meta.n", "operator": "<", "value": 2})
    assert {document.meta["n"] for document in found["documents"]} == {0, 1}


def test_the_trace_has_the_parts_of_a_score(store):
    with spaniel.trace() as t:
        found = HybridRetriever(store, text_embedder=MockTextEmbedder(), top_k=1).run("wind")["documents"]
    assert [stage.name for stage in t.stages] == ["bm25", "embedding", "fuse"]
    (line,) = [line for line in t.why(found[0].id).lines if "fused" in line]
    assert "rank 1 by bm25 (+0." in line
    assert "by embedding (+0." in line


@pytest.mark.parametrize("mode", COMPONENT_MODES)
def test_a_search_that_fails_is_left_out_if_asked(store, mode, caplog):
    words = InMemoryBM25Retriever(store).run("wind")["documents"]
    for retriever in (
        HybridRetriever(store, text_embedder=BrokenEmbedder(), raise_on_failure=False),
        HybridRetriever(BrokenStore(store), text_embedder=MockTextEmbedder(), raise_on_failure=False),
    ):
        found = COMPONENT_MODES[mode](retriever, query="wind")["documents"]
        assert [document.id for document in found] == [document.id for document in words]
    assert "no answer" in caplog.text
    assert "The search by embedding failed and is left out: no vectors" in caplog.text


def test_a_search_that_fails_is_an_error_by_default(store, run_component):
    with pytest.raises(ConnectionError, match="no answer"):
        run_component(HybridRetriever(store, text_embedder=BrokenEmbedder()), query="wind")


def test_two_searches_that_fail_are_an_error(store):
    broken = BrokenStore(store)
    broken.bm25_retrieval = broken.embedding_retrieval
    with pytest.raises(TypeError):
        HybridRetriever(broken, text_embedder=MockTextEmbedder(), raise_on_failure=False).run("wind")


def test_without_vector_and_embedder_the_remedy_is_named(store):
    with pytest.raises(ValueError, match="pass query_embedding, or set text_embedder"):
        HybridRetriever(store).run("wind")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [({"top_k": 0}, "top_k"), ({"fusion": "best"}, "fusion"), ({"weights": [1]}, "2 searches but 1 weights")],
)
def test_bad_parameters_are_errors(store, parameters, said):
    with pytest.raises(ValueError, match=said):
        HybridRetriever(store, **parameters)


def test_it_is_serialised_with_its_embedder(store):
    retriever = HybridRetriever(InMemoryDocumentStore(index="hybrid"), text_embedder=MockTextEmbedder(), top_k=3)
    data = retriever.to_dict()
    assert HybridRetriever.from_dict(data).to_dict() == data
