"""Merging thousands of hits of one large hierarchy: CPU milliseconds of the algorithm, the store's time subtracted.

The hierarchy is not built: its documents are made when they are asked for, which is the store's time.
usage: python -m benchmarks.merging [HITS]
"""

import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from spaniel import Document
from spaniel.strategies import FetchByIds, merge_up

FANOUT, LEVELS, WORDS = 10, 6, 12
LEAVES = FANOUT**LEVELS
"""A million leaves, and what is above them."""
ROUNDS = 9


def node(level: int, number: int) -> Document:
    """Return a node by its level, 0 being the root, and its number there."""
    below = [f"{level + 1}.{FANOUT * number + place}" for place in range(FANOUT)] if level < LEVELS else []
    meta = {
        "__level": level,
        "__block_size": WORDS,
        "__parent_id": f"{level - 1}.{number // FANOUT}" if level else None,
        "__children_ids": below,
        "__root_id": "0.0",
        "__start": number * 5 * FANOUT ** (LEVELS - level),
        "__end": (number + 1) * 5 * FANOUT ** (LEVELS - level),
    }
    return Document(id=f"{level}.{number}", content="word " * min(FANOUT ** (LEVELS - level), 1000), meta=meta)


def answered(request: FetchByIds) -> list[Document]:
    return [node(*map(int, id.split("."))) for id in request.ids]


def measured(hits: Sequence[Document], options: dict[str, Any]) -> tuple[float, int, int]:
    """Return the seconds of the algorithm alone, the number of results and of requests."""
    gc.collect()
    gc.disable()
    steps, answer, seconds, requests = merge_up(hits, **options), None, 0.0, 0
    try:
        while True:
            started = time.process_time()
            try:
                request = steps.send(answer)
            except StopIteration as stop:
                return seconds + time.process_time() - started, len(stop.value), requests
            seconds += time.process_time() - started
            requests += 1
            assert isinstance(request, FetchByIds)
            answer = answered(request)
    finally:
        gc.enable()


def patterns(hits: int) -> dict[str, list[Document]]:
    """Return hits that merge nowhere, that merge level by level, and that merge into one."""
    rng = random.Random(7)
    spread = sorted(rng.sample(range(LEAVES), hits))
    clusters = [1000 * rng.randrange(LEAVES // 1000) for _ in range(hits // 600 + 1)]
    clustered = list(dict.fromkeys(start + leaf for start in clusters for leaf in rng.sample(range(1000), 600)))[:hits]
    numbers = {"spread": spread, "clustered": clustered, "all below one node": list(range(hits))}
    return {
        name: [node(LEVELS, leaf).independent_copy(score=rng.random()) for leaf in leaves]
        for name, leaves in numbers.items()
    }


RULES: dict[str, dict[str, Any]] = {
    "share of children": {},
    "share of text": {"share": "text"},
    "hichunk, 100,000 tokens": {"rule": "hichunk", "budget": 100_000},
}


def row(name: str, run: Callable[[], tuple[float, int, int]]) -> None:
    results = [run() for _ in range(ROUNDS)]
    seconds, found, requests = min(results)
    print(f"{name:48}{seconds * 1000:10.1f} ms{found:10,} results{requests:4} requests", flush=True)


def main(hits: int) -> None:
    print(f"{hits:,} hits in a hierarchy of {LEAVES:,} leaves, {LEVELS} levels; least CPU time of {ROUNDS} runs")
    for pattern, documents in patterns(hits).items():
        for rule, options in RULES.items():
            row(f"{pattern}, {rule}", lambda: measured(documents, options))  # noqa: B023 (run at once)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
