"""The local store beside bare SQLite and the in-memory store, in one process, interleaved.

Prints CPU seconds of writing, milliseconds of a synced write, of a query, and of opening the folder with a first query.
usage: python -m benchmarks.local_store [DOCUMENTS] [FOLDER]
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from benchmarks import corpus
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore

WRITES, QUERIES, BATCH = 200, 300, 1000
TABLE = "CREATE TABLE documents (slot INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, meta TEXT, content TEXT)"
INSERT = "INSERT INTO documents VALUES (?, ?, ?, ?)"


def timed(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    started = clock()
    result = call()
    return clock() - started, result


def sample(count: int) -> list[Document]:
    """Return documents with metadata of a usual size."""
    texts = corpus.corpus(count).texts
    metas = ({"source_id": f"s{n // 10}", "split_id": n % 10, "path": f"docs/{n // 100}.md"} for n in range(count))
    return [Document(content=text, meta=meta) for text, meta in zip(texts, metas, strict=True)]


def bare_database(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536").fetchall()
    connection.execute(TABLE)
    return connection


def insert(connection: apsw.Connection, rows: list[tuple[Any, ...]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(INSERT, rows)
    connection.execute("COMMIT")


def bulk(documents: list[Document], bare: apsw.Connection, store: LocalDocumentStore) -> None:
    """Print what writing all takes: rows alone in transactions of 1,000, and the store with its index."""
    rows = [(n, each.id, json.dumps(each.meta), each.content) for n, each in enumerate(documents)]
    batches = [rows[n : n + BATCH] for n in range(0, len(rows), BATCH)]
    alone, _ = timed(lambda: list(map(partial(insert, bare), batches)))
    ours, _ = timed(lambda: store.write_documents(documents))
    print(f"bulk: bare inserts {alone:.2f} s CPU, store with index {ours:.2f} s ({alone / ours:.2f}x)")


def single(bare: apsw.Connection, store: LocalDocumentStore, first: int) -> None:
    """Print what one synced write takes on the clock."""
    alone, ours = [], []
    for n in range(WRITES):
        text = f"a short note {n}"
        alone.append(timed(lambda: insert(bare, [(first + n, f"x{n}", "{}", text)]), time.perf_counter)[0])  # noqa: B023 (run at once)
        ours.append(timed(lambda: store.write_documents([Document(id=f"x{n}", content=text)]), time.perf_counter)[0])  # noqa: B023
    milliseconds = [statistics.median(each) * 1000 for each in (alone, ours)]
    print(
        f"synced write: bare {milliseconds[0]:.2f} ms, store {milliseconds[1]:.2f} ms "
        f"({milliseconds[1] / milliseconds[0]:.2f}x)"
    )


def queries(documents: list[Document], store: LocalDocumentStore) -> None:
    """Print what a query takes beside the in-memory store; both return the same."""
    memory = InMemoryDocumentStore(shared=False)
    memory.write_documents(store.filter_documents())
    step = max(1, len(documents) // QUERIES)
    times: dict[str, list[float]] = {"local": [], "memory": []}
    for document in documents[::step]:
        query = " ".join((document.content or "").split()[:5])
        local, found = timed(lambda: store.bm25_retrieval(query))  # noqa: B023 (run at once)
        in_memory, expected = timed(lambda: memory.bm25_retrieval(query))  # noqa: B023
        assert [(each.id, each.score) for each in found] == [(each.id, each.score) for each in expected]
        times["local"].append(local)
        times["memory"].append(in_memory)
    local, in_memory = (statistics.mean(each) * 1000 for each in times.values())
    print(f"query: local {local:.3f} ms CPU, in memory {in_memory:.3f} ms ({local - in_memory:+.3f} ms)")


def opening(folder: Path, query: str) -> None:
    """Print what opening the folder and a first query take on the clock."""

    def first() -> None:
        with LocalDocumentStore(folder) as store:
            assert store.bm25_retrieval(query)

    print(f"open and first query: {min(timed(first, time.perf_counter)[0] for _ in range(3)) * 1000:.1f} ms")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as place:
        documents, folder = sample(count), Path(place) / "kb"
        bare, store = bare_database(Path(place) / "bare.db"), LocalDocumentStore(folder)
        bulk(documents, bare, store)
        single(bare, store, count)
        queries(documents, store)
        store.close()
        opening(folder, " ".join((documents[0].content or "").split()[:5]))


if __name__ == "__main__":
    main()
