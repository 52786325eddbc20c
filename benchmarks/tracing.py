"""The overhead of an open trace on a structured query: search, merge, links, windows through
`StructuredRetriever`.
"""

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

import spaniel
from benchmarks import clock
from benchmarks.corpus import corpus
from benchmarks.rows import Row, row, surplus
from benchmarks.structure import leaves_and_parents
from benchmarks.targets import TRACED
from spaniel.components.retrievers import StructuredRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.tracing import current_trace

QUERIES, ROUNDS, LOOKS = 20, 30, 100_000
SHARE, MICROSECONDS = 0.1, 50
"""The allowed overhead of a trace: a share of the query, or milliseconds."""
_OPTIONS: list[dict[str, Any]] = [
    {"merge": False},
    {},
    {"follow": ["cites"], "filter_key": "id"},
    {"follow": ["cites"], "filter_key": "id", "window": 1},
]
WAYS = dict(zip(TRACED, _OPTIONS, strict=True))


def measured(untraced: Callable[[str], Any], traced: Callable[[str], Any], queries: list[str]) -> tuple[float, float]:
    """Return the CPU microseconds of a query without and with a trace: the means over queries of
    the best of rounds.

    They alternate, and each is first half of the time, as the second finds the caches warm.
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


def rows(leaves: int) -> list[Row]:
    """Return the overhead of a trace per query, and of a stage without a trace."""
    made = corpus(leaves)
    store = InMemoryDocumentStore(shared=False, search="leaves", return_embedding=False)
    store.write_documents([spaniel.Document(**fields) for fields in leaves_and_parents(leaves, made.texts)])
    queries = made.queries["natural"][:QUERIES]
    look = clock.cpu_seconds(lambda: [current_trace() for _ in range(LOOKS)]) / LOOKS * 1e6
    clock.settle()
    gc.disable()  # its runs count for neither
    try:
        costs = {name: _of_way(StructuredRetriever(store, **WAYS[name]), queries) for name in TRACED}
    finally:
        gc.enable()
    least = min(off for off, *_ in costs.values())
    return [
        *(
            surplus(f"tracing on: {name}", leaves, on - off, max(SHARE * off, MICROSECONDS), "µs", _note(off, on, read))
            for name, (off, on, read) in costs.items()
        ),
        row("limit", "tracing off: a stage", leaves, look, least / 100, "µs", "the limit is 1 % of the quickest query"),
    ]


def _note(off: float, on: float, read: float) -> str:
    return f"{off:.0f} µs without, {(on - off) / off:.1%} more; {read:.0f} µs to read it"


def _of_way(retriever: StructuredRetriever, queries: list[str]) -> tuple[float, float, float]:
    """Return the microseconds of a query without and with a trace, and of reading the trace."""
    run = traced_run(retriever)
    off, on = measured(retriever.run, run, queries)
    traces = [run(query) for query in queries]
    read = clock.cpu_seconds(lambda: [trace.events for trace in traces])  # events are made when they are read
    return off, on, read * 1e6 / len(queries)
