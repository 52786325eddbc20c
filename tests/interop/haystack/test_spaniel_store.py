"""Our stores behind Haystack's own components, in Haystack's pipelines."""

import asyncio
import copy

import haystack
import pytest
from haystack.components.caching import CacheChecker
from haystack.components.preprocessors import DocumentSplitter, HierarchicalDocumentSplitter
from haystack.components.retrievers import AutoMergingRetriever, FilterRetriever, SentenceWindowRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.errors import DuplicateDocumentError as TheirDuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy as TheirDuplicatePolicy
from haystack.errors import FilterError as TheirFilterError

from spaniel import Document
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.errors import DuplicateDocumentError
from spaniel.interop.haystack import as_component, as_haystack_store
from spaniel.testing import PlainStore

TEXT = "a b c d e f g h"


@pytest.fixture(params=["memory", "local"])
def ours(request, tmp_path):
    if request.param == "memory":
        yield InMemoryDocumentStore()
        return
    with LocalDocumentStore(tmp_path / "kb") as store:
        yield store


@pytest.fixture
def store(ours):
    return as_haystack_store(ours)


def run_sync(pipeline, inputs):
    return pipeline.run(inputs)


def run_async(pipeline, inputs):
    return asyncio.run(pipeline.run_async(inputs))


@pytest.fixture(params=[run_sync, run_async])
def run(request):
    return request.param


def alone(component):
    pipeline = haystack.Pipeline()
    pipeline.add_component("it", component)
    return pipeline


def splitting(splitter, store):
    """A pipeline of Haystack's that cuts documents and writes them."""
    pipeline = haystack.Pipeline()
    pipeline.add_component("split", splitter)
    pipeline.add_component("write", DocumentWriter(store, policy=TheirDuplicatePolicy.OVERWRITE))
    pipeline.connect("split", "write")
    return pipeline


def test_documents_are_written(ours, store, run):
    pipeline = splitting(DocumentSplitter(split_length=2), store)

    assert run(pipeline, {"split": {"documents": [haystack.Document(content=TEXT)]}}) == {
        "write": {"documents_written": 4}
    }
    assert [(type(each), each.content) for each in ours.filter_documents()] == [
        (Document, text) for text in ("a b ", "c d ", "e f ", "g h")
    ]


def test_filters_find_them(store, run):
    store.write_documents([haystack.Document(id="1", meta={"n": 1}), haystack.Document(id="2", meta={"n": 2})])
    retriever = FilterRetriever(store, filters={"field": "meta.n", "operator": ">", "value": 1})

    assert run(alone(retriever), {}) == {"it": {"documents": [haystack.Document(id="2", meta={"n": 2})]}}


def test_leaves_are_merged(store, run):
    run(
        splitting(HierarchicalDocumentSplitter(block_sizes={4, 2}, split_by="word"), store),
        {"split": {"documents": [haystack.Document(content=TEXT)]}},
    )
    leaves = [each for each in store.filter_documents() if not each.meta["__children_ids"]]

    merged = run(alone(AutoMergingRetriever(store, threshold=0.5)), {"it": {"documents": leaves[:2]}})

    assert [each.content for each in merged["it"]["documents"]] == ["a b c d "]


def test_sentences_have_windows(store, run):
    run(splitting(DocumentSplitter(split_length=1), store), {"split": {"documents": [haystack.Document(content=TEXT)]}})
    [hit] = [each for each in store.filter_documents() if each.content == "d "]

    found = run(alone(SentenceWindowRetriever(store, window_size=2)), {"it": {"retrieved_documents": [hit]}})

    assert found["it"]["context_windows"] == ["b c d e f "]
    assert [each.content for each in found["it"]["context_documents"]] == ["b ", "c ", "d ", "e ", "f "]


def test_stored_documents_are_duplicates(store, run):
    store.write_documents([haystack.Document(id="1", meta={"url": "x"})])

    found = run(alone(CacheChecker(store, cache_field="meta.url")), {"it": {"items": ["x", "y"]}})

    assert found["it"]["misses"] == ["y"]
    assert [each.id for each in found["it"]["hits"]] == ["1"]


def test_documents_written_by_haystack_are_found(ours, store, run):
    run(alone(DocumentWriter(store)), {"it": {"documents": [haystack.Document(content="red apple")]}})

    assert [each.content for each in ours.bm25_retrieval("apple")] == ["red apple"]
    assert [type(each) for each in store.bm25_retrieval("apple")] == [haystack.Document]


def test_errors_are_haystack_s_and_come_from_ours(store):
    store.write_documents([haystack.Document(id="1")])

    with pytest.raises(TheirDuplicateDocumentError, match="'1'") as caught:
        store.write_documents([haystack.Document(id="1")])
    assert isinstance(caught.value.__cause__, DuplicateDocumentError)
    with pytest.raises(TheirFilterError, match="operator"):
        store.filter_documents({"field": "meta.n"})


def test_a_saved_pipeline_is_over_the_same_store_again(ours, store, run):
    text = splitting(DocumentSplitter(split_length=2), store).dumps()

    loaded = haystack.Pipeline.loads(text, allowed_modules=["spaniel"])
    run(loaded, {"split": {"documents": [haystack.Document(content=TEXT)]}})

    assert loaded.dumps() == text
    again = loaded.get_component("write").document_store
    assert again.count_documents() == ours.count_documents() == 4
    if hasattr(ours, "close"):
        again.close()


def test_both_packages_share_one_pipeline(run):
    ours = InMemoryDocumentStore()
    pipeline = haystack.Pipeline()
    pipeline.add_component("write", DocumentWriter(as_haystack_store(ours)))
    pipeline.add_component("search", as_component(InMemoryBM25Retriever(ours)))
    run(alone(DocumentWriter(as_haystack_store(ours))), {"it": {"documents": [haystack.Document(content="red apple")]}})

    found = run(pipeline, {"search": {"query": "apple"}, "write": {"documents": []}})

    assert [each.content for each in found["search"]["documents"]] == ["red apple"]


def test_a_store_without_async_methods_has_none_there():
    store = as_haystack_store(PlainStore(InMemoryDocumentStore()))

    assert not hasattr(store, "write_documents_async")
    with pytest.raises(TypeError, match="async"):
        asyncio.run(DocumentWriter(store).run_async([haystack.Document(id="1")]))


def test_a_shallow_copy_is_of_the_same_store(ours, store):
    assert copy.copy(store).store is ours


def test_an_unwrapped_store_raises_an_error_with_the_remedy(ours):
    with pytest.raises(ValueError, match="as_haystack_store"):
        DocumentWriter(ours).run([haystack.Document(id="1")])
