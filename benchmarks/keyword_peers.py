"""Keyword search beside other engines, in one process, interleaved query by query.

Prints what a query costs, the ratio to each peer, and its target; writes all of it as JSON.
usage: python -m benchmarks.keyword_peers [RESULT.json] [DOCUMENTS ...]
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import corpus
from benchmarks.keyword_engines import Bm25s, Engine, Fts5, Haystack, Index, Store, Tantivy

ENGINES: dict[str, tuple[type[Any], int, int]] = {
    # name: class, the most documents, how many queries
    "store": (Store, 10**9, 200),
    "index": (Index, 10**9, 200),
    "bm25s": (Bm25s, 10**9, 200),
    "tantivy": (Tantivy, 10**9, 200),
    "fts5": (Fts5, 100_000, 30),
    "haystack": (Haystack, 100_000, 10),
}
TARGETS: dict[tuple[str, str, int], float] = {
    # peer, what, documents: how many times faster Spaniel is to be
    ("haystack", "natural", 10_000): 500,
    ("haystack", "natural", 100_000): 2000,
    ("bm25s", "natural", 1_000_000): 3,
    ("bm25s", "keyword", 1_000_000): 3,
    ("bm25s", "natural 1 %", 1_000_000): 2.5,
    ("bm25s", "build", 1_000_000): 10,
    ("tantivy", "natural", 1_000_000): 2.5,
    ("tantivy", "keyword", 1_000_000): 1,
    ("tantivy", "natural 1 %", 1_000_000): 2,
    ("tantivy", "build", 1_000_000): 3,
    ("fts5", "natural", 100_000): 50,
    ("fts5", "keyword", 100_000): 20,
}
OURS = ("store", "index")
"""The store is the public way; the index is what it searches with, without documents and their copies."""
ROUNDS = 3
Costs = dict[str, dict[str, float]]


def timed(action: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of an action."""
    started = clock()
    action()
    return clock() - started


def resident() -> float:
    """Return the megabytes this process takes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def built(documents: corpus.Corpus) -> tuple[dict[str, Engine], Costs]:
    """Return the engines, the CPU seconds each took to build, and the memory it added."""
    engines: dict[str, Engine] = {}
    costs: Costs = {"build": {}, "megabytes": {}}
    for name, (kind, most, _) in ENGINES.items():
        if len(documents.texts) > most:
            continue
        before = resident()
        costs["build"][name] = timed(lambda: engines.__setitem__(name, kind(documents)))  # noqa: B023 (run at once)
        costs["megabytes"][name] = resident() - before
        print(f"  built {name}: {costs['build'][name]:.1f} s, {costs['megabytes'][name]:.0f} MB", flush=True)
    return engines, costs


def asked(engines: dict[str, Engine], queries: Sequence[str], percent: int | None) -> dict[str, float]:
    """Return the CPU milliseconds a query takes in each engine, the best of some rounds, queries interleaved."""
    best = {name: [float("inf")] * min(len(queries), ENGINES[name][2]) for name in engines}
    for _ in range(ROUNDS):
        for number, query in enumerate(queries):
            for name, times in best.items():
                if number < len(times):
                    seconds = timed(lambda: engines[name].ask(query, percent))  # noqa: B023 (run at once)
                    times[number] = min(times[number], seconds)
    return {name: sum(times) / len(times) * 1000 for name, times in best.items()}


def threaded(engine: Engine, queries: Sequence[str], threads: int) -> float:
    """Return the wall milliseconds a query takes when so many threads ask."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(engine.ask, queries[:threads]))
        return (
            min(timed(lambda: list(pool.map(engine.ask, queries)), time.perf_counter) for _ in range(ROUNDS))
            / len(queries)
            * 1000
        )


def measured(count: int) -> Costs:
    """Return all costs at one size."""
    documents = corpus.made(count)
    engines, costs = built(documents)
    for kind, queries in documents.queries.items():
        costs[kind] = asked(engines, queries, None)
        filterable = {name: engine for name, engine in engines.items() if name in {"index", "bm25s", "tantivy"}}
        for percent in (1, 10, 50):
            costs[f"{kind} {percent} %"] = asked(filterable, queries, percent)
        for threads in (1, 2):
            costs[f"{kind}, threads: {threads}"] = {
                name: threaded(engine, queries, threads)
                for name, engine in engines.items()
                if name not in {"haystack", "fts5"}
            }
    costs["add one, then query"] = {"store": _add_and_ask(engines["store"], documents)}
    return costs


def _add_and_ask(store: Any, documents: corpus.Corpus) -> float:
    def action(number: int) -> None:
        store.add(number, documents.texts[number])
        store.ask(documents.queries["natural"][number])

    return median(timed(lambda: action(number)) for number in range(50)) * 1000  # noqa: B023 (run at once)


def main(result: Path | None, sizes: Sequence[int]) -> None:
    """Run and print."""
    results = {}
    for count in sizes:
        print(
            f"{count:,} documents; milliseconds, CPU time (wall time with threads); then Spaniel's ratio to each peer",
            flush=True,
        )
        costs = results[count] = measured(count)
        for what, by_engine in costs.items():
            print(f"  {what:20}" + "".join(f"  {name} {cost:.3f}" for name, cost in by_engine.items()))
            for name in [name for name in by_engine if name not in OURS]:
                target = TARGETS.get((name, what, count))
                ratios = (f"{our} {by_engine[name] / by_engine[our]:.1f}x" for our in OURS if our in by_engine)
                print(
                    f"  {'':20}    {name}: {', '.join(ratios)}{f', target {target:g}x' if target else ''}", flush=True
                )
    if result:
        result.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    path = Path(arguments.pop(0)) if arguments and not arguments[0].isdigit() else None
    main(path, [int(argument) for argument in arguments] or [10_000, 100_000, 1_000_000])
