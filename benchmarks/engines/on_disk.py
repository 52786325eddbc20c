"""Engines that keep documents on disk: made in a folder from texts, or opened where they were made."""

import sqlite3
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.corpus import Corpus
from benchmarks.engines.databases import Fts5, Lance
from benchmarks.engines.ours import Store


class OnDisk(Protocol):
    """An engine in a folder."""

    def __init__(self, folder: Path, corpus: Corpus | None = None) -> None:
        """Open the index; with a corpus, build it first."""

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:
        """Return the ten best documents."""

    def close(self) -> None:
        """Let go of all files."""


class Local(Store):
    """The local store and its public methods."""

    def __init__(self, folder: Path, corpus: Corpus | None = None) -> None:
        from spaniel.document_stores.local import LocalDocumentStore

        self.store = LocalDocumentStore(folder)
        if corpus:
            self._fill(corpus)

    def close(self) -> None:  # noqa: D102 (see OnDisk)
        self.store.close()


class Fts5File(Fts5):
    """SQLite's FTS5 in a file, synced at each commit."""

    def __init__(self, folder: Path, corpus: Corpus | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.connection = sqlite3.connect(folder / "documents.db")
        self.connection.execute("PRAGMA journal_mode = WAL").fetchall()
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("PRAGMA cache_size = -65536")
        if corpus:
            self._fill(corpus)

    def close(self) -> None:  # noqa: D102 (see OnDisk)
        self.connection.close()


class LanceFolder(Lance):
    """LanceDB's full-text search in a folder that can be opened again."""

    def __init__(self, folder: Path, corpus: Corpus | None = None) -> None:
        connection = self._connection(str(folder))
        self.table = self._filled(connection, corpus) if corpus else connection.open_table("documents")

    def close(self) -> None:  # noqa: D102 (see OnDisk)
        del self.table


class DiskPeer(NamedTuple):
    """An engine on disk to measure against."""

    name: str
    engine: type[OnDisk]
    note: str


DISK_PEERS = {
    "fts5": DiskPeer("SQLite FTS5, on disk", Fts5File, "it syncs too"),
    "lancedb": DiskPeer("LanceDB, on disk", LanceFolder, "it does not sync"),
}
