import copy

import pytest

from spaniel import Document
from spaniel.components.retrievers import AutoMergingRetriever, FilterRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore

DOCS = [Document(content="apple"), Document(content="pear")]


def test_calls_are_counted_by_method():
    store = CountingStore(InMemoryDocumentStore())
    store.write_documents(DOCS)
    store.filter_documents()
    store.filter_documents()
    assert store.calls == {"write_documents": 1, "filter_documents": 2}


async def test_async_calls_are_counted_under_their_own_names():
    store = CountingStore(InMemoryDocumentStore())
    await store.write_documents_async(DOCS)
    assert await store.count_documents_async() == 2
    assert store.calls == {"write_documents_async": 1, "count_documents_async": 1}


def test_forget_resets_the_counts():
    store = CountingStore(InMemoryDocumentStore())
    store.count_documents()
    store.forget()
    assert store.calls == {}


def test_a_counting_store_is_taken_where_its_store_is():
    store = CountingStore(InMemoryDocumentStore())
    store.write_documents(DOCS)
    assert isinstance(store, InMemoryDocumentStore)
    assert isinstance(store, SyncDocumentStore)
    assert InMemoryBM25Retriever(store).run("apple")["documents"][0].content == "apple"
    assert store.calls["bm25_retrieval"] == 1


def test_a_wrapped_store_is_written_as_the_store_itself():
    inner = InMemoryDocumentStore()
    assert AutoMergingRetriever(CountingStore(inner)).to_dict() == AutoMergingRetriever(inner).to_dict()


def test_a_wrapper_has_the_attributes_of_its_store_and_no_others():
    inner = InMemoryDocumentStore()
    store = CountingStore(inner)
    assert store.index == inner.index
    with pytest.raises(AttributeError, match="no_such_method"):
        store.no_such_method()


def test_a_wrapper_can_be_copied():
    store = CountingStore(InMemoryDocumentStore())
    assert copy.copy(store).count_documents() == 0


async def test_an_async_only_store_answers_async_calls():
    store = AsyncOnlyStore(InMemoryDocumentStore())
    await store.write_documents_async(DOCS)
    assert await store.filter_documents_async() == DOCS


@pytest.mark.parametrize(
    "method", ["write_documents", "filter_documents", "count_documents", "bm25_retrieval", "get_documents_by_id"]
)
def test_an_async_only_store_refuses_sync_calls(method: str):
    with pytest.raises(AssertionError, match=f"{method} was called, where {method}_async should be"):
        getattr(AsyncOnlyStore(InMemoryDocumentStore()), method)([])


def test_an_async_only_store_can_still_be_written_down():
    inner = InMemoryDocumentStore()
    assert AsyncOnlyStore(inner).to_dict() == inner.to_dict()


def test_a_plain_store_has_the_six_methods_and_no_others():
    methods = {name for name in dir(PlainStore(InMemoryDocumentStore())) if not name.startswith("_")}
    assert methods == {
        "to_dict",
        "from_dict",
        "count_documents",
        "filter_documents",
        "write_documents",
        "delete_documents",
        "store",
    }
    assert isinstance(PlainStore(InMemoryDocumentStore()), SyncDocumentStore)


def test_a_plain_store_behaves_like_its_store():
    store = PlainStore(InMemoryDocumentStore())
    assert store.write_documents(DOCS) == 2
    store.delete_documents([DOCS[0].id])
    assert store.count_documents() == 1
    assert store.filter_documents({"field": "content", "operator": "==", "value": "pear"}) == DOCS[1:]


def test_a_plain_store_can_be_written_down_and_read():
    retriever = FilterRetriever(PlainStore(InMemoryDocumentStore()))
    assert FilterRetriever.from_dict(retriever.to_dict()).to_dict() == retriever.to_dict()
