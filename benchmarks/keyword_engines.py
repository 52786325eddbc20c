"""Keyword engines behind one interface: build from texts, then ask for the texts of the ten best."""

import sqlite3
from typing import Any, Protocol

import numpy as np

from benchmarks.corpus import Corpus

TOP_K = 10
BATCH = 100_000
_MIB = 1 << 20


class Engine(Protocol):
    """A built index."""

    def __init__(self, corpus: Corpus) -> None: ...
    def ask(self, query: str, percent: int | None = None) -> list[str]:
        """Return the texts of the best documents, among those of the first `percent` if given."""


class Store:
    """Spaniel's in-memory store, its public methods."""

    def __init__(self, corpus: Corpus) -> None:
        from spaniel import Document
        from spaniel.document_stores.in_memory import InMemoryDocumentStore

        self.document = Document
        documents = [
            Document(id=str(number), content=text, meta={"percent": int(corpus.percent[number])})
            for number, text in enumerate(corpus.texts)
        ]
        self.store = InMemoryDocumentStore(shared=False)
        for start in range(0, len(documents), BATCH):
            self.store.write_documents(documents[start : start + BATCH])

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        condition = {"field": "meta.percent", "operator": "<", "value": percent}
        found = self.store.bm25_retrieval(query, filters=None if percent is None else condition, top_k=TOP_K)
        return [document.content or "" for document in found]

    def add(self, number: int, text: str) -> None:
        """Write one more document."""
        self.store.write_documents([self.document(id=f"new {number}", content=text)])


class Index:
    """Spaniel's keyword index by itself, filters as sets of slots, as the other engines have them."""

    def __init__(self, corpus: Corpus) -> None:
        from spaniel._engine import KeywordIndex, Selection

        self.texts = corpus.texts
        self.index = KeywordIndex()
        for start in range(0, len(self.texts), BATCH):
            texts = self.texts[start : start + BATCH]
            self.index.apply([], self.index.prepare(range(start, start + len(texts)), texts))
        self.selections = {
            percent: Selection(np.packbits(corpus.percent < percent, bitorder="little").tobytes())
            for percent in (1, 10, 50)
        }

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        allowed = None if percent is None else self.selections[percent]
        hits = self.index.search(query, variant="BM25L", top_k=TOP_K, allowed=allowed)
        return [self.texts[slot] for slot, _ in hits]


class Bm25s:
    """bm25s with numba, filters as weight masks."""

    def __init__(self, corpus: Corpus) -> None:
        import bm25s

        self.texts = corpus.texts
        self.tokenize: Any = lambda texts: bm25s.tokenize(
            texts, stopwords=None, token_pattern=r"\w+", show_progress=False
        )
        self.index = bm25s.BM25(method="bm25l", backend="numba")
        self.index.index(self.tokenize(self.texts), show_progress=False)
        self.index.activate_numba_scorer()
        self.masks = {percent: (corpus.percent < percent).astype(np.float32) for percent in (1, 10, 50)}

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        mask = None if percent is None else self.masks[percent]
        rows, _ = self.index.retrieve(
            self.tokenize([query]), k=TOP_K, show_progress=False, n_threads=0, weight_mask=mask
        )
        return [self.texts[row] for row in rows[0]]


class Tantivy:
    """tantivy with stored texts, in memory, filters on a fast field."""

    def __init__(self, corpus: Corpus) -> None:
        import tantivy

        self.tantivy = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=True, index_option="freq")
        builder.add_integer_field("percent", indexed=True, fast=True)
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema)
        writer = self.index.writer(512 * _MIB, 1)
        for text, percent in zip(corpus.texts, corpus.percent.tolist(), strict=True):
            writer.add_document(tantivy.Document(text=text, percent=percent))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        make, occur = self.tantivy.Query, self.tantivy.Occur
        wanted = make.boolean_query(
            [(occur.Should, make.term_query(self.schema, "text", term)) for term in query.split()]
        )
        if percent is not None:
            kind = self.tantivy.FieldType.Integer
            condition = make.const_score_query(make.range_query(self.schema, "percent", kind, 0, percent - 1), 0.0)
            wanted = make.boolean_query([(occur.Must, wanted), (occur.Must, condition)])
        return [self.searcher.doc(address)["text"][0] for _, address in self.searcher.search(wanted, TOP_K).hits]


class Fts5:
    """SQLite's FTS5, in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.connection.execute("CREATE VIRTUAL TABLE documents USING fts5(text, percent UNINDEXED, detail='column')")
        rows = zip(corpus.texts, corpus.percent.tolist(), strict=True)
        self.connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        condition = "" if percent is None else f"AND percent < {percent}"
        statement = f"SELECT text FROM documents WHERE documents MATCH ? {condition} ORDER BY rank LIMIT {TOP_K}"
        terms = " OR ".join(f'"{term}"' for term in query.split())
        return [text for (text,) in self.connection.execute(statement, [terms])]


class Haystack:
    """The in-memory store of haystack-ai."""

    def __init__(self, corpus: Corpus) -> None:
        from haystack import Document
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        self.store = InMemoryDocumentStore(shared=False)
        self.store.write_documents([Document(id=str(i), content=text) for i, text in enumerate(corpus.texts)])

    def ask(self, query: str, percent: int | None = None) -> list[str]:  # noqa: D102 (see Engine)
        del percent  # its filters are measured elsewhere
        return [document.content or "" for document in self.store.bm25_retrieval(query, top_k=TOP_K)]
