"""Exact vector search through the public API beside numpy, on one thread, with equal results."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import clock
from benchmarks.rows import Row, row
from spaniel import Document
from spaniel.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore

COUNT, SIZE = 100_000, 384
QUERIES, TOP_K = 20, 10


def random_vectors() -> NDArray[np.float64]:
    """Return vectors without any order, in which bounds help least."""
    return np.random.default_rng(0).standard_normal((COUNT, SIZE))


def clustered_vectors() -> NDArray[np.float64]:
    """Return vectors of length 1 around a hundred centres, as those of texts are."""
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((100, SIZE))[rng.integers(0, 100, COUNT)] + 0.3 * rng.standard_normal((COUNT, SIZE))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    return vectors


def best(matrix: NDArray[Any], query: NDArray[Any]) -> list[int]:
    """Return the rows with the highest products, best first."""
    scores = matrix @ query
    chosen = np.argpartition(-scores, TOP_K)[:TOP_K]
    return [int(row) for row in chosen[np.argsort(-scores[chosen])]]


def rows() -> list[Row]:
    """Return a row for each kind of vectors and each precision of numpy."""
    return [*compared("random", random_vectors()), *compared("clustered", clustered_vectors())]


def compared(name: str, matrix: NDArray[np.float64]) -> list[Row]:
    """Return what searching these vectors costs."""
    store = InMemoryDocumentStore(shared=False, return_embedding=False)
    store.write_documents(Document(id=str(row), embedding=vector.tolist()) for row, vector in enumerate(matrix))
    retriever = InMemoryEmbeddingRetriever(store, top_k=TOP_K)
    rng, single = np.random.default_rng(2), matrix.astype(np.float32)
    queries = [matrix[rng.integers(len(matrix))] + 0.02 * rng.standard_normal(SIZE) for _ in range(QUERIES)]
    clock.settle()
    for query in queries:
        assert [int(each.id) for each in retriever.run(query.tolist())["documents"]] == best(matrix, query)
    costs = clock.interleaved(
        {
            "ours": [partial(retriever.run, query.tolist()) for query in queries],
            "float64": [partial(best, matrix, query) for query in queries],
            "float32": [partial(best, single, query.astype(np.float32)) for query in queries],
        }
    )
    return [
        row(f"numpy, {side}", f"exact vectors, {name}", COUNT, costs["ours"], costs[side], note=note)
        for side, note in (("float64", "same top 10"), ("float32", "same top 10 as numpy in float64"))
    ]
