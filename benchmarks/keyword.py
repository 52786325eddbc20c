"""Keyword search beside one other engine: queries, filters, indexing, adding; one thread and two."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks import clock
from benchmarks.corpus import Corpus, words
from benchmarks.engines import PEERS, Hits, Index, Peer, Store
from benchmarks.rows import Row, row
from benchmarks.targets import FILTERS

ADDED = 20
CHECKED = 10
_WARM_UP = Corpus(["first text to warm up"] * 20 + ["second"] * 80, np.arange(100), {})


class Sides:
    """The store, its index alone, and the other engine, all built from one corpus, one after
    another.
    """

    def __init__(self, peer: Peer, corpus: Corpus) -> None:
        self.peer, self.corpus = peer, corpus
        self.engines: dict[str, Any] = {}
        self.build: dict[str, float] = {}
        for name, engine in (("ours", Store), ("alone", Index), ("theirs", peer.engine)):
            _warm_up(engine, filters=name != "theirs" or peer.filters)
            clock.settle()
            self.build[name] = clock.cpu_seconds(lambda: self._put(name, engine))  # noqa: B023 (run at once)
        self.slot_of = {text: slot for slot, text in enumerate(corpus.texts)}
        clock.settle()

    def _put(self, name: str, engine: Callable[[Corpus], Any]) -> None:
        self.engines[name] = engine(self.corpus)


def _warm_up(engine: Callable[[Corpus], Any], *, filters: bool) -> None:
    """Import and compile the dependencies of an engine before the measurement."""
    small = engine(_WARM_UP)
    for percent in (None, *FILTERS) if filters else (None,):
        small.ask("second text", percent)


def rows(peer_name: str, corpus: Corpus) -> list[Row]:
    """Return all rows of one size."""
    peer, size = PEERS[peer_name], len(corpus.texts)
    sides = Sides(peer, corpus)
    index = {name: seconds / size * 1e6 for name, seconds in sides.build.items()}
    found = [
        row(peer.name, "index", size, index["ours"], index["theirs"], "µs a document"),
        row(peer.name, "index, engine alone", size, index["alone"], index["theirs"], "µs a document"),
    ]
    for kind, queries in corpus.queries.items():
        note = _check(sides, queries[:CHECKED], None)
        found += _asked(sides, kind, queries, None, note)
        for percent in FILTERS if peer.filters else ():
            note = _check(sides, queries[:CHECKED], percent)
            found += _asked(sides, kind, queries, percent, note)
    if peer.main:
        found += _threaded(sides)
    found.append(_added(sides))
    return found


def _asked(sides: Sides, kind: str, queries: Sequence[str], percent: int | None, note: str) -> list[Row]:
    peer, size = sides.peer, len(sides.corpus.texts)
    asked = queries[: peer.queries]
    costs = clock.interleaved(
        {name: [partial(engine.ask, query, percent) for query in asked] for name, engine in sides.engines.items()}
    )
    label = kind if percent is None else f"{kind}, filter {percent} %"
    return [
        row(peer.name, label, size, costs["ours"], costs["theirs"], note=note),
        row(peer.name, f"{label}, engine alone", size, costs["alone"], costs["theirs"]),
    ]


def _threaded(sides: Sides) -> list[Row]:
    """Return the wall time a query takes when one or two threads ask."""
    peer, size = sides.peer, len(sides.corpus.texts)
    kind, queries = next(iter(sides.corpus.queries.items()))
    asked, result = queries[: peer.queries], []
    for threads in (1, 2):
        with ThreadPoolExecutor(threads) as pool:
            best = dict.fromkeys(("ours", "theirs"), math.inf)
            for _ in range(clock.ROUNDS):
                for name in best:
                    engine = sides.engines[name]
                    seconds = clock.wall_seconds(lambda: list(pool.map(engine.ask, asked)))  # noqa: B023 (run at once)
                    best[name] = min(best[name], seconds / len(asked) * 1000)
        label = f"{kind}, {threads} {'thread' if threads == 1 else 'threads'}"
        result.append(row(peer.name, label, size, best["ours"], best["theirs"], "ms of wall time"))
    return result


def _added(sides: Sides) -> Row:
    """Return the cost of adding and finding a document; an engine without additions is rebuilt."""
    peer, size = sides.peer, len(sides.corpus.texts)
    queries = next(iter(sides.corpus.queries.values()))

    def cost(name: str, number: int) -> float:
        engine, text = sides.engines[name], sides.corpus.texts[number]

        def action() -> None:
            engine.add(size + number, text)
            engine.ask(queries[number])

        return clock.cpu_seconds(action) * 1000

    updates = hasattr(sides.engines["theirs"], "add")
    few = min(ADDED, peer.queries)
    pairs = [(cost("ours", number), cost("theirs", number) if updates else math.nan) for number in range(few)]
    ours, theirs = (median(side) for side in zip(*pairs, strict=True))
    if updates:
        return row(peer.name, "add + query", size, ours, theirs)
    return row(peer.name, "add + query", size, ours, sides.build["theirs"] * 1000, note="it rebuilds its index")


def _check(sides: Sides, queries: Sequence[str], percent: int | None) -> str:
    """Compare the results of some queries, and return the kind of equality.

    :raises AssertionError: results differ that must not.
    """
    for query in queries:
        ours, theirs, alone = (sides.engines[name].ask(query, percent) for name in ("ours", "theirs", "alone"))
        assert _close(ours, alone, 1e-12), query
        _check_filter(sides, theirs, percent)
        if sides.peer.name == "haystack-ai":
            assert _close(ours, theirs, sides.peer.tolerance or 0), query
        elif sides.peer.tolerance is None:
            assert len(theirs) == len(ours), query
            assert all(set(words(text)) & set(words(query)) for text, _ in theirs), query
        else:
            _check_scores(sides, query, theirs)
    if sides.peer.name == "haystack-ai":
        return "same documents and scores"
    return (
        "same formula, scores equal" if sides.peer.tolerance else "as many documents found; its formula is another one"
    )


def _check_filter(sides: Sides, hits: Hits, percent: int | None) -> None:
    for text, _ in hits if percent is not None else ():
        assert percent is not None
        assert sides.corpus.percent[sides.slot_of[text]] < percent


def _check_scores(sides: Sides, query: str, hits: Hits) -> None:
    """Check that the scores are ours, except for the contributions of missing terms."""
    for text, score in hits:
        absent = set(words(query)) - set(words(text))
        ours = sides.engines["alone"].score(query, sides.slot_of[text])
        ours += sum(map(sides.engines["theirs"].absent, absent))
        assert math.isclose(ours, score, rel_tol=sides.peer.tolerance or 0), (query, ours, score)


def _close(one: Hits, other: Hits, share: float) -> bool:
    return len(one) == len(other) and all(
        a == b and math.isclose(x, y, rel_tol=share) for (a, x), (b, y) in zip(one, other, strict=True)
    )
