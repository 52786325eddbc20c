"""Filters, merging, windows, links and vectors through the public API, Spaniel beside haystack-ai, in one process.

Prints the CPU milliseconds of a call and their ratio, and checks that both return the same.
usage: python -m benchmarks.structure [LEAVES]...
"""

import gc
import random
import sys
import time
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
from benchmarks import zipf

SIBLINGS, SOURCE, SIZE = 8, 100, 384
"""Leaves of a parent, leaves of a source, numbers of an embedding."""
MOST_VECTORS = 10_000  # more take Haystack seconds a query, and gigabytes of Python floats
OUR_ROUNDS, THEIR_SECONDS = 30, 2.0


def corpus(leaves: int, texts: list[str], vectors: bool) -> list[dict[str, Any]]:
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


def rows(ours: Side, theirs: Side, documents: list[dict[str, Any]], leaves: int, asked: str) -> None:
    """Print every row."""

    def both(name: str, call: Callable[[Side], Any], ids: Callable[[Any], Any] = ids_of) -> None:
        compare(name, lambda: call(ours), lambda: call(theirs), ids)

    for name, filters in FILTERS.items():
        both(name, lambda side: side.filter.run(filters=filters))  # noqa: B023 (run at once)
    for name, filters in TEXT_FILTERS.items():
        alone(name, lambda: ours.filter.run(filters=filters))  # noqa: B023 (run at once)
    apart = leaves // 5
    children = [parent * apart // SIBLINGS * SIBLINGS + child for parent in range(5) for child in range(4)]
    spread = [leaves // 10 * hit + 50 for hit in range(10)]
    mergeable = {side: side.hits(documents, children) for side in (ours, theirs)}
    sentences = {side: side.hits(documents, spread) for side in (ours, theirs)}
    both("auto-merging, 20 hits in 5 parents", lambda side: side.merge.run(documents=mergeable[side]), as_set)
    both("windows, 10 hits", lambda side: side.window.run(retrieved_documents=sentences[side]), windows_of)
    links = spaniel.components.retrievers.RecursiveRetriever(ours.store, "id", ["cites"], depth=2, top_k=50)
    alone("recursive, 10 hits, 2 hops", lambda: links.run(documents=sentences[ours]))
    ids = [f"leaf{number}" for number in spread]
    alone("get_documents_by_id, 10", lambda: ours.store.get_documents_by_id(ids))
    both("BM25", lambda side: side.bm25.run(query=asked))
    for percent in (1, 10, 50):
        narrow = where("percent", "<", percent)
        both(f"BM25, filter {percent} %", lambda side: side.bm25.run(query=asked, filters=narrow))  # noqa: B023
    if leaves <= MOST_VECTORS:
        query = [random.Random(5).gauss(0, 1) for _ in range(SIZE)]
        both("embedding, 384 numbers", lambda side: side.embedding.run(query_embedding=query))
        narrow = where("percent", "<", 10)
        both("embedding, filter 10 %", lambda side: side.embedding.run(query_embedding=query, filters=narrow))


def ids_of(result: Any) -> Any:
    return [document.id for document in result["documents"]]


def as_set(result: Any) -> Any:
    """Haystack's order of merged parents is not that of their scores."""
    return sorted(ids_of(result))


def windows_of(result: Any) -> Any:
    return result["context_windows"], [document.id for document in result["context_documents"]]


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], ids: Callable[[Any], Any]) -> None:
    assert ids(ours()) == ids(theirs()), name
    our_time, their_time = timed(ours, OUR_ROUNDS), timed(theirs, 5)
    print(f"{name:40}{our_time:12.3f}{their_time:12.1f}{their_time / our_time:10,.0f}x", flush=True)


def alone(name: str, call: Callable[[], Any]) -> None:
    call()
    print(f"{name:40}{timed(call, OUR_ROUNDS):12.3f}", flush=True)


def timed(call: Callable[[], Any], rounds: int) -> float:
    """Return the CPU milliseconds of a call: the mean of as many rounds as there is time for."""
    started, done = time.process_time(), 0
    while done < rounds and time.process_time() - started < THEIR_SECONDS:
        call()
        done += 1
    return (time.process_time() - started) * 1000 / done


def main(sizes: list[int]) -> None:
    """Run and print."""
    for leaves in sizes:
        texts = list(zipf.texts(leaves))
        documents = corpus(leaves, texts, leaves <= MOST_VECTORS)
        print(f"{leaves:,} leaves, {leaves // SIBLINGS:,} parents; CPU milliseconds a call")
        print(f"{'':40}{'spaniel':>12}{'haystack-ai':>12}{'ratio':>11}")
        ours, theirs = Side(spaniel, documents), Side(haystack, documents)
        gc.freeze()  # or the collector walks the documents of both, now and then, at the cost of whoever allocates
        rows(ours, theirs, documents, leaves, zipf.queries(texts, 1)[0])


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000])
