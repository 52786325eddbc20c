"""Databases that search texts."""

import importlib.metadata
import os
import sqlite3
import tempfile
from typing import Any

from benchmarks.corpus import Corpus, words

TOP_K = 10


class Fts5:
    """SQLite's FTS5, in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._fill(corpus)

    def _fill(self, corpus: Corpus) -> None:
        self.connection.execute("CREATE VIRTUAL TABLE documents USING fts5(text, percent UNINDEXED, detail='column')")
        rows = zip(corpus.texts, corpus.percent.tolist(), strict=True)
        self.connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        self.connection.commit()

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        condition = "" if percent is None else f"AND percent < {percent}"
        statement = f"SELECT text, rank FROM documents WHERE documents MATCH ? {condition} ORDER BY rank LIMIT {TOP_K}"
        terms = " OR ".join(f'"{term}"' for term in words(query))
        return [(text, -rank) for text, rank in self.connection.execute(statement, [terms])]

    def add(self, number: int, text: str) -> None:
        """Insert and commit one more document."""
        self.connection.execute("INSERT INTO documents VALUES (?, ?)", [text, number % 100])
        self.connection.commit()


class Lance:
    """LanceDB's full-text search, on disk, one thread of computation."""

    def __init__(self, corpus: Corpus) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="spaniel-bench-")
        self.table = self._filled(self._connection(self.folder.name), corpus)

    def _connection(self, folder: str) -> Any:
        os.environ |= {"LANCE_CPU_THREADS": "1", "RUST_LOG": "error"}
        import lancedb

        return lancedb.connect(folder)

    def _filled(self, connection: Any, corpus: Corpus) -> Any:
        from lancedb.index import FTS

        rows = [
            {"text": text, "percent": percent}
            for text, percent in zip(corpus.texts, corpus.percent.tolist(), strict=True)
        ]
        table = connection.create_table("documents", rows)
        table.create_index(
            "text", config=FTS(stem=False, remove_stop_words=False, ascii_folding=False, with_position=False)
        )
        return table

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        search = self.table.search(query, query_type="fts").limit(TOP_K).select(["text", "_score"])
        if percent is not None:
            search = search.where(f"percent < {percent}", prefilter=True)
        return [(found["text"], found["_score"]) for found in search.to_list()]

    def add(self, number: int, text: str) -> None:
        """Add one more document; it is searched without an index."""
        self.table.add([{"text": text, "percent": number % 100}])


class DuckDb:
    """DuckDB's full-text search, in memory, one thread."""

    def __init__(self, corpus: Corpus) -> None:
        import duckdb
        import pyarrow as pa

        files = importlib.metadata.files("duckdb-ext-fts") or []
        extension = next(file for file in files if file.name == "fts.duckdb_extension").locate()
        self.connection: Any = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.execute(f"LOAD '{extension}'")
        rows = pa.table({"id": range(len(corpus.texts)), "text": corpus.texts, "percent": corpus.percent})
        self.connection.register("rows", rows)
        self.connection.execute("CREATE TABLE documents AS SELECT * FROM rows")
        self._index()

    def _index(self) -> None:
        self.connection.execute(
            "PRAGMA create_fts_index('documents', 'id', 'text', stemmer='none', stopwords='none', overwrite=1)"
        )

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        del percent
        statement = (
            "SELECT text, score FROM (SELECT text, fts_main_documents.match_bm25(id, ?) AS score FROM documents) "
            f"WHERE score IS NOT NULL ORDER BY score DESC LIMIT {TOP_K}"
        )
        found: list[tuple[str, float]] = self.connection.execute(statement, [query]).fetchall()
        return found
