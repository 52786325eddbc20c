"""Vectors to search, and queries: some without any order, some around centres, some made of texts."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

SCIFACT = Path(__file__).parents[2] / "shared" / "data" / "scifact"
QUERIES = 100
_TERMS, _TOO_COMMON = 2000, 50

Vectors = tuple[Any, Any]
"""Rows to be searched, and rows that ask; float32, of length 1."""


def _split(matrix: Any, queries: Any) -> Vectors:
    def unit(rows: Any) -> Any:
        return (rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)[:, None]).astype(np.float32)

    return unit(matrix), unit(queries)


def random(count: int, size: int) -> Vectors:
    """Return vectors without any order, in which bounds help least."""
    rng = np.random.default_rng(0)
    return _split(rng.standard_normal((count, size)), rng.standard_normal((QUERIES, size)))


def clusters(count: int, size: int) -> Vectors:
    """Return vectors around a hundred centres: a query has a thousand near ones."""
    return _mixture(count, size, centres=100, spread=0.3)


def many_clusters(count: int, size: int) -> Vectors:
    """Return vectors around thousands of centres, widely spread."""
    return _mixture(count, size, centres=3000, spread=0.8)


def near_duplicates(count: int, size: int) -> Vectors:
    """Return vectors of which thousands are nearly the same: the worst case for codes."""
    return _mixture(count, size, centres=20, spread=0.02)


def _mixture(count: int, size: int, *, centres: int, spread: float) -> Vectors:
    rng = np.random.default_rng(1)
    total = count + QUERIES
    rows = rng.standard_normal((centres, size))[rng.integers(0, centres, total)]
    rows += spread * rng.standard_normal((total, size))
    return _split(rows[:count], rows[count:])


def texts(count: int, size: int) -> Vectors:
    """Return embeddings of passages of one to three sentences of SciFact, and of its claims.

    They are made by latent semantic analysis: tf-idf, then the directions of the largest variance.
    """
    passages = list(_passages())[:count]
    claims = [json.loads(line)["text"] for line in _lines("queries.jsonl")][:QUERIES]
    words = [re.findall(r"\w+", text.lower()) for text in passages + claims]
    frequency = Counter(word for each in words for word in set(each))
    terms = {word: place for place, (word, _) in enumerate(frequency.most_common(_TERMS)[_TOO_COMMON:])}
    matrix = np.zeros((len(words), len(terms)), np.float32)
    for row, each in enumerate(words):
        for word, times in Counter(each).items():
            if (place := terms.get(word)) is not None:
                matrix[row, place] = (1 + np.log(times)) * np.log(len(words) / frequency[word])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1), 1e-12)[:, None]
    _, directions = np.linalg.eigh(matrix.T @ matrix)
    rows = matrix @ directions[:, -size:]
    return _split(rows[: len(passages)], rows[len(passages) :])


def _lines(name: str) -> list[str]:
    return (SCIFACT / name).read_text(encoding="utf-8").splitlines()


def _passages() -> Iterator[str]:
    for line in _lines("corpus.jsonl"):
        document = json.loads(line)
        sentences = re.split(r"(?<=[.!?])\s+", f"{document['title']}. {document['text']}")
        for length in (1, 2, 3):
            for start in range(len(sentences) - length + 1):
                yield " ".join(sentences[start : start + length])


DATA: dict[str, Callable[[int, int], Vectors]] = {
    "random": random,
    "clusters": clusters,
    "many clusters": many_clusters,
    "near duplicates": near_duplicates,
    **({"texts": texts} if SCIFACT.exists() else {}),
}
