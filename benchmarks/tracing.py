"""What an open trace costs a structured query: search, merge, links, windows through `StructuredRetriever`.

Prints the CPU microseconds of a query with tracing off and on, run in turn in one process, and of reading the trace after.
usage: python -m benchmarks.tracing [LEAVES]...
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import spaniel
from benchmarks.corpus import corpus
from benchmarks.structure import leaves_and_parents
from spaniel.components.retrievers import StructuredRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.tracing import current_trace

QUERIES, ROUNDS, LOOKS = 20, 30, 100_000
WAYS: dict[str, dict[str, Any]] = {
    "search": {"merge": False},
    "search, merge": {},
    "search, merge, follow": {"follow": ["cites"], "filter_key": "id"},
    "search, merge, follow, window": {"follow": ["cites"], "filter_key": "id", "window": 1},
}


def measured(untraced: Callable[[str], Any], traced: Callable[[str], Any], queries: list[str]) -> tuple[float, float]:
    """Return the CPU microseconds of a query without and with a trace: the means over queries of the best of rounds.

    They take turns, and each comes first half of the time, as the second finds the caches warm.
    """
    times: dict[tuple[bool, str], list[float]] = {}
    for turn in range(ROUNDS):
        for query in queries:
            for is_traced in (True, False) if turn % 2 else (False, True):
                call = traced if is_traced else untraced
                started = time.thread_time_ns()
                call(query)
                times.setdefault((is_traced, query), []).append((time.thread_time_ns() - started) / 1000)
    off, on = (statistics.fmean(min(times[is_traced, query]) for query in queries) for is_traced in (False, True))
    return off, on


def traced_run(retriever: StructuredRetriever) -> Callable[[str], Any]:
    def run(query: str) -> spaniel.Trace:
        with spaniel.trace() as t:
            retriever.run(query)
        return t

    return run


def main(sizes: list[int]) -> None:
    """Run and print."""
    started = time.thread_time_ns()
    for _ in range(LOOKS):
        current_trace()
    print(f"off: {(time.thread_time_ns() - started) / LOOKS:.0f} ns a stage, to see that no trace is open")
    for leaves in sizes:
        made = corpus(leaves)
        store = InMemoryDocumentStore(shared=False, search="leaves", return_embedding=False)
        store.write_documents([spaniel.Document(**fields) for fields in leaves_and_parents(leaves, made.texts)])
        queries = made.queries["natural"][:QUERIES]
        print(f"{leaves:,} leaves; CPU microseconds a query, top_k 10")
        print(f"{'':32}{'off':>10}{'on':>10}{'more':>10}{'share':>9}{'read':>10}")
        gc.collect()
        gc.disable()  # its runs count for neither
        for name, options in WAYS.items():
            retriever = StructuredRetriever(store, **options)
            run = traced_run(retriever)
            off, on = measured(retriever.run, run, queries)
            traces = [run(query) for query in queries]
            started = time.thread_time_ns()
            for trace in traces:
                trace.events  # noqa: B018 (made when they are read)
            read = (time.thread_time_ns() - started) / 1000 / len(queries)
            print(f"{name:32}{off:10.0f}{on:10.0f}{on - off:10.0f}{(on - off) / off:9.1%}{read:10.0f}", flush=True)


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000])
