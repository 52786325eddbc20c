"""Our retrievers over chroma-haystack, in memory. Its packages are many, so `make test-all` alone
installs and runs this.
"""

import secrets

import pytest
from haystack_integrations.document_stores.chroma import ChromaDocumentStore

from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BM25Retriever,
    EmbeddingRetriever,
    FilterRetriever,
    RecursiveRetriever,
)
from spaniel.errors import FilterError, WrongStoreError
from spaniel.interop.haystack import HaystackStore

DOCUMENTS = [
    Document(id="1", content="one", meta={"key": "k1", "next": "k2"}, embedding=[1.0, 0.0, 0.0]),
    Document(id="2", content="two", meta={"key": "k2", "next": "k3"}, embedding=[0.0, 1.0, 0.0]),
    Document(id="3", content="three", meta={"key": "k3"}, embedding=[0.0, 0.0, 1.0]),
]


@pytest.fixture
def store():
    store = HaystackStore(ChromaDocumentStore(collection_name=f"spaniel-{secrets.token_hex(6)}"))
    store.write_documents(DOCUMENTS)
    return store


def ids(found):
    return [document.id for document in found["documents"]]


def test_documents_come_back(store):
    found = sorted(store.filter_documents(), key=lambda document: document.id)

    assert [(each.id, each.content, each.meta) for each in found] == [
        (each.id, each.content, each.meta) for each in DOCUMENTS
    ]


def test_vectors(store):
    assert ids(EmbeddingRetriever(store, top_k=1).run(query_embedding=[0, 1, 0])) == ["2"]
    assert ids(EmbeddingRetriever(store, top_k=2).run(query_embedding=[0.1, 0, 0.9])) == ["3", "1"]


def test_words_are_not_its_affair(store):
    with pytest.raises(WrongStoreError, match="bm25_retrieval"):
        BM25Retriever(store)


def test_filters(store):
    assert ids(FilterRetriever(store).run({"field": "meta.key", "operator": "in", "value": ["k2", "k3"]})) == ["2", "3"]


def test_links(store):
    retriever = RecursiveRetriever(store, filter_key="key", relevant_doc_keys=["next"], depth=2)

    assert ids(retriever.run([DOCUMENTS[0]])) == ["1", "2", "3"]


def test_trees_are_not_its_affair(store):
    """It keeps no lists in metadata, and finds one id at a time."""
    tree = HierarchicalDocumentSplitter(block_sizes={4, 2}).run([Document(content="a b c d")])["documents"]
    leaves = [each for each in tree if not each.meta["__children_ids"]]

    with pytest.raises(FilterError, match="id filter"):
        AutoMergingRetriever(store).run(leaves)
