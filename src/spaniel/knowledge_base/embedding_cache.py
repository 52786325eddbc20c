"""Vectors by the hash of their text, until the files that they belong to are stored."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

_MAX_PARAMETERS = 500


class EmbeddingCache:
    """Keeps the vectors of a run that ends early, so that the next one does not compute them again.

    :param path: of its file; None: it keeps nothing.
    :param model: the id of the embedder; vectors of others are dropped.
    """

    def __init__(self, path: Path | None = None, model: str = "") -> None:
        self._path = path
        self._database: apsw.Connection | None = None
        if path is not None:
            try:
                self._open(path, model)
            except apsw.Error:  # damaged: its vectors can be computed again
                self.clear()
                self._open(path, model)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, texts: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors of those of the texts that have one."""
        found: dict[str, list[float]] = {}
        if self._database is None:
            return found
        import numpy as np

        by_key = {_make_key(text): text for text in texts}
        keys = list(by_key)
        for start in range(0, len(keys), _MAX_PARAMETERS):
            some = keys[start : start + _MAX_PARAMETERS]
            marks = ", ".join("?" * len(some))
            query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 (marks of parameters alone)
            for key, data in self._database.execute(query, some):
                found[by_key[bytes(key)]] = np.frombuffer(data, np.float64).tolist()
        return found

    def write(self, vectors: Mapping[str, Iterable[float]]) -> None:
        """Keep the vectors of texts."""
        if self._database is None:
            return
        import numpy as np

        rows = [(_make_key(text), np.asarray(vector, np.float64).tobytes()) for text, vector in vectors.items()]
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def clear(self) -> None:
        """Drop all vectors: they are stored by now."""
        self.close()
        if self._path is not None:
            for suffix in ("", "-journal", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    Path(f"{self._path}{suffix}").unlink()

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self, path: Path, model: str) -> None:
        self._database = database = apsw.Connection(str(path))
        database.execute("PRAGMA synchronous = OFF")  # a lost vector is computed again
        database.execute("CREATE TABLE IF NOT EXISTS model (id TEXT)")
        database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        if database.execute("SELECT id FROM model").fetchall() != [(model,)]:
            database.execute("DELETE FROM vectors")
            database.execute("DELETE FROM model")
            database.execute("INSERT INTO model VALUES (?)", (model,))


def _make_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
