"""Stores of Haystack behind our face: each real, each asked by its plain and its async methods."""

import copy
import sys

import pytest
from haystack import Document as TheirDocument
from haystack.document_stores.in_memory import InMemoryDocumentStore

from spaniel import Document
from spaniel.components.retrievers import BM25Retriever, FilterRetriever
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DeserializationError, DuplicateDocumentError, FilterError, UnknownTypeError, WrongStoreError
from spaniel.interop.haystack import HaystackStore


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


async def test_a_filter_finds_matching_documents(store):
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


async def test_policies_keep_their_meaning(store):
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


@pytest.mark.parametrize("retriever", [FilterRetriever, BM25Retriever])
def test_an_unwrapped_store_raises_an_error_with_the_remedy(retriever):
    with pytest.raises(WrongStoreError, match="HaystackStore"):
        retriever(InMemoryDocumentStore())


@pytest.mark.parametrize("other", [object(), HaystackStore(InMemoryDocumentStore()), InMemoryDocumentStore])
def test_something_else_is_refused(other):
    with pytest.raises(WrongStoreError, match="a document store of Haystack"):
        HaystackStore(other)


def test_only_methods_of_the_store_are_offered():
    class Plain:
        def count_documents(self):
            return 0

        filter_documents = write_documents = delete_documents = count_documents

    store = HaystackStore(Plain())

    assert not any(hasattr(store, name) for name in ("bm25_retrieval", "count_documents_async", "_private", "close"))
    assert store.count_documents() == 0


class Own:
    """A store of somebody's own, with the usual names."""

    def count_documents(self):
        return 0

    filter_documents = write_documents = delete_documents = count_documents

    def _keyword_retrieval(self, query, *, filters=None, top_k=10):
        return [TheirDocument(id=f"{query} {top_k}")]


def test_an_unknown_store_is_searched_by_the_usual_method_names():
    found = HaystackStore(Own()).bm25_retrieval("apple", top_k=3)

    assert [document.id for document in found] == ["apple 3"]


def test_missing_abilities_of_a_store_are_reported():
    with pytest.raises(ValueError, match=r"scale_score is True, but .*_keyword_retrieval does not"):
        HaystackStore(Own()).bm25_retrieval("apple", scale_score=True)


def test_a_filter_that_is_cut_off_is_warned_of(caplog):
    class OpenSearchDocumentStore:
        __module__ = "haystack_integrations.document_stores.opensearch.document_store"

        def count_documents(self):
            return 0

        write_documents = delete_documents = count_documents

        def filter_documents(self, filters=None):
            return [TheirDocument(id="1", score=0.0)] * 10_000

    found = HaystackStore(OpenSearchDocumentStore()).filter_documents()

    assert found[0].score is None
    assert "there may be more" in caplog.text


def test_other_modules_are_not_imported(monkeypatch):
    data = {
        "type": "spaniel.interop.haystack.store.HaystackStore",
        "init_parameters": {"store": {"type": "this.Store"}},
    }
    monkeypatch.delitem(sys.modules, "this", raising=False)

    with pytest.raises(UnknownTypeError, match=r"this\.Store"):
        HaystackStore.from_dict(data)

    assert "this" not in sys.modules


@pytest.mark.parametrize("inner", [None, {}, "text"])
def test_a_saved_store_without_its_store_is_an_error(inner):
    data = {"type": "spaniel.interop.haystack.store.HaystackStore", "init_parameters": {"store": inner}}

    with pytest.raises(DeserializationError, match="'store'"):
        HaystackStore.from_dict(data)


def test_copies_are_of_the_same_store():
    theirs = InMemoryDocumentStore()

    assert copy.copy(HaystackStore(theirs)).store is theirs
