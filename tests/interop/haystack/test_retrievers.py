"""Our retrievers return the same results over Haystack's stores and over ours."""

import pytest

from spaniel import Document, Pipeline
from spaniel.components.preprocessors import DocumentSplitter, SectionSplitter
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BM25Retriever,
    EmbeddingRetriever,
    FilterRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
)
from spaniel.components.writers import DocumentWriter
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError, WrongStoreError

TEXT = """# Dogs

A spaniel finds things in the grass.

A terrier digs for things in the ground.

# Cats

A cat sleeps.
"""
TREE = [
    each.independent_copy(embedding=[1.0, float(place), 0.5])
    for place, each in enumerate(
        SectionSplitter(max_words=8).run([Document(content=TEXT, meta={"path": "pets.md"})])["documents"]
    )
]
LEAVES = [each for each in TREE if not each.meta["__children_ids"]]
CHUNKS = [
    each.independent_copy(embedding=[1.0, float(place), 0.5])
    for place, each in enumerate(
        DocumentSplitter(split_length=2, split_overlap=0).run([Document(content="a b c d e f g h i j")])["documents"]
    )
]
LINKED = [
    Document(id="1", content="one", meta={"key": "k1", "next": ["k2", "k3"]}, embedding=[1.0, 0.0, 0.0]),
    Document(id="2", content="two", meta={"key": "k2", "next": ["k4"]}, embedding=[0.0, 1.0, 0.0]),
    Document(id="3", content="three", meta={"key": "k3", "next": ["k1"]}, embedding=[0.0, 0.0, 1.0]),
    Document(id="4", content="four", meta={"key": "k4", "next": ["missing"]}, embedding=[1.0, 1.0, 0.0]),
]


def shown(documents):
    return [(each.id, each.content, each.meta, each.score) for each in documents]


def over_ours(documents):
    store = InMemoryDocumentStore()
    store.write_documents(documents)
    return store


async def over_theirs(asked, documents, /):
    await asked.methods.write_documents(documents)
    return asked.store


async def both(asked, kind, stored, /, **inputs):
    """The results of a retriever over their store and over ours."""
    theirs = await asked.run(kind(await over_theirs(asked, stored)), **inputs)
    return theirs, kind(over_ours(stored)).run(**inputs)


async def test_auto_merging(asked):
    hits = [each.independent_copy(score=1.0 / place) for place, each in enumerate(LEAVES, 1)]

    theirs, ours = await both(asked, AutoMergingRetriever, TREE, documents=hits[:2])

    assert [each.content for each in theirs["documents"]] == [TEXT[: TEXT.index("# Cats")]]
    assert shown(theirs["documents"]) == shown(ours["documents"])


async def test_sentence_windows(asked):
    theirs, ours = await both(asked, SentenceWindowRetriever, CHUNKS, retrieved_documents=[CHUNKS[1]], window_size=1)

    assert theirs["context_windows"] == ours["context_windows"] == ["a b c d e f "]
    assert [each.id for each in theirs["context_documents"]] == [each.id for each in CHUNKS[:3]]


async def test_following_links(asked):
    def kind(store):
        return RecursiveRetriever(store, filter_key="key", relevant_doc_keys=["next"], depth=2)

    theirs, ours = await both(asked, kind, LINKED, documents=[LINKED[0]])

    assert [each.id for each in theirs["documents"]] == ["1", "2", "4", "3"]
    assert shown(theirs["documents"]) == shown(ours["documents"])


async def test_filters(asked):
    def kind(store):
        return FilterRetriever(store, filters={"field": "meta.key", "operator": "in", "value": ["k2", "k4"]})

    theirs, ours = await both(asked, kind, LINKED)

    assert {each.id for each in theirs["documents"]} == {each.id for each in ours["documents"]} == {"2", "4"}


async def test_vectors(asked):
    found = await asked.run(
        EmbeddingRetriever(await over_theirs(asked, LINKED), top_k=2), query_embedding=[0.0, 0.9, 0.1]
    )

    assert [each.id for each in found["documents"]] == ["2", "4"]


async def test_words_where_a_store_has_them(asked):
    store = await over_theirs(asked, LEAVES)
    if type(asked.theirs).__name__ == "QdrantDocumentStore":
        with pytest.raises(WrongStoreError, match="bm25_retrieval"):
            BM25Retriever(store)
        return

    found = (await asked.run(BM25Retriever(store, top_k=1), query="sleeps"))["documents"]

    assert [each.content for each in found] == ["# Cats\n\nA cat sleeps.\n"]
    assert found[0].score > 0


async def test_structured_retrieval(asked):
    store = await over_theirs(asked, TREE)
    retriever = StructuredRetriever(store, top_k=2, search="embedding", hits=len(LEAVES), window=1)

    found = await asked.run(
        retriever,
        query="things",
        query_embedding=[1.0, 1.0, 0.5],
        filters={"field": "meta.__level", "operator": ">", "value": 1},
    )

    assert [each.content for each in found["documents"]][:1] == [TEXT[: TEXT.index("# Cats")]]
    assert len(found["context_windows"]) == len(found["documents"])


async def test_writers(asked):
    written = await asked.run(DocumentWriter(asked.store), documents=LINKED)

    assert written == {"documents_written": 4}
    with pytest.raises(DuplicateDocumentError):
        await asked.run(DocumentWriter(asked.store, policy=DuplicatePolicy.FAIL), documents=LINKED)


async def test_a_saved_pipeline_has_its_store_again(asked):
    await asked.methods.write_documents(LINKED)
    pipeline = Pipeline()
    pipeline.add_component("retriever", FilterRetriever(asked.store))

    loaded = Pipeline.loads(pipeline.dumps())

    assert loaded.to_dict() == pipeline.to_dict()
    again = loaded.get_component("retriever").document_store.store
    assert type(again) is type(asked.theirs)
    assert again.to_dict() == asked.theirs.to_dict()
