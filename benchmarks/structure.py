"""Filters, merging, windows, links and vectors through the public API, Spaniel beside haystack-ai,
with equal results.
"""

import random
from collections.abc import Callable
from typing import Any

import haystack
import haystack.components.retrievers
import haystack.components.retrievers.in_memory
import haystack.document_stores.in_memory

import spaniel
import spaniel.components.retrievers
import spaniel.components.retrievers.in_memory
import spaniel.document_stores.in_memory
from benchmarks import clock
from benchmarks.corpus import corpus
from benchmarks.rows import Row, row

SIBLINGS, SOURCE, SIZE = 8, 100, 384
"""Leaves of a parent, leaves of a source, numbers of an embedding."""
ROUNDS = 5
Call = Callable[["Side"], Any]


def leaves_and_parents(leaves: int, texts: list[str], *, vectors: bool = False) -> list[dict[str, Any]]:
    """Return the documents as arguments: leaves, then their parents."""
    rng = random.Random(3)
    made = []
    for leaf in range(leaves):
        meta = {
            "source_id": f"source{leaf // SOURCE}",
            "split_id": leaf % SOURCE,
            "__parent_id": f"parent{leaf // SIBLINGS}",
            "__children_ids": [],
            "__level": 1,
            "__block_size": 80,
            "percent": leaf % 100,
            "lang": rng.choice(["en", "de", "fr", "it"]),
            "year": rng.randint(1990, 2025),
            "price": rng.random() * 100,
            "published": f"{rng.randint(2000, 2025)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T10:00:00",
            "url": f"https://{rng.choice('abc')}.example/{leaf}",
            "tags": rng.sample(["red", "green", "blue", "grey", "pink"], 2),
            "cites": [f"leaf{rng.randrange(leaves)}" for _ in range(3)],
        }
        embedding = [rng.gauss(0, 1) for _ in range(SIZE)] if vectors else None
        made.append({"id": f"leaf{leaf}", "content": texts[leaf], "meta": meta, "embedding": embedding})
    for parent in range(leaves // SIBLINGS):
        children = [f"leaf{parent * SIBLINGS + place}" for place in range(SIBLINGS)]
        meta = {"__parent_id": None, "__children_ids": children, "__level": 0, "__block_size": 640}
        made.append({"id": f"parent{parent}", "content": None, "meta": meta})
    return made


class Side:
    """One package with its store and retrievers."""

    def __init__(self, package: Any, documents: list[dict[str, Any]]) -> None:
        self.package = package
        self.store = package.document_stores.in_memory.InMemoryDocumentStore(shared=False, return_embedding=False)
        self.store.write_documents([package.Document(**document) for document in documents])
        retrievers = package.components.retrievers
        self.filter = retrievers.FilterRetriever(self.store)
        self.merge = retrievers.AutoMergingRetriever(self.store, threshold=0.4)
        self.window = retrievers.SentenceWindowRetriever(self.store, window_size=3)
        self.bm25 = retrievers.in_memory.InMemoryBM25Retriever(self.store)
        self.embedding = retrievers.in_memory.InMemoryEmbeddingRetriever(self.store)

    def hits(self, documents: list[dict[str, Any]], numbers: list[int]) -> list[Any]:
        """Return leaves as hits."""
        return [self.package.Document(**documents[number], score=1.0 / (1 + number)) for number in numbers]


def where(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": f"meta.{field}", "operator": operator, "value": value}


def every(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "AND", "conditions": list(conditions)}


FILTERS = {
    "filter: 1 source (100 found)": where("source_id", "==", "source7"),
    "filter: 1 % found": where("percent", "==", 42),
    "filter: 3 conditions (1 to 20 found)": every(
        where("source_id", "in", ["source7", "source8"]), where("lang", "==", "de"), where("year", ">=", 2010)
    ),
    "filter: 3 wide conditions (few found)": every(
        where("lang", "!=", "de"), where("year", ">=", 2024), where("price", "<", 0.5)
    ),
    "filter: number range (.1 % found)": every(where("price", ">=", 50), where("price", "<", 50.1)),
    "filter: date range (.3 % found)": every(
        where("published", ">=", "2010-03-01"), where("published", "<", "2010-04-01")
    ),
}
TEXT_FILTERS = {
    "contains: text": where("url", "contains", "/777"),
    "starts with": where("url", "starts with", "https://a.example/999"),
    "like": where("url", "like", "%.example/5_5"),
    "contains: list, 2 conditions": every(where("tags", "contains all", ["red", "pink"]), where("percent", "==", 3)),
}


def rows(leaves: int) -> list[Row]:
    """Return the cost of filters, merging, windows and links."""
    documents = leaves_and_parents(leaves, corpus(leaves).texts)
    ours, theirs = Side(spaniel, documents), Side(haystack, documents)
    clock.settle()
    apart = leaves // 5
    children = [parent * apart // SIBLINGS * SIBLINGS + child for parent in range(5) for child in range(4)]
    spread = [leaves // 10 * hit + 50 for hit in range(10)]
    mergeable = {side: side.hits(documents, children) for side in (ours, theirs)}
    sentences = {side: side.hits(documents, spread) for side in (ours, theirs)}
    links = spaniel.components.retrievers.RecursiveRetriever(ours.store, "id", ["cites"], depth=2, top_k=50)
    ids = [f"leaf{number}" for number in spread]
    merge: Call = lambda side: side.merge.run(documents=mergeable[side])  # noqa: E731 (a table of calls)
    window: Call = lambda side: side.window.run(retrieved_documents=sentences[side])  # noqa: E731
    return [
        *(beside(ours, theirs, leaves, label, _filtering(filters)) for label, filters in FILTERS.items()),
        *(alone(ours, leaves, label, _filtering(filters)) for label, filters in TEXT_FILTERS.items()),
        beside(ours, theirs, leaves, "auto-merging, 20 hits in 5 parents", merge, as_set),
        beside(ours, theirs, leaves, "windows, 10 hits", window, windows_of),
        alone(ours, leaves, "recursive, 10 hits, 2 hops", lambda side: links.run(documents=sentences[side])),
        alone(ours, leaves, "get_documents_by_id, 10", lambda side: side.store.get_documents_by_id(ids)),
    ]


def embedding_rows(leaves: int) -> list[Row]:
    """Return the cost of vector search."""
    documents = leaves_and_parents(leaves, corpus(leaves).texts, vectors=True)[:leaves]
    ours, theirs = Side(spaniel, documents), Side(haystack, documents)
    clock.settle()
    query = [random.Random(5).gauss(0, 1) for _ in range(SIZE)]
    narrow = where("percent", "<", 10)
    return [
        beside(ours, theirs, leaves, "embedding", lambda side: side.embedding.run(query_embedding=query)),
        beside(
            ours,
            theirs,
            leaves,
            "embedding, filter 10 %",
            lambda side: side.embedding.run(query_embedding=query, filters=narrow),
        ),
    ]


def _filtering(filters: dict[str, Any]) -> Call:
    return lambda side: side.filter.run(filters=filters)


def ids_of(result: Any) -> Any:
    return [document.id for document in result["documents"]]


def as_set(result: Any) -> Any:
    """Haystack's order of merged parents is not that of their scores."""
    return sorted(ids_of(result))


def windows_of(result: Any) -> Any:
    return result["context_windows"], [document.id for document in result["context_documents"]]


def beside(ours: Side, theirs: Side, leaves: int, label: str, call: Call, ids: Callable[[Any], Any] = ids_of) -> Row:
    """Return a row of both sides, which must find the same."""
    assert ids(call(ours)) == ids(call(theirs)), label
    costs = clock.interleaved({"ours": [lambda: call(ours)], "theirs": [lambda: call(theirs)]}, ROUNDS)
    return row("haystack-ai", label, leaves, costs["ours"], costs["theirs"], note="same documents")


def alone(ours: Side, leaves: int, label: str, call: Call) -> Row:
    """Return a row of something that Haystack does not have."""
    call(ours)
    return row("alone", label, leaves, clock.interleaved({"ours": [lambda: call(ours)]}, ROUNDS)["ours"], None)
