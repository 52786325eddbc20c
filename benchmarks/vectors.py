"""Vector search beside numpy, on one thread, in one process, interleaved: the index alone and the in-memory store.

Prints the CPU milliseconds of a top 10, the ratio to numpy with 32 and with 64 bits, and how many of the true ten were
found. Libraries that are installed (faiss, hnswlib, usearch) are measured beside.
usage: python -m benchmarks.vectors [VECTORS] [NUMBERS] [DATA ...]
"""

import contextlib
import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.vector_engines import PERCENTS, TOP_K, Bare, Engine, Numpy, Store, documents, libraries

# numpy reads how many threads it may use when it is first imported, which is above
import numpy as np  # isort: skip

from benchmarks.embeddings import DATA
from spaniel import Document
from spaniel._engine import VectorIndex
from spaniel.document_stores.in_memory import InMemoryDocumentStore

ROUNDS = 2
BASELINES = ("numpy 32", "numpy 64")
TRUE = "numpy 64"
TARGETS, RECALL = {"exact": 1.5, "approximate": 10.0}, 0.95
"""How many times as fast as numpy an exact and an approximate search should be, and what share the latter should find."""
ALL, ROUNDING = 1 - 1e-6, 1e-12

Row = dict[str, Any]
"""One result: name, measured, target (None: nothing to reach), unit, detail."""


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of an action, and what it returned."""
    started = time.process_time()
    result = action()
    return time.process_time() - started, result


def resident() -> float:
    """Return the megabytes this process takes, without those that it has freed."""
    with contextlib.suppress(OSError, AttributeError):  # only the GNU library has this
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6


def filled(matrix: Any) -> tuple[VectorIndex, list[Row]]:
    """Return an index of all vectors, and what it took."""
    index, vectors = VectorIndex(), list(matrix.astype(np.float64))
    before = resident()
    seconds, _ = timed(lambda: index.apply([], index.prepare(range(len(matrix)), vectors)))
    exact = resident() - before
    coding, _ = timed(index.code)
    approximate = resident() - before
    shape = f"{len(matrix):,} x {matrix.shape[1]}"
    return index, [
        row("build, exact", len(matrix) / seconds / 1000, None, "thousand vectors / CPU s", shape),
        row("build, approximate", len(matrix) / (seconds + coding) / 1000, None, "thousand vectors / CPU s", shape),
        row(
            "memory, exact",
            exact,
            None,
            "MB",
            f"{shape}; the numbers alone are {matrix.nbytes / 1e6:.0f} MB in 32 bits",
        ),
        row("memory, approximate", approximate, None, "MB", shape),
    ]


def row(name: str, measured: float, target: float | None, unit: str, detail: str) -> Row:
    return {"name": name, "measured": round(measured, 3), "target": target, "unit": unit, "detail": detail}


def asked(
    engines: dict[str, Engine], matrix: Any, queries: Any, percent: int | None
) -> Iterator[tuple[str, float, float]]:
    """Yield for each engine the CPU seconds of a query, the best of some rounds, and the share it finds of the true ten.

    What scores as much as the last of the true ten is as good, as passages may be equal.
    """
    best = {name: [float("inf")] * len(queries) for name in engines}
    recall = dict.fromkeys(engines, 0.0)
    exact = matrix.astype(np.float64)
    least = [min(exact[engines[TRUE].best(query, percent)] @ query) - ROUNDING for query in queries]
    order = list(engines)
    for _ in range(ROUNDS):
        for number, query in enumerate(queries):
            order.append(order.pop(0))  # none always finds what another has left in the caches
            for name in order:
                seconds, found = timed(lambda: engines[name].best(query, percent))  # noqa: B023 (run at once)
                best[name][number] = min(best[name][number], seconds)
                good = sum(exact[list(set(found))] @ query >= least[number])
                recall[name] += min(good, TOP_K) / TOP_K / ROUNDS / len(queries)
    for name, times in best.items():
        yield name, sum(times) / len(times), recall[name]


def measured(data: str, engines: dict[str, Engine], vectors: tuple[Any, Any], percent: int | None) -> Iterator[Row]:
    """Yield rows for each engine: how fast it is beside numpy, and what it finds. Numpy gets the rows of a filter ready made."""
    results = {name: (seconds, recall) for name, seconds, recall in asked(engines, *vectors, percent)}
    under = "" if percent is None else f", filter {percent} %"
    for name, (seconds, recall) in results.items():
        detail = f"{1000 * seconds:.3f} ms"
        kind = name.split()[-1]
        for baseline in BASELINES:
            if name not in BASELINES:
                ratio = results[baseline][0] / seconds
                target = TARGETS.get(kind) if percent is None else None
                yield row(f"{data}{under}: {name} / {baseline}", ratio, target, "times as fast", detail)
        if kind == "exact":
            assert recall > ALL, f"{name} found {recall} of the true {TOP_K}"
        elif name not in BASELINES:
            target = RECALL if kind == "approximate" else None
            yield row(f"{data}{under}: {name}, recall", recall, target, f"of the true {TOP_K}", detail)


def written_and_asked(store: InMemoryDocumentStore, matrix: Any, queries: Any) -> float:
    """Return the CPU milliseconds to write one document and search."""
    total = 0.0
    for number, query in enumerate(queries):
        document = Document(id=f"new {number}", content="new", embedding=matrix[number], meta={"part": 0})
        total += timed(lambda: store.write_documents([document]))[0]  # noqa: B023 (run at once)
        total += timed(lambda: store.embedding_retrieval(query, None, TOP_K))[0]  # noqa: B023
    store.delete_documents([f"new {number}" for number in range(len(queries))])
    return 1000 * total / len(queries)


def rows(count: int = 100_000, size: int = 384, names: list[str] | None = None) -> Iterator[Row]:
    """Yield all results."""
    for data in names or DATA:
        matrix, queries = DATA[data](count, size)
        index, costs = filled(matrix)
        stores = {
            kind: InMemoryDocumentStore(index=f"benchmark of {data}", return_embedding=False, vector_search=kind)
            for kind in ("exact", "approximate")
        }
        stores["exact"].write_documents(documents(matrix))
        engines: dict[str, Engine] = {
            "numpy 64": Numpy(matrix, np.float64),
            "numpy 32": Numpy(matrix, np.float32),
            "index, exact": Bare(index, len(matrix), approximate=False),
            "index, approximate": Bare(index, len(matrix), approximate=True),
            "store, exact": Store(stores["exact"]),
            "store, approximate": Store(stores["approximate"]),
        }
        yield from ({**cost, "name": f"{data}: {cost['name']}"} for cost in costs)
        yield from measured(data, engines | libraries(matrix), (matrix, queries), None)
        for percent in PERCENTS:
            yield from measured(data, engines, (matrix, queries), percent)
        for kind, store in stores.items():
            milliseconds = written_and_asked(store, matrix, queries)
            yield row(f"{data}: add one and query, {kind}", milliseconds, None, "ms", f"{len(matrix):,} x {size}")
        stores["exact"].delete_all_documents()


def main(count: int, size: int, names: list[str]) -> None:
    """Run and print."""
    print(f"{count:,} vectors of {size} numbers, top {TOP_K}, one thread, CPU time")
    for result in rows(count, size, names):
        target = "" if result["target"] is None else f"(target {result['target']:g})"
        print(
            f"{result['name']:60}{result['measured']:10.3f} {result['unit']:16}{target:13}{result['detail']}",
            flush=True,
        )


if __name__ == "__main__":
    arguments = sys.argv[1:] + ["100000", "384"][len(sys.argv) - 1 :]
    main(int(arguments[0]), int(arguments[1]), arguments[2:])
