"""Spaniel, in two ways."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.targets import FILTERS

TOP_K = 10
BATCH = 100_000


class Store:
    """The in-memory store and its public methods."""

    def __init__(self, corpus: Corpus) -> None:
        from spaniel.document_stores.in_memory import InMemoryDocumentStore

        self.store: Any = InMemoryDocumentStore(shared=False)
        self._fill(corpus)

    def _fill(self, corpus: Corpus) -> None:
        from spaniel import Document

        for start in range(0, len(corpus.texts), BATCH):
            texts, percents = corpus.texts[start : start + BATCH], corpus.percent[start : start + BATCH].tolist()
            self.store.write_documents(
                [
                    Document(id=str(number), content=text, meta={"percent": percent})
                    for number, (text, percent) in enumerate(zip(texts, percents, strict=True), start)
                ]
            )

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        condition = {"field": "meta.percent", "operator": "<", "value": percent}
        found = self.store.bm25_retrieval(query, filters=None if percent is None else condition, top_k=TOP_K)
        return [(document.content or "", document.score or 0.0) for document in found]

    def add(self, number: int, text: str) -> None:
        """Write one more document."""
        self.put([number], [text])

    def put(self, numbers: Iterable[int], texts: Iterable[str]) -> None:
        """Write documents, which replace those of the same numbers."""
        from spaniel import Document

        self.store.write_documents(
            [
                Document(id=str(number), content=text, meta={"percent": number % 100})
                for number, text in zip(numbers, texts, strict=True)
            ],
            "overwrite",
        )


class Index:
    """The keyword index that the store searches with, by itself; filters are sets made beforehand,
    as those of bm25s are.
    """

    def __init__(self, corpus: Corpus) -> None:
        from spaniel._engine import KeywordIndex, Selection

        self.texts = corpus.texts
        self.index = KeywordIndex()
        for start in range(0, len(self.texts), BATCH):
            texts = self.texts[start : start + BATCH]
            self.index.apply([], self.index.prepare(range(start, start + len(texts)), texts))
        self.selections = {
            percent: Selection(np.packbits(corpus.percent < percent, bitorder="little").tobytes())
            for percent in FILTERS
        }

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        allowed = None if percent is None else self.selections[percent]
        hits = self.index.search(query, variant="BM25L", top_k=TOP_K, allowed=allowed)
        return [(self.texts[slot], score) for slot, score in hits]

    def score(self, query: str, slot: int) -> float:
        """Return the score of one document."""
        return sum(score for _, score in self.index.search(query, variant="BM25L", top_k=1, allowed=[slot]))
