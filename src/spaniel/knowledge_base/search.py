"""The search of a knowledge base: find leaves, merge them, follow their links, widen them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BM25Retriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
)
from spaniel.dataclasses import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.knowledge_base.overlaps import without_parts, without_repeats
from spaniel.knowledge_base.question import searched_text
from spaniel.knowledge_base.results import SearchResults, explained
from spaniel.tracing import Event, Recorder, Trace, trace

_HITS_PER_RESULT = 4  # merging needs the lesser hits of a section too


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    :param top_k: how many passages to return; with `follow`, as many linked ones may come on top.
    :param filters: what passages must match.
    :param merge: whether hits give way to their section where enough of it matched.
    :param threshold: the share of a section's parts that must be exceeded.
    :param window: how many chunks to show before and after each passage.
    :param follow: metadata keys whose links are followed.
    :param depth: how many hops.
    :param min_score: what a passage must score.
    """

    top_k: int = 10
    filters: dict[str, Any] | None = None
    merge: bool = True
    threshold: float = 0.5
    window: int = 0
    follow: Sequence[str] = ()
    depth: int = 1
    min_score: float | None = None

    def __post_init__(self) -> None:
        for name, value, least in [("top_k", self.top_k, 1), ("window", self.window, 0), ("depth", self.depth, 0)]:
            if value < least:
                raise ValueError(f"{name} must be at least {least}, but is {value}.")
        if self.min_score is not None and math.isnan(self.min_score):
            raise ValueError("min_score must be a number, but is NaN.")


def search(store: LocalDocumentStore, query: str, options: SearchOptions) -> SearchResults:
    """Return the best passages of a store for a query.

    :raises ValueError: the query has no words.
    """
    text = searched_text(query)
    terms = store.query_terms(text)
    if not terms:
        raise ValueError(f"The query '{query}' has no words to look for.")
    with trace() as t:
        documents = _found(store, text, options, t)
        if options.follow and documents:
            documents = _followed(store, documents, options, t)
        texts = _windows(store, documents, options) if options.window else {}
    return SearchResults(query, explained(documents, texts, t), terms, t)


def _found(store: LocalDocumentStore, query: str, options: SearchOptions, t: Trace) -> list[Document]:
    hits = options.top_k * (_HITS_PER_RESULT if options.merge else 1)
    retriever = BM25Retriever(store, top_k=hits, filters=options.filters, min_score=options.min_score)
    documents = retriever.run(query)["documents"]
    if options.merge:
        merging = AutoMergingRetriever(store, options.threshold, raise_on_missing_parent=False)
        documents = merging.run(documents)["documents"]
        documents = _traced("leave out parts of others", t, partial(without_parts, documents))
    return documents[: options.top_k]


def _followed(store: LocalDocumentStore, documents: list[Document], options: SearchOptions, t: Trace) -> list[Document]:
    retriever = RecursiveRetriever(
        store,
        filter_key="anchor",
        relevant_doc_keys=list(options.follow),
        top_k=2 * options.top_k,
        depth=options.depth,
        force_keep_original_documents=True,
        filters=options.filters,
    )
    found = retriever.run(documents)["documents"]
    return _traced("leave out repeats", t, partial(without_repeats, found, documents))


def _traced(name: str, t: Trace, step: Callable[[Recorder], list[Document]]) -> list[Document]:
    """Return what a step returns; it is a stage of the trace if it left something out."""
    events: list[Event] = []
    documents = step(events.append)
    if events:
        with t.stage(name, {}) as stage:
            stage.events, stage.results = events, documents
    return documents


def _windows(store: LocalDocumentStore, documents: list[Document], options: SearchOptions) -> dict[str, str]:
    placed = [document for document in documents if document.meta.get("source_id")]  # whole files have no neighbours
    retriever = SentenceWindowRetriever(store, options.window, raise_on_missing_meta_fields=False)
    windows = retriever.run(placed)["context_windows"] if placed else []
    return {document.id: window for document, window in zip(placed, windows, strict=True)}
