"""Search by the forms and fields of English words, as in a knowledge base, beside other engines."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks import clock
from benchmarks.corpus import Corpus, corpus, repeated_scifact
from benchmarks.engines.stemmed import STEMMED_PEERS, StandardStore, StemmedStore
from benchmarks.rows import Row, row
from benchmarks.targets import STANDARD

CHECKED = 10
_LABEL = "English"


def rows(peer: str, size: int) -> list[Row]:
    """Return the rows of one size beside another engine."""
    return _measure(peer, corpus(size), _LABEL)


def scifact_rows(peer: str, size: int) -> list[Row]:
    """Return the rows of abstracts, repeated up to a size, beside another engine."""
    real = repeated_scifact(size)
    if real is None:
        raise FileNotFoundError("SciFact is not at hand")
    return _measure(peer, real, f"{_LABEL}, SciFact repeated")


def index_rows(size: int) -> list[Row]:
    """Return the cost of indexing beside the analyzer `standard`: the best of two rounds."""
    made = corpus(size)
    best: dict[str, float] = {}
    for _ in range(2):
        for name, engine in (("ours", StemmedStore), ("theirs", StandardStore)):
            clock.settle()
            best[name] = min(best.get(name, float("inf")), clock.cpu_seconds(partial(engine, made)))
    costs = {name: seconds / size * 1e6 for name, seconds in best.items()}
    return [row(STANDARD, f"{_LABEL}: index", size, costs["ours"], costs["theirs"], "µs a document")]


def _measure(peer: str, made: Corpus, label: str) -> list[Row]:
    engines: Mapping[str, Callable[[Corpus], Any]] = {"ours": StemmedStore, "theirs": STEMMED_PEERS[peer]}
    size, built, build = len(made.texts), {}, {}
    small = Corpus(made.texts[:100], made.percent[:100], {}, made.titles and made.titles[:100])
    for name, engine in engines.items():
        engine(small).ask("first query")  # so that importing is not measured
        clock.settle()
        build[name] = clock.cpu_seconds(lambda: built.update({name: engine(made)})) / size * 1e6  # noqa: B023 (run at once)
    clock.settle()
    found = [row(peer, f"{label}: index", size, build["ours"], build["theirs"], "µs a document")]
    for kind, queries in made.queries.items():
        for query in queries[:CHECKED]:
            assert len({len(each.ask(query)) for each in built.values()}) == 1, query
        costs = clock.interleaved(
            {name: [partial(each.ask, query) for query in queries] for name, each in built.items()}
        )
        note = "as many documents found; its formula is another one"
        found.append(row(peer, f"{label}: {kind}", size, costs["ours"], costs["theirs"], note=note))
    return found
