"""What finds the best vectors, each behind one method."""

import os
from importlib import util
from typing import Any, Protocol

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np

from spaniel import Document
from spaniel._engine import SlotSet, VectorIndex
from spaniel.document_stores.in_memory import InMemoryDocumentStore

TOP_K = 10
PERCENTS = (1, 10)


def parts(count: int) -> Any:
    """Return a number below 100 for each row: a filter of n percent takes those below n."""
    return np.random.default_rng(3).integers(0, 100, count)


class Engine(Protocol):
    """Finds rows."""

    def best(self, query: Any, percent: int | None) -> list[int]:
        """Return the rows of the best products with a query, best first.

        :param query: float32.
        :param percent: how many of the rows may be returned; None: all.
        """


class Numpy:
    """The product of a matrix and a vector; under a filter that of the rows that pass."""

    def __init__(self, matrix: Any, dtype: Any) -> None:
        self._matrix = matrix.astype(dtype)
        self._rows = {percent: np.flatnonzero(parts(len(matrix)) < percent) for percent in PERCENTS}

    def best(self, query: Any, percent: int | None) -> list[int]:
        """Return rows, as `Engine` says."""
        rows = None if percent is None else self._rows[percent]
        scores = (self._matrix if rows is None else self._matrix[rows]) @ query.astype(self._matrix.dtype)
        chosen = np.argpartition(-scores, TOP_K)[:TOP_K]
        chosen = chosen[np.argsort(-scores[chosen])]
        return (chosen if rows is None else rows[chosen]).tolist()  # type: ignore[no-any-return]  # numpy's Any


class Bare:
    """The engine's index."""

    def __init__(self, index: VectorIndex, count: int, *, approximate: bool) -> None:
        self._index, self._approximate = index, approximate
        self._sets = {
            percent: SlotSet(np.flatnonzero(parts(count) < percent).astype(np.uint64)) for percent in PERCENTS
        }

    def best(self, query: Any, percent: int | None) -> list[int]:
        """Return rows, as `Engine` says."""
        allowed = None if percent is None else self._sets[percent]
        numbers = query.astype(np.float64)
        hits = self._index.nearest(numbers, cosine=False, top_k=TOP_K, allowed=allowed, approximate=self._approximate)
        return [slot for slot, _ in hits]


class Store:
    """The in-memory store, which returns documents."""

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self._store = store

    def best(self, query: Any, percent: int | None) -> list[int]:
        """Return rows, as `Engine` says."""
        filters = None if percent is None else {"field": "meta.part", "operator": "<", "value": percent}
        return [int(found.id) for found in self._store.embedding_retrieval(query, filters, TOP_K)]


class Library:
    """An index of another library, without filters."""

    def __init__(self, search: Any) -> None:
        self._search = search

    def best(self, query: Any, percent: int | None) -> list[int]:
        """Return rows, as `Engine` says."""
        assert percent is None
        return [int(row) for row in self._search(query)]


def documents(matrix: Any) -> list[Document]:
    return [
        Document(id=str(row), content=f"text {row}", embedding=vector, meta={"part": int(part)})
        for row, (vector, part) in enumerate(zip(matrix, parts(len(matrix)), strict=True))
    ]


def libraries(matrix: Any) -> dict[str, Engine]:
    """Return those of other libraries that are installed."""
    return {
        name: Library(make(matrix)) for name, (module, make) in _LIBRARIES.items() if util.find_spec(module) is not None
    }


def _faiss(description: str) -> Any:
    def make(matrix: Any) -> Any:
        import faiss

        faiss.omp_set_num_threads(1)
        index = faiss.index_factory(matrix.shape[1], description, faiss.METRIC_INNER_PRODUCT)
        index.train(matrix)
        index.add(matrix)
        if hasattr(index, "nprobe"):
            index.nprobe = 16
        return lambda query: index.search(query[None], TOP_K)[1][0]

    return make


def _hnswlib(matrix: Any) -> Any:
    import hnswlib

    index = hnswlib.Index(space="ip", dim=matrix.shape[1])
    index.init_index(max_elements=len(matrix), ef_construction=100, M=16)
    index.set_num_threads(1)
    index.add_items(matrix)
    index.set_ef(64)
    return lambda query: index.knn_query(query, TOP_K)[0][0]


def _usearch(matrix: Any) -> Any:
    from usearch.index import Index

    index = Index(ndim=matrix.shape[1], metric="ip", dtype="f16")
    index.add(np.arange(len(matrix)), matrix, threads=1)
    return lambda query: index.search(query, TOP_K, threads=1).keys


_LIBRARIES = {
    "faiss Flat": ("faiss", _faiss("Flat")),
    "faiss SQ8": ("faiss", _faiss("SQ8")),
    "faiss IVF": ("faiss", _faiss("IVF1024,Flat")),
    "faiss HNSW": ("faiss", _faiss("HNSW16")),
    "hnswlib": ("hnswlib", _hnswlib),
    "usearch f16": ("usearch", _usearch),
}
