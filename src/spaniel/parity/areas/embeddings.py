"""Vector search: both similarities, filters, scaled or not."""

from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas.rankings import ranking
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, their_documents


def draw(chance: Chance) -> Given:
    """Draw documents, some without an embedding or of another size, settings and a query."""
    size = chance.whole(1, 4)
    documents = [
        {**row, "embedding": None if chance.maybe(0.2) else _vector(chance, size)} for row in chance.documents()
    ]
    if documents and chance.maybe(0.05):
        documents[0]["embedding"] = _vector(chance, size + 1)
    query: list[Any] = _vector(chance, size + 1 if chance.maybe(0.05) else size)
    return {
        "documents": documents,
        "similarity": chance.one_of(["dot_product", "cosine"]),
        "query": [int(number) for number in query] if chance.maybe(0.1) else query,
        "filters": chance.filter() if chance.maybe(0.3) else None,
        "top_k": chance.whole(0, 10),
        "scale": chance.maybe(),
        "embeddings": chance.maybe(),
    }


def _vector(chance: Chance, size: int) -> list[float]:
    return [chance.real(-2, 2) for _ in range(size)]


def ours(given: Given) -> Any:
    """Return ids and scores of Spaniel's search."""
    return _found(InMemoryDocumentStore, given, our_documents)


def theirs(given: Given) -> Any:
    """Return ids and scores of Haystack's search."""
    return _found(haystack("document_stores.in_memory.InMemoryDocumentStore"), given, their_documents)


def _found(store_class: Any, given: Given, build: Any) -> Any:
    store = store_class(embedding_similarity_function=given["similarity"], shared=False)
    store.write_documents(build(given["documents"]))
    found = store.embedding_retrieval(
        given["query"], given["filters"], given["top_k"], given["scale"], given["embeddings"]
    )
    return [ranking(found), sorted([document.id, document.embedding] for document in found)]


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain that whole numbers are searched for, as the same numbers with a point are."""
    if all(isinstance(number, float) for number in given["query"]):
        return None
    expected = outcome_of(theirs, {**given, "query": [float(number) for number in given["query"]]})
    return "query-numbers" if agree(our, expected) else None


EMBEDDINGS = Area("embeddings", draw, ours, theirs, explain)
