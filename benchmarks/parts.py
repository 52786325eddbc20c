"""The parts of a run. Each is measured in a process of its own, so that one that fails loses no
other.

usage: python -m benchmarks.parts NAME SIZE RESULT.json
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.engines import PEERS
from benchmarks.engines.on_disk import DISK_PEERS
from benchmarks.engines.stemmed import STEMMED_PEERS
from benchmarks.rows import Row
from benchmarks.targets import SCIFACT_SIZE, SIZES


class Part(NamedTuple):
    """The measurements of one process."""

    rows: Callable[[int], list[Row]]
    sizes: tuple[int, ...]
    """The sizes it is measured at; one that is not in SIZES is measured in every run."""
    quick: bool = False
    """True if it is part of a short run."""


def _call(module: str, function: str, size: int, *, sized: bool = True) -> list[Row]:
    """Return the rows of a module, which is imported only here, as it imports other libraries."""
    rows: Callable[..., list[Row]] = getattr(importlib.import_module(f"benchmarks.{module}"), function)
    return rows(size) if sized else rows()


def _keyword(peer: str, size: int) -> list[Row]:
    from benchmarks import corpus, keyword

    return keyword.rows(peer, corpus.corpus(size))


def _scifact(peer: str, size: int) -> list[Row]:
    from benchmarks import corpus, keyword

    real = corpus.scifact()
    if real is None or len(real.texts) != size:
        raise FileNotFoundError("SciFact is not at hand")
    return [Row(**row | {"label": f"SciFact: {row['label']}"}) for row in keyword.rows(peer, real)]


def _words(function: str, peer: str, size: int) -> list[Row]:
    from benchmarks import word_forms

    rows: list[Row] = getattr(word_forms, function)(peer, size)
    return rows


def _on_disk(peer: str, size: int) -> list[Row]:
    from benchmarks import local_store

    return local_store.peer_rows(peer, size)


PARTS = {
    "structure": Part(partial(_call, "structure", "rows"), SIZES[:2], quick=True),
    "embedding": Part(partial(_call, "structure", "embedding_rows"), SIZES[:2]),
    "pipelines": Part(partial(_call, "pipelines", "rows", sized=False), (0,), quick=True),
    "growth": Part(partial(_call, "growth", "rows"), SIZES, quick=True),
    "readers": Part(partial(_call, "readers", "rows"), SIZES[:2], quick=True),
    "vectors": Part(partial(_call, "vectors", "rows", sized=False), (100_000,)),
    "merging": Part(partial(_call, "merging", "rows", sized=False), (0,), quick=True),
    "tracing": Part(partial(_call, "tracing", "rows"), SIZES[:2], quick=True),
    "contexts": Part(partial(_call, "contexts", "rows"), SIZES[:2], quick=True),
    "local": Part(partial(_call, "local_store", "rows"), SIZES, quick=True),
    "scifact-local": Part(partial(_call, "local_store", "scifact_rows"), (SCIFACT_SIZE,), quick=True),
    "words-index": Part(partial(_call, "word_forms", "index_rows"), SIZES[1:]),
    **{f"words-{name}": Part(partial(_words, "rows", name), SIZES[1:]) for name in STEMMED_PEERS},
    **{f"words-scifact-{name}": Part(partial(_words, "scifact_rows", name), SIZES[1:]) for name in STEMMED_PEERS},
    **{f"local-{name}": Part(partial(_on_disk, name), SIZES[:2]) for name in DISK_PEERS},
    **{
        name: Part(partial(_keyword, name), tuple(size for size in SIZES if size <= peer.most), quick=peer.main)
        for name, peer in PEERS.items()
    },
    **{
        f"scifact-{name}": Part(partial(_scifact, name), (SCIFACT_SIZE,), quick=True)
        for name, peer in PEERS.items()
        if peer.main
    },
}


def measured(name: str, size: int) -> dict[str, Any]:
    """Return the rows of a part, or why there are none."""
    started = time.perf_counter()
    try:
        rows, error = PARTS[name].rows(size), None
    except Exception as problem:  # noqa: BLE001 (any error of another library is reported in its rows)
        rows, error = [], f"{type(problem).__name__}: {problem}"
    return {"part": name, "size": size, "rows": rows, "error": error, "seconds": time.perf_counter() - started}


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(json.dumps(measured(sys.argv[1], int(sys.argv[2]))), encoding="utf-8")
