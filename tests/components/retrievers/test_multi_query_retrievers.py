"""One retriever asked for several queries, and a vector retriever asked with a text, compared with
haystack's.
"""

import pytest
from haystack.components.embedders import MockTextEmbedder as TheirEmbedder
from haystack.components.retrievers import InMemoryBM25Retriever as TheirBM25Retriever
from haystack.components.retrievers import InMemoryEmbeddingRetriever as TheirEmbeddingRetriever
from haystack.components.retrievers import MultiQueryEmbeddingRetriever as TheirMultiQueryEmbeddingRetriever
from haystack.components.retrievers import MultiQueryTextRetriever as TheirMultiQueryTextRetriever
from haystack.components.retrievers import TextEmbeddingRetriever as TheirTextEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as TheirStore
from hypothesis import given

import spaniel
from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.retrievers import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
    MultiQueryEmbeddingRetriever,
    MultiQueryTextRetriever,
    TextEmbeddingRetriever,
)
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.tracing.events import Fused
from tests.components.retrievers.fixed import RANKINGS, BatchNumber, ByQuery, Fixed, Number, documents, seen, theirs
from tests.modes import COMPONENT_MODES


@pytest.fixture
def run(run_component):
    return run_component


@given(RANKINGS)
def test_the_documents_of_several_queries_are_haystacks(rankings):
    queries = [str(number) for number in range(len(rankings))]
    inner = ByQuery([documents(ranking, number) for number, ranking in enumerate(rankings)])
    their_inner = ByQuery([theirs(ranking, number) for number, ranking in enumerate(rankings)])
    expected = seen(TheirMultiQueryTextRetriever(retriever=their_inner).run(queries)["documents"])
    by_text = MultiQueryTextRetriever(retriever=inner)
    by_vector = MultiQueryEmbeddingRetriever(retriever=inner, query_embedder=Number())
    in_a_batch = MultiQueryEmbeddingRetriever(retriever=inner, query_embedder=BatchNumber())
    for retriever in (by_text, by_vector, in_a_batch):
        for run in COMPONENT_MODES.values():
            assert seen(run(retriever, queries)["documents"]) == expected
    their_by_vector = TheirMultiQueryEmbeddingRetriever(retriever=their_inner, query_embedder=Number())
    assert seen(their_by_vector.run(queries)["documents"]) == expected


@given(RANKINGS.map(lambda rankings: dict(rankings[0] if rankings else [])))
def test_the_documents_of_a_query_by_its_vector_are_haystacks(ranking):
    pairs = list(ranking.items())
    expected = TheirTextEmbeddingRetriever(retriever=Fixed(theirs(pairs, 0)), text_embedder=Number()).run("1")
    retriever = TextEmbeddingRetriever(retriever=Fixed(documents(pairs, 0)), text_embedder=Number())
    for run in COMPONENT_MODES.values():
        assert seen(run(retriever, "1")["documents"]) == seen(expected["documents"])


def test_an_embedder_that_takes_many_texts_gets_all_queries_in_one_call(run):
    embedder = BatchNumber()
    retriever = MultiQueryEmbeddingRetriever(retriever=ByQuery([[], [], []]), query_embedder=embedder)
    run(retriever, ["2", "0", "1"])
    assert (embedder.batches, embedder.texts) == ([["2", "0", "1"]], [])
    run(retriever, [])
    assert len(embedder.batches) == 1


def test_a_batch_with_too_few_vectors_is_refused(run):
    class Short(BatchNumber):
        def run_batch(self, texts):
            return {"embeddings": [[0.0]]}

    retriever = MultiQueryEmbeddingRetriever(retriever=ByQuery([[]]), query_embedder=Short())
    with pytest.raises(ValueError, match=r"Short\.run_batch returned 1 embeddings for 2 texts"):
        run(retriever, ["0", "0"])


@pytest.mark.parametrize("cls", [MultiQueryTextRetriever, MultiQueryEmbeddingRetriever])
def test_more_arguments_go_to_the_retriever_and_stay_as_they_are(cls, run):
    inner, more = ByQuery([[], []]), {"top_k": 5}
    embedder = {"query_embedder": Number()} if cls is MultiQueryEmbeddingRetriever else {}
    run(cls(retriever=inner, **embedder), ["0", "1"], retriever_kwargs=more)
    assert (inner.asked, more) == ([{"top_k": 5}] * 2, {"top_k": 5})


def test_the_list_that_a_retriever_returned_is_not_sorted_in_place(run):
    inner = Fixed([Document(id="b", score=0.1), Document(id="a", score=0.9)])
    found = run(TextEmbeddingRetriever(retriever=inner, text_embedder=Number()), "1", top_k=4)["documents"]
    assert [it.id for it in found] == ["a", "b"]
    assert [it.id for it in inner.found] == ["b", "a"]
    assert inner.asked == [{"query_embedding": [1.0], "filters": None, "top_k": 4}]


def test_one_string_in_the_place_of_queries_is_refused(run):
    with pytest.raises(TypeError, match="queries must be a list of strings"):
        run(MultiQueryTextRetriever(retriever=Fixed([])), "solar power")


def test_min_score_cuts_the_pooled_list(run):
    inner = Fixed(documents([("a", 0.9), ("b", 0.1)], 0))
    assert [it.id for it in run(MultiQueryTextRetriever(retriever=inner, min_score=0.5), ["q"])["documents"]] == ["a"]
    by_vector = TextEmbeddingRetriever(retriever=inner, text_embedder=Number(), min_score=0.5)
    assert [it.id for it in run(by_vector, "1")["documents"]] == ["a"]


def test_an_error_of_the_retriever_is_passed_on_as_it_is(run):
    class Failing:
        def run(self, **_):
            raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run(MultiQueryTextRetriever(retriever=Failing()), ["a", "b", "c"])


@pytest.mark.parametrize("cls", [MultiQueryTextRetriever, MultiQueryEmbeddingRetriever])
def test_less_than_one_worker_is_refused(cls):
    embedder = {"query_embedder": Number()} if cls is MultiQueryEmbeddingRetriever else {}
    with pytest.raises(ValueError, match="max_workers must be greater than 0, but is 0"):
        cls(retriever=Fixed([]), max_workers=0, **embedder)


def test_an_open_trace_records_every_query_and_duplicates(run):
    store = InMemoryDocumentStore()
    store.write_documents([Document(id="a", content="red apple"), Document(id="b", content="green pear")])
    with spaniel.trace() as trace:
        run(MultiQueryTextRetriever(retriever=InMemoryBM25Retriever(store)), ["red", "apple", "pear"])
    assert [stage.name for stage in trace.stages] == ["InMemoryBM25Retriever"] * 3 + ["MultiQueryTextRetriever"]
    assert sorted(stage.settings["query"] for stage in trace.stages[:3]) == ["apple", "pear", "red"]
    assert [str(event) for event in trace.about("a")][-2] == "came more than once; counted once"
    assert [event.ranks for event in trace.stages[-1].events if isinstance(event, Fused)] == [
        (1, 1, None),
        (None, None, 1),
    ]


def test_real_retrievers_find_the_same_by_text_and_by_vector(run):
    embedded = MockDocumentEmbedder().run([Document(content="sun"), Document(content="wind"), Document(content="rain")])
    store = InMemoryDocumentStore()
    store.write_documents(embedded["documents"])
    by_vector = InMemoryEmbeddingRetriever(store, top_k=1)
    found = run(MultiQueryEmbeddingRetriever(retriever=by_vector, query_embedder=MockTextEmbedder()), ["sun", "rain"])
    assert {it.content for it in found["documents"]} == {"sun", "rain"}
    [found] = run(TextEmbeddingRetriever(retriever=by_vector, text_embedder=MockTextEmbedder()), "wind")["documents"]
    assert found.content == "wind"


def test_the_serialised_forms_are_haystacks():
    store, their_store = InMemoryDocumentStore(r"\w+", index="i"), TheirStore(r"\w+", index="i")
    words, their_words = InMemoryBM25Retriever(store), TheirBM25Retriever(their_store)
    vectors, their_vectors = InMemoryEmbeddingRetriever(store), TheirEmbeddingRetriever(their_store)
    pairs = [
        (MultiQueryTextRetriever(retriever=words), TheirMultiQueryTextRetriever(retriever=their_words)),
        (
            MultiQueryEmbeddingRetriever(retriever=vectors, query_embedder=MockTextEmbedder(), max_workers=2),
            TheirMultiQueryEmbeddingRetriever(retriever=their_vectors, query_embedder=TheirEmbedder(), max_workers=2),
        ),
        (
            TextEmbeddingRetriever(retriever=vectors, text_embedder=MockTextEmbedder()),
            TheirTextEmbeddingRetriever(retriever=their_vectors, text_embedder=TheirEmbedder()),
        ),
    ]
    for ours, expected in pairs:
        data = ours.to_dict()
        assert repr(data) == repr(expected.to_dict()).replace("haystack.", "spaniel.")
        assert type(ours).from_dict(data).to_dict() == data


def test_a_component_without_to_dict_is_written_by_its_attributes():
    data = MultiQueryTextRetriever(retriever=Fixed([])).to_dict()["init_parameters"]["retriever"]
    assert data == {"type": "tests.components.retrievers.fixed.Fixed", "init_parameters": {"found": []}}
