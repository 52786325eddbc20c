"""Engines written in Python."""

from typing import Any

import numpy as np

from benchmarks.corpus import Corpus, words
from benchmarks.targets import FILTERS

TOP_K = 10


class Haystack:
    """The in-memory store of haystack-ai."""

    def __init__(self, corpus: Corpus) -> None:
        from haystack import Document
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        self.document = Document
        self.store = InMemoryDocumentStore(shared=False)
        self.store.write_documents(
            [
                Document(id=str(number), content=text, meta={"percent": percent})
                for number, (text, percent) in enumerate(zip(corpus.texts, corpus.percent.tolist(), strict=True))
            ]
        )

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        condition = {"field": "meta.percent", "operator": "<", "value": percent}
        found = self.store.bm25_retrieval(query, filters=None if percent is None else condition, top_k=TOP_K)
        return [(document.content or "", document.score or 0.0) for document in found]

    def add(self, number: int, text: str) -> None:
        """Write one more document."""
        self.store.write_documents([self.document(id=str(number), content=text, meta={"percent": number % 100})])


class Bm25s:
    """bm25s with numba; filters are weight masks made beforehand."""

    def __init__(self, corpus: Corpus) -> None:
        import bm25s

        self.texts = corpus.texts
        self.tokenize: Any = lambda texts: bm25s.tokenize(
            texts, stopwords=None, token_pattern=r"\w+", show_progress=False
        )
        self.index = bm25s.BM25(method="bm25l", backend="numba")
        self.index.index(self.tokenize(self.texts), show_progress=False)
        self.index.activate_numba_scorer()
        self.masks = {percent: (corpus.percent < percent).astype(np.float32) for percent in FILTERS}

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        mask = None if percent is None else self.masks[percent]
        rows, scores = self.index.retrieve(
            self.tokenize([query]), k=TOP_K, show_progress=False, n_threads=0, weight_mask=mask
        )
        return [
            (self.texts[row], score) for row, score in zip(rows[0].tolist(), scores[0].tolist(), strict=True) if score
        ]

    def absent(self, term: str) -> float:
        """Return the contribution of a missing term to its BM25L score."""
        number = self.index.vocab_dict.get(term)
        return 0.0 if number is None else float(self.index.nonoccurrence_array[number])


class RankBm25:
    """rank_bm25, which scores every document; its BM25L counts a term frequency twice."""

    def __init__(self, corpus: Corpus) -> None:
        from rank_bm25 import BM25L

        self.texts = corpus.texts
        self.index = BM25L([words(text) for text in corpus.texts])

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        del percent
        scores = self.index.get_scores(words(query))
        best = np.argpartition(-scores, TOP_K)[:TOP_K]
        return [(self.texts[row], scores[row]) for row in best[np.argsort(-scores[best])].tolist() if scores[row] > 0]
