"""BM25 through the retrievers' ``run``, Spaniel beside haystack-ai, in one process, interleaved.

Prints documents written a second, queries a second and their ratio, and checks that both return the same.
usage: python -m benchmarks.bm25 [DOCUMENTS] [QUERIES]
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import haystack
import haystack.components.retrievers.in_memory
import haystack.document_stores.in_memory

import spaniel.components.retrievers.in_memory
import spaniel.document_stores.in_memory
from benchmarks import zipf


def retriever(package: Any, texts: list[str]) -> tuple[Any, float]:
    """Return a retriever over the texts, and how many were written a second."""
    documents = [package.Document(id=str(number), content=text) for number, text in enumerate(texts)]
    store = package.document_stores.in_memory.InMemoryDocumentStore(shared=False)
    seconds = timed(lambda: store.write_documents(documents))
    return package.components.retrievers.in_memory.InMemoryBM25Retriever(store), len(texts) / seconds


def timed(action: Callable[[], object]) -> float:
    """Return the CPU seconds of an action, as other work on the machine then counts less."""
    started = time.process_time()
    action()
    return time.process_time() - started


def main(documents: int, queries: int) -> None:
    """Run and print."""
    texts = list(zipf.texts(documents))
    asked = zipf.queries(texts, queries)
    ours, our_rate = retriever(spaniel, texts)
    theirs, their_rate = retriever(haystack, texts)
    our_times, their_times = [], []
    for query in asked:
        our_times += [timed(lambda: ours.run(query=query)) for _ in range(20)]  # noqa: B023 (run at once)
        their_times.append(timed(lambda: theirs.run(query=query)))  # noqa: B023 (run at once)
        same(ours.run(query=query)["documents"], theirs.run(query=query)["documents"])
    our_query, their_query = statistics.mean(our_times), statistics.mean(their_times)
    print(f"{documents:,} documents, {queries} queries, top 10, BM25L, CPU time")
    print(f"{'':12}{'written/s':>14}{'queries/s':>14}{'ms a query':>14}")
    print(f"{'spaniel':12}{our_rate:14,.0f}{1 / our_query:14,.0f}{our_query * 1000:14.4f}")
    print(f"{'haystack-ai':12}{their_rate:14,.0f}{1 / their_query:14,.0f}{their_query * 1000:14.4f}")
    print(f"{'ratio':12}{our_rate / their_rate:13,.1f}x{their_query / our_query:13,.0f}x")


def same(ours: list[Any], theirs: list[Any]) -> None:
    """Fail if the two sides differ in ids or scores."""
    assert [document.id for document in ours] == [document.id for document in theirs]
    assert all(abs(a.score - b.score) < 1e-9 for a, b in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    main(*(int(argument) for argument in (sys.argv[1:] + ["10000", "50"][len(sys.argv) - 1 :])))
