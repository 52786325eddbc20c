"""Spaniel alone, at growing sizes: the cost of writing, searching and adding, and memory."""

import multiprocessing
from collections.abc import Callable
from functools import partial
from statistics import median

from benchmarks import clock
from benchmarks.corpus import Corpus, corpus
from benchmarks.engines import Index, Store
from benchmarks.rows import Row, limited, row

ADDED = 50


def rows(size: int) -> list[Row]:
    """Return everything at one size."""
    return [*_memory(size), *_costs(size, corpus(size))]


def _memory(size: int) -> list[Row]:
    """Return the megabytes of the keyword index with a mapping of ids, and of a store beyond its
    documents.
    """
    taken = {label: _in_fresh_process(label, size) for label in ("texts", "index", "documents", "store")}
    index, store = taken["index"] - taken["texts"], taken["store"] - taken["documents"]
    note = f"a store takes {taken['store']:,.0f} MB, a list of its documents {taken['documents']:,.0f} MB"
    return [
        *limited(size, "memory: keyword index and ids", index, "beyond texts and ids", "MB"),
        *limited(size, "memory: store beyond its documents", store, note, "MB"),
    ]


def _in_fresh_process(label: str, size: int) -> float:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(resident_after, (label, size))


def resident_after(label: str, size: int) -> float:
    """Return the megabytes of a process that has made one thing, and has the texts only as far as
    it keeps them.
    """
    from spaniel import Document
    from spaniel.document_stores.in_memory import InMemoryDocumentStore

    del InMemoryDocumentStore  # imported, as every side counts it
    made = corpus(size)
    ids = [str(number) for number in range(size)]
    make: dict[str, Callable[[], object]] = {
        "texts": lambda: ids,
        "documents": lambda: [
            Document(id=id, content=text, meta={"percent": percent})
            for id, text, percent in zip(ids, made.texts, made.percent.tolist(), strict=True)
        ],
        "index": lambda: (Index(made), dict(zip(ids, range(size), strict=True))),
        "store": lambda: Store(made),
    }
    kept = make[label]()
    if label in {"documents", "store"}:
        made.texts.clear()
        ids.clear()
    megabytes = clock.resident_megabytes()
    del kept
    return megabytes


def _costs(size: int, made: Corpus) -> list[Row]:
    texts = list(made.texts)
    clock.settle()
    stores: list[Store] = []
    seconds = clock.cpu_seconds(lambda: stores.append(Store(made)))
    store = stores[0]
    clock.settle()
    result = limited(size, "documents written", seconds, "making the documents is included", "s")
    for kind, queries in made.queries.items():
        for percent in (None, 10):
            actions = [partial(store.ask, query, percent) for query in queries]
            cost = clock.interleaved({"ours": actions})["ours"]
            result.append(row("alone", kind if percent is None else f"{kind}, filter {percent} %", size, cost, None))
    added = median(clock.cpu_seconds(lambda: _add(store, size, number, texts, made)) for number in range(ADDED))  # noqa: B023 (run at once)
    return [*result, *limited(size, "add + query", added * 1000, "", "ms")]


def _add(store: Store, size: int, number: int, texts: list[str], made: Corpus) -> None:
    store.add(size + number, texts[number])
    store.ask(made.queries["natural"][number])
