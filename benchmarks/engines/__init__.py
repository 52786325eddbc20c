"""Keyword engines behind one interface: build from texts, then ask for the texts of the ten best."""

from typing import Any, NamedTuple, Protocol

from benchmarks.corpus import Corpus
from benchmarks.engines.databases import DuckDb, Fts5, Lance
from benchmarks.engines.in_python import Bm25s, Haystack, RankBm25
from benchmarks.engines.native import Pisa, Tantivy
from benchmarks.engines.ours import Index, Store

Hits = list[tuple[str, float]]
"""Texts and scores, best first."""


class Engine(Protocol):
    """A built index. One that can take more documents also has `add(number, text)`."""

    def __init__(self, corpus: Corpus) -> None: ...
    def ask(self, query: str, percent: int | None = None) -> Hits:
        """Return the best documents, among those of the first `percent` if given."""


class Peer(NamedTuple):
    """An engine to measure against."""

    name: str
    engine: type[Any]
    most: int
    """The most documents it is asked to index: beyond, a run takes too long."""
    queries: int
    """Number of queries per kind; low for slow engines."""
    filters: bool = False
    main: bool = False
    """True if it is also measured with two threads, on real text and in short runs; threads share
    an object.
    """
    tolerance: float | None = None
    """Maximum relative difference of its scores from Spaniel's; None if its formula differs."""


PEERS = {
    "haystack": Peer("haystack-ai", Haystack, 100_000, 10, filters=True, main=True, tolerance=1e-9),
    "bm25s": Peer("bm25s", Bm25s, 1_000_000, 200, filters=True, main=True, tolerance=1e-5),
    "tantivy": Peer("tantivy", Tantivy, 1_000_000, 200, filters=True, main=True),
    "fts5": Peer("SQLite FTS5", Fts5, 100_000, 30, filters=True),
    "lancedb": Peer("LanceDB", Lance, 100_000, 30, filters=True),
    "duckdb": Peer("DuckDB FTS", DuckDb, 100_000, 5),
    "pisa": Peer("PISA", Pisa, 100_000, 200),
    "rank_bm25": Peer("rank_bm25", RankBm25, 10_000, 10),
}

__all__ = ["PEERS", "Engine", "Hits", "Index", "Peer", "Store"]
