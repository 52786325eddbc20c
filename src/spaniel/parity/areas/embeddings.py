"""Vector search: both similarities, with filters and score scaling."""

from typing import Any

from spaniel.json_types import Json
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas.rankings import ranking
from spaniel.parity.library import HAYSTACK, Library
from spaniel.parity.random_data import RandomData


def draw(rng: RandomData) -> Given:
    """Draw documents, some without an embedding or of another dimension, settings and a query."""
    size = rng.integer(1, 4)
    documents = [{**row, "embedding": None if rng.flip(0.2) else _vector(rng, size)} for row in rng.documents()]
    if documents and rng.flip(0.05):
        documents[0]["embedding"] = _vector(rng, size + 1)
    query: list[Any] = _vector(rng, size + 1 if rng.flip(0.05) else size)
    return {
        "documents": documents,
        "similarity": rng.choice(["dot_product", "cosine"]),
        "query": [int(number) for number in query] if rng.flip(0.1) else query,
        "filters": rng.filter() if rng.flip(0.3) else None,
        "top_k": rng.integer(0, 10),
        "scale": rng.flip(),
        "embeddings": rng.flip(),
    }


def _vector(rng: RandomData, size: int) -> list[float]:
    return [rng.number(-2, 2) for _ in range(size)]


def run(given: Given, library: Library) -> Json:
    """Return the ranking, and the embeddings of the hits."""
    store = library.store(embedding_similarity_function=given["similarity"])
    store.write_documents(library.documents(given["documents"]))
    found = store.embedding_retrieval(
        given["query"], given["filters"], given["top_k"], given["scale"], given["embeddings"]
    )
    return [ranking(found), sorted([document.id, document.embedding] for document in found)]


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain that integers are accepted as a query, with the result of equal floats."""
    if all(isinstance(number, float) for number in given["query"]):
        return None
    expected = outcome_of(run, {**given, "query": [float(number) for number in given["query"]]}, HAYSTACK)
    return "query-numbers" if agree(our, expected) else None


EMBEDDINGS = Area("embeddings", draw, run, explain)
