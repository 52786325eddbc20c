"""The targets for each peer: ratios, the higher the better."""

from typing import NamedTuple

FILTERS = (1, 10, 50)
"""Percents of the documents that the filters of keyword searches keep."""


class Target(NamedTuple):
    """A ratio to reach, by the names of its row."""

    against: str
    label: str
    size: int
    ratio: float
    stretch: float | None = None


class Limit(NamedTuple):
    """A number to stay below."""

    label: str
    size: int
    most: float
    stretch: float | None
    unit: str


LIMITS = [
    Limit("add + query", 1_000_000, 1.5, None, "ms"),
    Limit("memory: keyword index and ids", 1_000_000, 450, 350, "MB"),
    Limit("documents written", 1_000_000, 60, 30, "s"),
    Limit("local: open + first query", 1_000_000, 300, None, "ms of wall time"),
]

SIZES = (10_000, 100_000, 1_000_000)
SCIFACT_SIZE = 5183
LOCAL = [
    Target("the in-memory store", "local: natural", 1_000_000, 1 / 1.3),
    *(Target("bare SQLite", "local: synced write", size, 1 / 1.5) for size in SIZES),
    *(Target("bare SQLite", f"local: bulk, {time}", size, 0.5) for time in ("CPU", "wall") for size in SIZES),
    *(
        Target("limit", f"local: {kind}, more than in memory", size, 1)
        for kind in ("natural", "keyword")
        for size in SIZES
        if (kind, size) != ("natural", 1_000_000)
    ),
    *(Target("limit", "local: keyword index on disk", size, 1) for size in (*SIZES, SCIFACT_SIZE)),
]
"""The local store: a query may cost 1.3 times the one in memory, or .15 ms more; a commit 1.5 times
a bare one; bulk may take twice as long as bare inserts; the index .7 times as much disk as the
texts."""

STANDARD = "`standard`"
WORDS = [
    Target("bm25s", "English: natural", 1_000_000, 3),
    Target("tantivy", "English: natural", 1_000_000, 2.5),
    Target("tantivy", "English: keyword", 1_000_000, 2),
    Target(STANDARD, "English: index", 1_000_000, 0.75),
]
"""The analyzer `english` and the scores of a knowledge base, beside engines with stems, and beside
the analyzer `standard`."""

WITHOUT_WRITER = "without the writer"
READERS = "light queries beside a slow one and a writer"
"""A writer may make the 99th percentile of light queries three times as long."""

MERGE_HITS = 10_000
MERGE_PATTERNS = ("spread", "clustered", "below one node")
MERGE_RULES = ("children", "text", "hichunk")
TRACED = ("search", "search, merge", "search, merge, follow", "search, merge, follow, window")
EXPLAINED = [
    *(
        Target("limit", f"merge {MERGE_HITS:,} hits: {pattern}, {rule}", 1_000_000, 1)
        for pattern in MERGE_PATTERNS
        for rule in MERGE_RULES
    ),
    *(Target("limit", f"merge {MERGE_HITS:,} hits: {pattern}, requests", 1_000_000, 1) for pattern in MERGE_PATTERNS),
    *(Target("limit", f"tracing on: {way}", size, 1) for way in TRACED for size in SIZES[:2]),
    *(Target("limit", "tracing off: a stage", size, 1) for size in SIZES[:2]),
]
"""A merge may take 100 ms besides the store's time, and a request a level; a trace a tenth of a
query or 50 µs.
"""

STRUCTURE = {
    "filter: 1 source (100 found)": 300,
    "filter: 1 % found": 300,
    "filter: 3 conditions (1 to 20 found)": 300,
    "filter: 3 wide conditions (few found)": 300,
    "filter: number range (.1 % found)": 300,
    "filter: date range (.3 % found)": 300,
    "auto-merging, 20 hits in 5 parents": 300,
    "windows, 10 hits": 1000,
}

VECTORS = ("texts", "clusters", "many clusters", "random")
"""Kinds of vectors: embeddings of passages, around a hundred centres, around thousands widely
spread, without any order.
"""

TARGETS = [
    *(Target("haystack-ai", kind, 10_000, 500) for kind in ("natural", "keyword")),
    *(Target("haystack-ai", kind, 100_000, 2000, 5000) for kind in ("natural", "keyword")),
    *(Target("haystack-ai", label, 100_000, ratio) for label, ratio in STRUCTURE.items()),
    Target("haystack-ai", "embedding", 10_000, 50),
    Target("bm25s", "natural", 1_000_000, 3, 4),
    Target("bm25s", "keyword", 1_000_000, 3, 5),
    *(
        Target("bm25s", f"{kind}, filter {percent} %", 1_000_000, 2.5, 3)
        for kind in ("natural", "keyword")
        for percent in FILTERS
    ),
    Target("bm25s", "index", 1_000_000, 10),
    Target("tantivy", "natural", 1_000_000, 2.5, 4),
    Target("tantivy", "keyword", 1_000_000, 1, 1.4),
    *(Target("tantivy", f"natural, filter {percent} %", 1_000_000, 2) for percent in FILTERS),
    Target("tantivy", "index", 1_000_000, 3),
    Target("SQLite FTS5", "natural", 100_000, 50),
    Target("SQLite FTS5", "keyword", 100_000, 20),
    Target("LanceDB", "natural", 100_000, 20),
    Target("LanceDB", "keyword", 100_000, 20),
    Target("PISA", "natural", 100_000, 1, 2),
    Target("PISA", "keyword", 100_000, 1, 2),
    *(Target("numpy, float32", f"exact vectors, {data}", 100_000, 1.5, 3) for data in VECTORS),
    *(
        Target("numpy, float32", f"ANN, {data}{under}", 100_000, 10)
        for data in VECTORS
        for under in ("", ", filter 1 %")
    ),
    *WORDS,
    *LOCAL,
    *(Target(WITHOUT_WRITER, f"{READERS}, p99", size, 1 / 3) for size in SIZES[:2]),
    *(
        Target("limit", f"ANN, recall@10, {data}{under}", 100_000, 1)
        for data in VECTORS
        for under in ("", ", filter 1 %")
    ),
    *(
        Target("limit", limit.label, limit.size, 1, limit.stretch and round(limit.most / limit.stretch, 2))
        for limit in LIMITS
    ),
    *EXPLAINED,
]
_BY_NAMES = {(target.against, target.label, target.size): target for target in TARGETS}


def target_of(against: str, label: str, size: int) -> Target | None:
    """Return the target of a row, if it has one."""
    return _BY_NAMES.get((against, label, size))
