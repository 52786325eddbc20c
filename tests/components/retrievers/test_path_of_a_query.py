"""The number of functions on the path of a query, so that it does not grow unnoticed."""

from spaniel import Document
from spaniel.components.retrievers import InMemoryBM25Retriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.frames import frames_of


def retriever():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="a b"), Document(content="b c")])
    made = InMemoryBM25Retriever(store)
    made.run("b")
    return made


def test_from_the_retriever_to_its_store():
    made = retriever()
    functions = [frame.function for frame in frames_of(lambda: made.run("b"))]
    assert functions.index("SearchMethods.bm25_retrieval") <= 9


def test_from_the_retriever_to_the_engine_and_back():
    made = retriever()
    assert len(frames_of(lambda: made.run("b"), until="search")) <= 31
    frames = frames_of(lambda: made.run("b"))
    assert len(frames) <= 49
    assert len({frame.file for frame in frames}) <= 16
