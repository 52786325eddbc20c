"""Stores of Haystack behind our face: each real, each asked by its plain and its async methods."""

import pytest

from spaniel import Document
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError, FilterError


@pytest.fixture
def store(asked):
    return asked.methods


def by_id(documents):
    return sorted((document.independent_copy(score=None) for document in documents), key=lambda document: document.id)


def equal(field, value):
    return {"field": field, "operator": "==", "value": value}


DOCUMENTS = [
    Document(
        id="1", content="red apple", meta={"lang": "en", "page": 1, "tags": ["a", "b"]}, embedding=[1.0, 0.0, 0.0]
    ),
    Document(id="2", content="blue sky", meta={"lang": "en", "page": 2}, embedding=[0.0, 1.0, 0.0]),
    Document(id="3", content="roter Apfel", meta={"lang": "de", "page": 3}, embedding=[0.0, 0.0, 1.0]),
]


async def test_documents_come_back_as_they_were_written(store):
    assert await store.write_documents(DOCUMENTS) == 3

    found = await store.filter_documents()

    assert await store.count_documents() == 3
    assert [type(document) for document in found] == [Document] * 3
    assert [(each.id, each.content, each.meta) for each in by_id(found)] == [
        (each.id, each.content, each.meta) for each in DOCUMENTS
    ]


async def test_a_filter_finds_what_matches(store):
    await store.write_documents(DOCUMENTS)

    assert [document.id for document in await store.filter_documents(equal("meta.lang", "de"))] == ["3"]


async def test_documents_are_deleted(store):
    await store.write_documents(DOCUMENTS)

    await store.delete_documents(["1", "3"])

    assert [document.id for document in await store.filter_documents()] == ["2"]


async def test_a_duplicate_is_our_error(store):
    await store.write_documents(DOCUMENTS)

    with pytest.raises(DuplicateDocumentError, match=r"\w"):
        await store.write_documents(DOCUMENTS[:1], DuplicatePolicy.FAIL)


async def test_policies_mean_what_they_mean(store):
    await store.write_documents(DOCUMENTS)
    changed = Document(id="1", content="green apple", embedding=[1.0, 0.0, 0.0])

    await store.write_documents([changed], DuplicatePolicy.SKIP)
    assert (await store.filter_documents(equal("id", "1")))[0].content == "red apple"

    await store.write_documents([changed], DuplicatePolicy.OVERWRITE)
    assert (await store.filter_documents(equal("id", "1")))[0].content == "green apple"


async def test_a_malformed_filter_is_our_error(store):
    await store.write_documents(DOCUMENTS)

    with pytest.raises(FilterError):
        await store.filter_documents({"field": "meta.page", "operator": ">", "value": "soon"})


@pytest.mark.parametrize("size", [0, 1, 2])
async def test_the_most_similar_are_found(store, size):
    await store.write_documents(DOCUMENTS)

    found = await store.embedding_retrieval(query_embedding=[0, 1, 0.1], top_k=size, return_embedding=False)

    assert [document.id for document in found] == ["2", "3"][:size]
    assert [document.embedding for document in found] == [None] * size
    assert all(type(document.score) is float for document in found)


async def test_the_similar_ones_are_filtered(store):
    await store.write_documents(DOCUMENTS)

    found = await store.embedding_retrieval([0.0, 1.0, 0.0], filters=equal("meta.lang", "de"), top_k=3)

    assert [document.id for document in found] == ["3"]
