"""The local store beside bare SQLite, the in-memory store, and other engines on disk, in one
process, interleaved.
"""

import json
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from benchmarks import clock
from benchmarks.corpus import Corpus, corpus, scifact
from benchmarks.engines.on_disk import DISK_PEERS, Local, OnDisk
from benchmarks.rows import Row, limited, row, surplus
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore

WRITES, BATCH, CHECKED, OPENED, PEER_QUERIES = 200, 1000, 10, 5, 30
ROUNDS, FEW = 3, 100_000
"""Of bulk; one round where there are more documents than a few."""
MORE, SHARE = 0.15, 0.7
"""Milliseconds that a query may take more than in memory; the keyword index on disk beside the
texts.
"""
TABLE = (
    "CREATE TABLE IF NOT EXISTS documents (slot INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, meta TEXT, content TEXT)"
)
INSERT = "INSERT INTO documents VALUES (?, ?, ?, ?)"
WALL = "ms of wall time"


def rows(size: int) -> list[Row]:
    """Return the cost of writing, searching and opening at one size, and the size on disk."""
    made = corpus(size)
    documents = _documents(made)
    with _place() as place:
        result = _bulk(documents, place, size)
        opening = min(_opened(Local, place / "kb", made.queries["natural"][0]) for _ in range(OPENED))
        result += limited(size, "local: open + first query", opening, "files in the cache of the system", WALL)
        bare, store = _bare_database(place / "bare.db"), LocalDocumentStore(place / "kb")
        result += [*_queries(made, documents, store), _single(bare, store, size)]
        store.close()
        bare.close()
        return [*result, _index_on_disk(place / "kb", made)]


def scifact_rows(size: int) -> list[Row]:
    """Return the size on disk of real texts."""
    real = scifact()
    if real is None or len(real.texts) != size:
        raise FileNotFoundError("SciFact is not at hand")
    with _place() as place:
        Local(place, real).close()
        return [_index_on_disk(place, real)]


def peer_rows(peer_name: str, size: int) -> list[Row]:
    """Return the same costs of another engine on disk."""
    peer, made = DISK_PEERS[peer_name], corpus(size)
    small = Corpus(made.texts[:100], made.percent[:100], made.queries)
    with _place() as place:
        folders = {"ours": place / "ours", "theirs": place / "theirs"}
        engines: dict[str, type[OnDisk]] = {"ours": Local, "theirs": peer.engine}
        cpu, wall, opening = {}, {}, {}
        for name, engine in engines.items():
            engine(place / f"small {name}", small).close()  # so that importing is not measured
            cpu[name], wall[name] = _both(lambda: engine(folders[name], made).close())  # noqa: B023 (run at once)
        query = made.queries["natural"][0]
        for name, engine in engines.items():
            opening[name] = min(_opened(engine, folders[name], query) for _ in range(OPENED))
        opened = {name: engine(folders[name]) for name, engine in engines.items()}
        clock.settle()
        result = [
            row(peer.name, "bulk, CPU", size, cpu["ours"], cpu["theirs"], "s", peer.note),
            row(peer.name, "bulk, wall", size, wall["ours"], wall["theirs"], "s", peer.note),
            row(peer.name, "open + first query", size, opening["ours"], opening["theirs"], WALL),
            row(peer.name, "size on disk", size, _megabytes(folders["ours"]), _megabytes(folders["theirs"]), "MB"),
        ]
        for kind, queries in made.queries.items():
            for asked in queries[:CHECKED]:
                assert len({len(each.ask(asked)) for each in opened.values()}) == 1, asked
            costs = clock.interleaved(
                {name: [partial(each.ask, asked) for asked in queries[:PEER_QUERIES]] for name, each in opened.items()}
            )
            result.append(row(peer.name, kind, size, costs["ours"], costs["theirs"], note="as many documents found"))
        for each in opened.values():
            each.close()
        return result


@contextmanager
def _place() -> Iterator[Path]:
    """Yield a folder on a disk: that of temporary files may be in memory."""
    Path(".bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=".bench", prefix="local-") as place:
        yield Path(place).resolve()


def _documents(made: Corpus) -> list[Document]:
    """Return documents with metadata of a usual size."""
    return [
        Document(content=text, meta={"source_id": f"s{n // 10}", "split_id": n % 10, "path": f"docs/{n // 100}.md"})
        for n, text in enumerate(made.texts)
    ]


def _bare_database(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536").fetchall()
    connection.execute(TABLE)
    return connection


def _insert(connection: apsw.Connection, rows: list[tuple[Any, ...]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(INSERT, rows)
    connection.execute("COMMIT")


def _both(action: clock.Action) -> tuple[float, float]:
    """Return the CPU seconds and the seconds of an action."""
    cpu: list[float] = []
    wall = clock.wall_seconds(lambda: cpu.append(clock.cpu_seconds(action)))
    return cpu[0], wall


def _bulk(documents: list[Document], place: Path, size: int) -> list[Row]:
    """Return the cost of writing all documents: bare rows in transactions of 1,000, and the store
    with its index.

    The last files are kept, as `bare.db` and `kb`.
    """
    rows = [(n, each.id, json.dumps(each.meta), each.content) for n, each in enumerate(documents)]
    batches = [rows[n : n + BATCH] for n in range(0, len(rows), BATCH)]
    clock.settle()
    times: dict[str, list[tuple[float, float]]] = {"ours": [], "bare": []}
    for _ in range(ROUNDS if size <= FEW else 1):
        shutil.rmtree(place / "kb", ignore_errors=True)
        for file in place.glob("bare.db*"):
            file.unlink()
        bare, store = _bare_database(place / "bare.db"), LocalDocumentStore(place / "kb")
        times["bare"].append(_both(lambda: list(map(partial(_insert, bare), batches))))  # noqa: B023 (run at once)
        times["ours"].append(_both(lambda: store.write_documents(documents)))  # noqa: B023
        bare.close()
        store.close()
    found = []
    for which, name in enumerate(("CPU", "wall")):
        ours, theirs = (min(pair[which] for pair in times[side]) for side in ("ours", "bare"))
        found.append(row("bare SQLite", f"local: bulk, {name}", size, ours, theirs, "s", "with its index"))
    return found


def _queries(made: Corpus, documents: list[Document], store: LocalDocumentStore) -> list[Row]:
    """Return the cost of a query beside the in-memory store; both return the same."""
    size = len(documents)
    memory = InMemoryDocumentStore(shared=False)
    memory.write_documents(documents)
    clock.settle()
    found = []
    for kind, queries in made.queries.items():
        for query in queries[:CHECKED]:
            ours, theirs = ([(hit.id, hit.score) for hit in each.bm25_retrieval(query)] for each in (store, memory))
            assert ours == theirs, query
        sides = {"ours": store, "memory": memory}
        costs = clock.interleaved(
            {name: [partial(each.bm25_retrieval, query) for query in queries] for name, each in sides.items()}
        )
        more = costs["ours"] - costs["memory"]
        note = f"{costs['ours']:.3g} ms, in memory {costs['memory']:.3g} ms"
        found += [
            row(
                "the in-memory store",
                f"local: {kind}",
                size,
                costs["ours"],
                costs["memory"],
                note="same documents and scores",
            ),
            surplus(f"local: {kind}, more than in memory", size, more, MORE, "ms", note),
        ]
    return found


def _single(bare: apsw.Connection, store: LocalDocumentStore, first: int) -> Row:
    """Return the cost of an fsynced write: the median of several, interleaved."""
    alone, ours = [], []
    for n in range(WRITES):
        text = f"a short note {n}"
        new = [Document(id=f"x{n}", content=text)]
        alone.append(clock.wall_seconds(lambda: _insert(bare, [(first + n, f"x{n}", "{}", text)])))  # noqa: B023 (run at once)
        ours.append(clock.wall_seconds(lambda: store.write_documents(new)))  # noqa: B023
    store_ms, bare_ms = (statistics.median(each) * 1000 for each in (ours, alone))
    return row("bare SQLite", "local: synced write", first, store_ms, bare_ms, WALL, "a commit of one row")


def _opened(engine: type[OnDisk], folder: Path, query: str) -> float:
    """Return the milliseconds of opening a folder and a first query."""
    opened: list[OnDisk] = []

    def first() -> None:
        opened.append(engine(folder))
        assert opened[0].ask(query)

    seconds = clock.wall_seconds(first)
    opened[0].close()
    return seconds * 1000


def _index_on_disk(folder: Path, made: Corpus) -> Row:
    """Return the megabytes of the keyword index, which is to be smaller than the texts."""
    text = sum(len(each.encode()) for each in made.texts) / 1e6
    index = _megabytes(folder / "index")
    note = f"{index / text:.2f} of the {text:.3g} MB of texts; the whole store takes {_megabytes(folder):.3g} MB"
    return row("limit", "local: keyword index on disk", len(made.texts), index, SHARE * text, "MB", note)


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
