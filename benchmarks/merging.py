"""SegmentMerger thousands of hits of one large hierarchy: CPU milliseconds of the algorithm, the
store's time subtracted.

The hierarchy is not built: its documents are made when they are asked for, which is the store's
time.
"""

import gc
import random
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.rows import Row, row
from benchmarks.targets import MERGE_HITS, MERGE_PATTERNS
from spaniel import Document
from spaniel.strategies import FetchByIds, merge_up

FANOUT, LEVELS, WORDS = 10, 6, 12
LEAVES = FANOUT**LEVELS
"""A million leaves and their ancestors."""
ROUNDS, MILLISECONDS = 9, 100


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
    numbers = dict(zip(MERGE_PATTERNS, (spread, clustered, list(range(hits))), strict=True))
    return {
        name: [node(LEVELS, leaf).independent_copy(score=rng.random()) for leaf in leaves]
        for name, leaves in numbers.items()
    }


RULES: dict[str, dict[str, Any]] = {
    "children": {},
    "text": {"share": "text"},
    "hichunk": {"rule": "hichunk", "budget": 100_000},
}


def rows() -> list[Row]:
    """Return the cost of each rule for each pattern of hits, and the maximum number of requests."""
    return [each for name, documents in patterns(MERGE_HITS).items() for each in _of_pattern(name, documents)]


def _of_pattern(name: str, documents: list[Document]) -> list[Row]:
    label, found, most = f"merge {MERGE_HITS:,} hits: {name}", [], 0
    for rule, options in RULES.items():
        seconds, results, requests = min(measured(documents, options) for _ in range(ROUNDS))
        note = f"{results:,} results, {requests} requests"
        found.append(row("limit", f"{label}, {rule}", LEAVES, seconds * 1000, MILLISECONDS, "ms", note))
        most = max(most, requests)
    return [*found, row("limit", f"{label}, requests", LEAVES, most, LEVELS, "requests", f"{LEVELS} levels")]
