"""Every field of a document comes out of a store as it went in, by any method, on each Python
version.
"""

import asyncio
import copy
import dataclasses
import pickle

import pytest

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore

WRITTEN = [
    Document(id="a", content="red apple", meta={"tags": ["x"], "n": {"k": 1}}, score=0.5, embedding=[1.0, 0.0]),
    Document(
        id="b",
        content="blue sky",
        embedding=[0.0, 1.0],
        sparse_embedding=SparseEmbedding([3], [0.5]),
        blob=ByteStream(b"\0", {"k": [1]}, "image/png"),
    ),
    Document(id="c", content="red sky"),
]
NAMES = [field.name for field in dataclasses.fields(Document)]

READS = {
    "filter_documents": lambda store: store.filter_documents(),
    "filter": lambda store: store.filter_documents({"field": "id", "operator": "in", "value": ["a", "b", "c"]}),
    "bm25_retrieval": lambda store: store.bm25_retrieval("red sky apple blue"),
    "embedding_retrieval": lambda store: store.embedding_retrieval([1.0, 0.5], return_embedding=True),
    "filter_documents_async": lambda store: asyncio.run(store.filter_documents_async()),
    "bm25_retrieval_async": lambda store: asyncio.run(store.bm25_retrieval_async("red sky apple blue")),
    "get_documents_by_id": lambda store: store.get_documents_by_id(["a", "b", "c"]),
}
RANKED = {"bm25_retrieval", "embedding_retrieval", "bm25_retrieval_async"}


@pytest.fixture(params=["in_memory", "local", "local reopened"])
def store(request, tmp_path):
    if request.param == "in_memory":
        filled = InMemoryDocumentStore()
        filled.write_documents(WRITTEN)
        yield filled
        return
    with LocalDocumentStore(tmp_path / "kb") as filled:
        filled.write_documents(WRITTEN)
        if request.param == "local":
            yield filled
            return
    with LocalDocumentStore(tmp_path / "kb") as reopened:
        yield reopened


def values(document):
    return {name: getattr(document, name) for name in NAMES}


@pytest.mark.parametrize("name", READS)
def test_every_field_is_there(store, name):
    written = {document.id: values(document) for document in WRITTEN}
    found = READS[name](store)
    assert {document.id for document in found} <= set(written)
    assert len(found) >= 2
    for document in found:
        expected = written[document.id] | ({"score": document.score} if name in RANKED else {})
        assert values(document) == expected
        assert vars(document)["id"] == document.id
        assert name not in RANKED or isinstance(document.score, float)


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        dataclasses.replace,
        lambda it: pickle.loads(pickle.dumps(it)),  # noqa: S301
        lambda it: Document.from_dict(it.to_dict()),
    ],
    ids=["copy", "deepcopy", "replace", "pickle", "dict"],
)
def test_a_copy_of_a_read_document_is_equal_and_mutable(store, copied):
    for document in store.filter_documents():
        made = copied(document)
        assert values(made) == values(document)
        made.meta["added"] = 1
        changed = dataclasses.replace(made, score=2.0)
        assert (changed.score, changed.meta["added"]) == (2.0, 1)


def test_read_documents_share_nothing_with_the_store(store):
    for document in store.filter_documents():
        document.meta["added"] = 1
        document.extra = "an attribute of the caller"
        assert document.extra == "an attribute of the caller"
    assert all("added" not in document.meta for document in store.filter_documents())
