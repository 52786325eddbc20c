import math

import haystack
import numpy as np
import pytest
from haystack.document_stores.errors import DocumentStoreError as HaystackStoreError
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DocumentStoreError
from tests.document_stores.faces import equal, ids_of, named

NUMBERS = st.floats(-100, 100)
SIMILARITIES = ["dot_product", "cosine"]


def embedded(**vectors) -> list[Document]:
    return [Document(id=id, content=id, embedding=vector) for id, vector in vectors.items()]


@given(
    st.integers(1, 5).flatmap(
        lambda size: st.tuples(
            st.lists(st.none() | st.lists(NUMBERS, min_size=size, max_size=size), max_size=8),
            st.lists(NUMBERS, min_size=size, max_size=size),
        )
    ),
    st.sampled_from(SIMILARITIES),
    st.booleans(),
    st.integers(0, 9),
)
def test_scores_and_order_are_haystack_s(vectors_and_query, similarity, scaled, top_k):
    vectors, query = vectors_and_query
    settings = {"embedding_similarity_function": similarity, "shared": False}
    ours, theirs = InMemoryDocumentStore(**settings), HaystackStore(**settings)
    ours.write_documents([Document(id=str(n), embedding=vector) for n, vector in enumerate(vectors)])
    theirs.write_documents([haystack.Document(id=str(n), embedding=vector) for n, vector in enumerate(vectors)])
    expected = {d.id: d.score for d in theirs.embedding_retrieval(query, top_k=99, scale_score=scaled)}

    found = ours.embedding_retrieval(query, top_k=top_k, scale_score=scaled)

    assert len(found) == min(top_k, len(expected))
    for document, score in zip(found, expected.values(), strict=False):
        assert document.score == pytest.approx(expected[document.id], rel=1e-9, abs=1e-9)
        assert document.score == pytest.approx(score, rel=1e-9, abs=1e-9)  # so the order is theirs, but for ties
    scores = [document.score for document in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("size", [1, 3, 64, 384, 769])
async def test_equal_vectors_tie_and_stand_in_the_order_of_writing(store, size):
    random = np.random.default_rng(size)
    vector, query = random.normal(size=size).tolist(), random.normal(size=size).tolist()
    await store.write_documents(named(*(f"{n:03}" for n in range(101)), embedding=vector))
    found = await store.embedding_retrieval(query, top_k=101)
    assert len({document.score for document in found}) == 1
    assert ids_of(found) == sorted(ids_of(found))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize(
    "query", [[1, 0], (1, 0), np.array([1, 0]), np.array([1.0, 0.0], dtype=np.float32), [np.float32(1), np.float32(0)]]
)
async def test_numbers_of_any_kind_are_a_vector(opened, similarity, query):
    store = opened(embedding_similarity_function=similarity)
    documents = embedded(a=[0, 1], b=[1, 0])
    documents[0].meta["kind"] = "ints"
    await store.write_documents(documents)
    found = await store.embedding_retrieval(query)
    assert [(document.id, document.score) for document in found] == [("b", 1.0), ("a", 0.0)]
    assert [type(document.score) for document in found] == [float, float]


@pytest.mark.parametrize("query", [[1, 0], np.array([1.0, 0.0], dtype=np.float32)])
def test_haystack_refuses_ints_and_float32_as_the_query(query):
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(id="a", embedding=[1.0, 0.0])])
    with pytest.raises(ValueError, match="non-empty list of floats"):
        theirs.embedding_retrieval(query)


@pytest.mark.parametrize(
    "query", [[], None, "invalid", ["a", "b"], 5, [[1.0]], [math.nan, 1.0], [math.inf], [10**400], [None], ["1"]]
)
async def test_a_query_that_is_no_vector_is_refused(store, query):
    with pytest.raises(ValueError, match="query_embedding should be a non-empty list of floats"):
        await store.embedding_retrieval(query)


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0, math.nan], "'b' has nan at index 1"),
        ([-math.inf, 0.0], "'b' has -inf at index 0"),
        ([], "'b' should be a non-empty"),
        ([[1.0]], "'b' should be a non-empty flat list"),
        (["a"], "'b' is not a list of numbers"),
        ([10**400], "'b' is not a list of numbers: int too large"),
        ([1.0, None], "'b' has None at index 1"),
        (["1"], "'b' should be a non-empty flat list of numbers"),
        ([1.0, [2.0]], "'b' is not a list of numbers"),
    ],
)
async def test_an_embedding_that_is_no_vector_is_refused_and_nothing_is_written(store, vector, message):
    await store.write_documents(embedded(x=[1.0, 2.0]))
    with pytest.raises(ValueError, match=message):
        await store.write_documents(embedded(a=[1.0, 2.0], b=vector))
    assert ids_of(await store.filter_documents()) == ["x"]
    assert ids_of(await store.embedding_retrieval([1.0, 1.0])) == ["x"]


def test_nan_corrupts_haystack_s_order():
    theirs = HaystackStore(shared=False)
    vectors = {"a": [1.0], "b": [math.nan], "c": [2.0]}
    theirs.write_documents([haystack.Document(id=id, embedding=vector) for id, vector in vectors.items()])
    assert [document.id for document in theirs.embedding_retrieval([1.0])] != ["c", "a", "b"]


async def test_a_zero_vector_has_no_direction_and_scores_zero(opened):
    store = opened(embedding_similarity_function="cosine")
    await store.write_documents(embedded(zero=[0.0, 0.0], near=[1.0, 0.1], same=[2.0, 0.0]))
    found = await store.embedding_retrieval([1.0, 0.0])
    assert ids_of(found) == ["same", "near", "zero"]
    assert found[-1].score == 0.0
    assert [document.score for document in await store.embedding_retrieval([0.0, 0.0])] == [0.0] * 3


async def test_embeddings_of_several_sizes_are_named_when_they_are_searched(store):
    await store.write_documents(embedded(a=[1.0, 2.0], b=[1.0, 2.0, 3.0], c=[0.0, 1.0]))
    with pytest.raises(
        DocumentStoreError, match=r"^The embedding size of all Documents should be the same.*2 \(.*'a'\), 3 \(.*'b'\)"
    ):
        await store.embedding_retrieval([1.0, 1.0])
    filters = {"field": "id", "operator": "!=", "value": "b"}
    assert ids_of(await store.embedding_retrieval([1.0, 1.0], filters=filters)) == ["a", "c"]
    await store.delete_documents(["b"])
    assert ids_of(await store.embedding_retrieval([1.0, 1.0])) == ["a", "c"]


async def test_a_query_of_another_size_says_both_sizes(store):
    await store.write_documents(embedded(a=[1.0, 2.0]))
    with pytest.raises(
        DocumentStoreError, match=r"^The embedding size of the query should be the same.* 3 numbers.* have 2"
    ):
        await store.embedding_retrieval([1.0, 1.0, 1.0])


def test_the_first_sentences_are_haystack_s():
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(id="a", embedding=[1.0, 2.0])])
    with pytest.raises(HaystackStoreError, match=r"^The embedding size of the query should be the same"):
        theirs.embedding_retrieval([1.0, 1.0, 1.0])
    theirs.write_documents([haystack.Document(id="b", embedding=[1.0])])
    with pytest.raises(HaystackStoreError, match=r"^The embedding size of all Documents should be the same"):
        theirs.embedding_retrieval([1.0, 1.0])


async def test_documents_without_an_embedding_are_passed_over(store, caplog):
    await store.write_documents(embedded(a=None, b=[1.0]))
    assert ids_of(await store.embedding_retrieval([1.0])) == ["b"]
    assert "No Documents found with embeddings" not in caplog.text
    assert await store.embedding_retrieval([1.0], filters=equal("id", "a")) == []
    assert "No Documents found with embeddings" in caplog.text


@pytest.mark.parametrize("of_store", [True, False])
async def test_who_decides_whether_embeddings_are_returned(opened, of_store):
    store = opened(return_embedding=of_store)
    await store.write_documents(embedded(a=[1.0]))

    async def returned(**arguments):
        return (await store.embedding_retrieval([1.0], **arguments))[0].embedding

    assert await returned() is None
    assert await returned(return_embedding=True) == [1.0]
    assert await returned(return_embedding=None) == ([1.0] if of_store else None)
    for found in (
        await store.filter_documents(),
        await store.bm25_retrieval("a"),
        await store.get_documents_by_id(["a"]),
    ):
        assert found[0].embedding == ([1.0] if of_store else None)
    assert store.store.storage["a"].embedding == [1.0]


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(-3, 3)), max_size=60))
def test_searches_the_stored_documents_after_any_writes_and_deletes(steps):
    store, model = InMemoryDocumentStore(shared=False), {}
    for id, number in steps:
        model.pop(id, None)
        if number is None:
            store.delete_documents([str(id)])
        else:
            model[id] = number
            store.write_documents([Document(id=str(id), embedding=[number, 1])], "overwrite")
    for allowed in ([], [1, 3, 5], list(range(10))):
        filters = {"field": "id", "operator": "in", "value": [str(id) for id in allowed]}
        expected = sorted((id for id in model if id in allowed), key=lambda each: -model[each])
        assert ids_of(store.embedding_retrieval([1, 0], filters=filters, top_k=20)) == [str(id) for id in expected]


def test_a_store_that_searches_approximately_shares_documents_with_one_that_does_not():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((9000, 64))
    exact = InMemoryDocumentStore(index="approximate", embedding_similarity_function="cosine")
    exact.write_documents([Document(id=str(row), embedding=vector) for row, vector in enumerate(matrix[:6000])])
    approximate = InMemoryDocumentStore(
        index="approximate", embedding_similarity_function="cosine", vector_search="approximate"
    )
    exact.write_documents([Document(id=str(row), embedding=matrix[row]) for row in range(6000, 9000)])
    approximate.delete_documents([str(row) for row in range(0, 9000, 3)])
    approximate.write_documents([Document(id="1", embedding=matrix[0])], "overwrite")
    found = 0
    for row in range(0, 9000, 300):
        expected = exact.embedding_retrieval(matrix[row])
        scores = {document.id: document.score for document in expected}
        got = approximate.embedding_retrieval(matrix[row])
        assert len(got) == 10
        assert all(document.score == scores.get(document.id, document.score) for document in got)
        found += len(scores.keys() & set(ids_of(got)))
    assert found >= 0.95 * 300
    assert ids_of(approximate.embedding_retrieval(matrix[0], top_k=1)) == ["1"]
    exact.delete_all_documents()


def test_logs_documents_without_embedding_if_fewer_than_top_k_are_found(caplog):
    caplog.set_level("INFO")
    store = InMemoryDocumentStore()
    store.write_documents([Document(id="a", embedding=[1.0, 0.0]), Document(id="b", content="no embedding")])
    store.embedding_retrieval([1.0, 0.0], top_k=1)
    assert "Skipping" not in caplog.text
    store.embedding_retrieval([1.0, 0.0])
    assert "Skipping some Documents that don't have an embedding." in caplog.text
