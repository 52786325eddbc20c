"""Search engines in Rust and C++."""

import contextlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus, words

TOP_K = 10
_MIB = 1 << 20


class Tantivy:
    """tantivy with stored texts, in memory, one thread; filters are ranges of a fast field."""

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
        self.writer: Any = None
        self._open()

    def _open(self) -> None:
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        make, occur = self.tantivy.Query, self.tantivy.Occur
        wanted = make.boolean_query(
            [(occur.Should, make.term_query(self.schema, "text", term)) for term in words(query)]
        )
        if percent is not None:
            kind = self.tantivy.FieldType.Integer
            condition = make.const_score_query(make.range_query(self.schema, "percent", kind, 0, percent - 1), 0.0)
            wanted = make.boolean_query([(occur.Must, wanted), (occur.Must, condition)])
        hits = self.searcher.search(wanted, TOP_K).hits
        return [(self.searcher.doc(address)["text"][0], score) for score, address in hits]

    def add(self, number: int, text: str) -> None:
        """Commit one more document, so that it is found."""
        self.writer = self.writer or self.index.writer(64 * _MIB, 1)
        self.writer.add_document(self.tantivy.Document(text=text, percent=number % 100))
        self.writer.commit()
        self._open()


class Pisa:
    """PISA, the compiled module of pyterrier-pisa alone, without the data frames of its Python
    part.

    Block-max MaxScore measured best of its ways to search here, over the block-SIMD codec that is
    its default.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.texts, self.pisa = corpus.texts, _pisa()
        self.folder = tempfile.TemporaryDirectory(prefix="spaniel-bench-")
        source, index = Path(self.folder.name, "texts"), Path(self.folder.name, "index")
        source.write_text("".join(f"{number} {text}\n" for number, text in enumerate(self.texts)), encoding="utf-8")
        index.mkdir()
        self.context = self.pisa.RetrievalContext()
        with _silence():
            self.pisa.index(str(source), str(index), "", 100_000, 1)
            self.pisa.prepare_index(
                self.context,
                str(index),
                "block_simdbp",
                "bm25",
                "",
                bm25_k1=1.2,
                bm25_b=0.75,
                quantize=0,
                stop_fname="",
            )
        self.ids, self.scores = np.empty(TOP_K, object), np.empty(TOP_K, np.float32)
        self.queries, self.ranks = np.empty(TOP_K, np.int32), np.empty(TOP_K, np.int32)

    def ask(self, query: str, percent: int | None = None) -> list[tuple[str, float]]:  # noqa: D102 (see Engine)
        del percent
        found = self.pisa.retrieve(
            self.context,
            "block_max_maxscore",
            [(0, query)],
            k=TOP_K,
            threads=1,
            query_weighted=0,
            pretokenised=False,
            result_qidxs=self.queries,
            result_docnos=self.ids,
            result_ranks=self.ranks,
            result_scores=self.scores,
        )
        return [
            (self.texts[int(number)], score)
            for number, score in zip(self.ids[:found].tolist(), self.scores[:found].tolist(), strict=True)
        ]


def _pisa() -> Any:
    files = importlib.metadata.files("pyterrier-pisa") or []
    path = next(file for file in files if file.name.startswith("_pisathon.cpython")).locate()
    loader = importlib.machinery.ExtensionFileLoader("_pisathon", str(path))
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("_pisathon", loader, origin=str(path)))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard the output of compiled code."""
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)
