"""From hits to a context, Spaniel alone: windows, budgets, segments, and a whole structured search."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import clock
from benchmarks.corpus import corpus
from benchmarks.rows import Row, row
from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import BestSegments, ContextBudget, SentenceWindowRetriever, StructuredRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore

WORDS, SECTION, TEXTS = 80, 640, 50
"""Words of a leaf and of a section; texts of a document."""
QUERIES, HITS, MANY, TOKENS = 20, 20, 100, 4000


def rows(leaves: int) -> list[Row]:
    """Return the milliseconds for the hits of a query, the search for them not included."""
    made = corpus(leaves)
    documents = [
        Document(id=f"document{start}", content=" ".join(made.texts[start : start + TEXTS]))
        for start in range(0, leaves, TEXTS)
    ]
    splitter = HierarchicalDocumentSplitter([SECTION, WORDS], split_overlap=0, split_by="word")
    store = InMemoryDocumentStore(shared=False, search="leaves", return_embedding=False)
    store.write_documents(splitter.run(documents)["documents"])
    clock.settle()
    queries = made.queries["natural"][:QUERIES]
    few, many = ([store.bm25_retrieval(query, top_k=top_k) for query in queries] for top_k in (HITS, MANY))
    window = SentenceWindowRetriever(store, window_size=2, over="root", merge_overlapping=True)
    budget, segments = ContextBudget(store, TOKENS), BestSegments(store)
    structured = StructuredRetriever(store, budget=TOKENS)
    calls: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        f"windows over the root, {HITS} hits": (window.run, few),
        f"budget of {TOKENS:,} tokens, {HITS} hits": (budget.run, few),
        f"budget of {TOKENS:,} tokens, {MANY} hits": (budget.run, many),
        f"best segments, {MANY} hits": (segments.run, many),
        "search, merge, budget": (structured.run, queries),
    }
    return [
        row("alone", label, leaves, clock.interleaved({"ours": [partial(run, each) for each in given]})["ours"], None)
        for label, (run, given) in calls.items()
    ]
