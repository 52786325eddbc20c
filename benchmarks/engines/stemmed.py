"""Engines with the words of English: stems, and stop words left out of a query."""

from typing import Any

from benchmarks.corpus import Corpus, words
from benchmarks.engines.ours import Store

TOP_K = 10
BATCH = 100_000
_MIB = 1 << 20


class StemmedStore(Store):
    """The in-memory store with the fields and the scores of a knowledge base."""

    analyzer = "english"

    def __init__(self, corpus: Corpus) -> None:
        from spaniel import Document
        from spaniel.document_stores.in_memory import InMemoryDocumentStore
        from spaniel.knowledge_base.folder_backend import DEFAULTS

        self.store = InMemoryDocumentStore(analyzer=self.analyzer, fields=DEFAULTS["fields"], shared=False)
        for start in range(0, len(corpus.texts), BATCH):
            numbers = range(start, min(start + BATCH, len(corpus.texts)))
            self.store.write_documents(
                [
                    Document(
                        id=str(number),
                        content=corpus.texts[number],
                        meta={} if corpus.titles is None else {"title": corpus.titles[number]},
                    )
                    for number in numbers
                ]
            )


class StandardStore(StemmedStore):
    """The same without the words of a language, in one field, as Haystack's."""

    def __init__(self, corpus: Corpus) -> None:
        from spaniel import Document
        from spaniel.document_stores.in_memory import InMemoryDocumentStore

        self.store = InMemoryDocumentStore(shared=False)
        for start in range(0, len(corpus.texts), BATCH):
            numbers = range(start, min(start + BATCH, len(corpus.texts)))
            self.store.write_documents(
                [Document(id=str(number), content=corpus.whole_text(number)) for number in numbers]
            )


class StemmedBm25s:
    """bm25s with numba, Snowball's stems and its stop words; Lucene's formula."""

    def __init__(self, corpus: Corpus) -> None:
        import bm25s
        import Stemmer

        self.texts = [corpus.whole_text(number) for number in range(len(corpus.texts))]
        options: dict[str, Any] = {"stemmer": Stemmer.Stemmer("english"), "stopwords": "en", "show_progress": False}
        self.tokenize: Any = lambda texts: bm25s.tokenize(texts, **options)
        self.index = bm25s.BM25(backend="numba")
        self.index.index(self.tokenize(self.texts), show_progress=False)
        self.index.activate_numba_scorer()

    def ask(self, query: str) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        rows, scores = self.index.retrieve(self.tokenize([query]), k=TOP_K, show_progress=False, n_threads=0)
        found = zip(rows[0].tolist(), scores[0].tolist(), strict=True)
        return [(self.texts[row], score) for row, score in found if score]


class StemmedTantivy:
    """tantivy with its English stems and stop words, in memory, one thread."""

    def __init__(self, corpus: Corpus) -> None:
        import tantivy

        builder, filters = tantivy.SchemaBuilder(), tantivy.Filter
        builder.add_text_field("text", stored=True, index_option="freq", tokenizer_name="words")
        self.index = tantivy.Index(builder.build())
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        for each in (
            filters.remove_long(40),
            filters.lowercase(),
            filters.stopword("english"),
            filters.stemmer("english"),
        ):
            analyzer = analyzer.filter(each)
        self.index.register_tokenizer("words", analyzer.build())
        writer = self.index.writer(512 * _MIB, 1)
        for number in range(len(corpus.texts)):
            writer.add_document(tantivy.Document(text=corpus.whole_text(number)))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, query: str) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        parsed, _ = self.index.parse_query_lenient(" ".join(words(query)), ["text"])
        hits = self.searcher.search(parsed, TOP_K).hits
        return [(self.searcher.doc(address)["text"][0], score) for score, address in hits]


STEMMED_PEERS = {"bm25s": StemmedBm25s, "tantivy": StemmedTantivy}
