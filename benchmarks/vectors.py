"""Vector search through the public API beside numpy, on one thread: exact with equal results,
approximate with its recall.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks import clock
from benchmarks.embeddings import DATA
from benchmarks.rows import Row, row
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore

COUNT, SIZE = 100_000, 384
QUERIES, TOP_K = 20, 10
PERCENTS = (None, 1, 10)
ADDED = 20
KINDS: dict[Literal["exact", "approximate"], tuple[str, str]] = {
    "exact": ("exact vectors", "documents with embeddings are written"),
    "approximate": ("ANN", "what an approximate search needs besides"),
}
RECALL = 0.95
ROUNDING = 1e-6
Search = Callable[[Any], list[int]]


def rows() -> list[Row]:
    """Return rows for each kind of vectors."""
    return [each for name, make in DATA.items() for each in _compared(name, *make(COUNT, SIZE))]


def _compared(name: str, matrix: NDArray[np.float32], queries: NDArray[np.float32]) -> Iterator[Row]:
    """Yield the cost of searching these vectors, and the recall of approximate search."""
    parts = np.random.default_rng(3).integers(0, 100, len(matrix))
    stores, built = _stores(name, matrix, parts)
    yield from built
    double = matrix.astype(np.float64)
    clock.settle()
    for percent in PERCENTS:
        under = "" if percent is None else f", filter {percent} %"
        passing = None if percent is None else np.flatnonzero(parts < percent)
        sides: Mapping[str, Search] = {
            "exact": partial(_found, stores["exact"], percent),
            "approximate": partial(_found, stores["approximate"], percent),
            "float64": partial(_best, double, passing),
            "float32": partial(_best, matrix, passing),
            "ready": partial(_best_of_rows, matrix, passing),
        }
        asked = list(queries[:QUERIES])
        recalls = {
            side: float(np.mean([_recall(search, double, passing, query) for query in asked]))
            for side, search in sides.items()
        }
        assert recalls["exact"] == 1, f"the exact search found {recalls['exact']} of the true {TOP_K}"
        costs = clock.interleaved({side: [partial(search, query) for query in asked] for side, search in sides.items()})
        note = f"recall@{TOP_K} {recalls['approximate']:.3f}; the exact search takes {costs['exact']:.3g} ms"
        for baseline in ("float64", "float32"):
            yield row(
                f"numpy, {baseline}", f"exact vectors, {name}{under}", len(matrix), costs["exact"], costs[baseline]
            )
            yield row(
                f"numpy, {baseline}",
                f"ANN, {name}{under}",
                len(matrix),
                costs["approximate"],
                costs[baseline],
                note=note,
            )
        if percent is not None:
            label = f"ANN, {name}{under}, its rows known to numpy"
            yield row("numpy, float32", label, len(matrix), costs["approximate"], costs["ready"], note=note)
        yield _recall_row(f"ANN, recall@10, {name}{under}", len(matrix), recalls["approximate"])
    added = [
        clock.cpu_seconds(partial(_add_and_ask, stores["approximate"], f"new {number}", query))
        for number, query in enumerate(queries[-ADDED:])
    ]
    yield row("alone", f"add + query, ANN, {name}", len(matrix), median(added) * 1000, None)


def _recall_row(label: str, size: int, recall: float) -> Row:
    """Return a row of a share that is to be greater, not smaller."""
    return Row(**row("limit", label, size, recall, RECALL, "of the true ten") | {"ratio": recall / RECALL})


def _stores(
    name: str, matrix: NDArray[np.float32], parts: NDArray[np.int64]
) -> tuple[dict[str, InMemoryDocumentStore], list[Row]]:
    """Return an exact and an approximate store over the same documents, and the cost of building
    each.
    """
    documents = [
        Document(id=str(number), embedding=vector.tolist(), meta={"part": int(part)})
        for number, (vector, part) in enumerate(zip(matrix, parts, strict=True))
    ]
    stores: dict[str, InMemoryDocumentStore] = {}

    def make(kind: Literal["exact", "approximate"]) -> None:
        stores[kind] = InMemoryDocumentStore(index=f"benchmark of {name}", return_embedding=False, vector_search=kind)
        if kind == "exact":
            stores[kind].write_documents(documents)

    clock.settle()
    taken, built, raw = clock.resident_megabytes(), [], f"the numbers take {matrix.nbytes / 1e6:,.0f} MB as float32"
    for kind, (called, note) in KINDS.items():
        seconds = clock.cpu_seconds(partial(make, kind))
        before, taken = taken, clock.resident_megabytes()
        built += [
            row(
                "alone", f"build, {called}, {name}", len(matrix), seconds / len(matrix) * 1e6, None, "µs a vector", note
            ),
            row("alone", f"memory, {called}, {name}", len(matrix), taken - before, None, "MB", raw),
        ]
    return stores, built


def _add_and_ask(store: InMemoryDocumentStore, id: str, vector: NDArray[np.float32]) -> None:
    store.write_documents([Document(id=id, embedding=vector.tolist(), meta={"part": 0})])
    _ = store.embedding_retrieval(vector, top_k=TOP_K)  # type: ignore[arg-type]  # an array is taken too


def _found(store: InMemoryDocumentStore, percent: int | None, query: NDArray[np.float32]) -> list[int]:
    filters = None if percent is None else {"field": "meta.part", "operator": "<", "value": percent}
    return [int(found.id) for found in store.embedding_retrieval(query, filters, TOP_K)]  # type: ignore[arg-type]  # an array is taken too


def _best(matrix: NDArray[Any], passing: NDArray[np.intp] | None, query: NDArray[np.float32]) -> list[int]:
    """Return the rows with the highest products: all are multiplied, then those that pass are
    looked at.
    """
    scores = matrix @ query.astype(matrix.dtype)
    rows: list[int] = (_highest(scores) if passing is None else passing[_highest(scores[passing])]).tolist()
    return rows


def _best_of_rows(matrix: NDArray[Any], passing: NDArray[np.intp] | None, query: NDArray[np.float32]) -> list[int]:
    """Return the same, where only the rows that pass are multiplied; which they are was found out
    before.
    """
    if passing is None:
        return _best(matrix, None, query)
    rows: list[int] = passing[_highest(matrix[passing] @ query)].tolist()
    return rows


def _highest(scores: NDArray[Any]) -> Any:
    chosen = np.argpartition(-scores, TOP_K)[:TOP_K]
    return chosen[np.argsort(-scores[chosen])]


def _recall(search: Search, matrix: NDArray[np.float64], passing: NDArray[np.intp] | None, query: Any) -> float:
    """Return recall@10; documents that tie with the tenth count as relevant."""
    scores = matrix @ query.astype(np.float64)
    among = np.arange(len(matrix)) if passing is None else passing
    least = np.sort(scores[among])[-TOP_K]
    found = search(query)
    return float(min(TOP_K, np.sum(scores[found] >= least - ROUNDING)) / TOP_K)
