"""Exact vector search beside numpy, on one thread, in one process, interleaved.

Prints the CPU milliseconds of a top 10 and the ratios, and checks that all find the same.
usage: python -m benchmarks.vectors [VECTORS] [NUMBERS]
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np

from spaniel import Document
from spaniel.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore

QUERIES, TOP_K = 20, 10


def random_vectors(count: int, size: int) -> Any:
    """Return vectors without any order, in which bounds help least."""
    return np.random.default_rng(0).standard_normal((count, size))


def clustered_vectors(count: int, size: int) -> Any:
    """Return vectors of length 1 around a hundred centres, as those of texts are."""
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((100, size))[rng.integers(0, 100, count)] + 0.3 * rng.standard_normal((count, size))
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


def best(matrix: Any, query: Any) -> list[int]:
    """Return the rows with the highest products, best first."""
    scores = matrix @ query
    chosen = np.argpartition(-scores, TOP_K)[:TOP_K]
    return [int(row) for row in chosen[np.argsort(-scores[chosen])]]


def timed(call: Callable[[], list[int]], seconds: list[float]) -> list[int]:
    started = time.process_time()
    result = call()
    seconds.append(time.process_time() - started)
    return result


def compare(name: str, matrix: Any) -> None:
    """Print one row."""
    store = InMemoryDocumentStore(shared=False, return_embedding=False)
    store.write_documents(Document(id=str(row), embedding=vector.tolist()) for row, vector in enumerate(matrix))
    retriever = InMemoryEmbeddingRetriever(store, top_k=TOP_K)
    rng, single = np.random.default_rng(2), matrix.astype(np.float32)
    times: dict[str, list[float]] = {"spaniel": [], "float64": [], "float32": []}
    for _ in range(QUERIES):
        query = matrix[rng.integers(len(matrix))] + 0.02 * rng.standard_normal(matrix.shape[1])
        numbers, query32 = query.tolist(), query.astype(np.float32)
        exact = timed(lambda: best(matrix, query), times["float64"])  # noqa: B023 (run at once)
        timed(lambda: best(single, query32), times["float32"])  # noqa: B023
        ours = timed(lambda: [int(each.id) for each in retriever.run(numbers)["documents"]], times["spaniel"])  # noqa: B023
        assert ours == exact
    means = {side: 1000 * sum(seconds) / len(seconds) for side, seconds in times.items()}
    print(f"{name:12}{means['spaniel']:10.2f}", end="")
    for side in ("float64", "float32"):
        print(f"{means[side]:16.2f}{means[side] / means['spaniel']:7.1f}x", end="")
    print(flush=True)


def main(count: int, size: int) -> None:
    """Run and print."""
    print(f"{count:,} vectors of {size} numbers, top {TOP_K}; CPU milliseconds a query")
    print(f"{'':12}{'spaniel':>10}{'numpy, float64':>24}{'numpy, float32':>24}")
    for name, make in (("random", random_vectors), ("clustered", clustered_vectors)):
        compare(name, make(count, size))


if __name__ == "__main__":
    main(*(int(argument) for argument in (sys.argv[1:] + ["100000", "384"][len(sys.argv) - 1 :])))
