"""A plain search: the store ranks, the trace says which terms matched."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from spaniel.dataclasses import Document
from spaniel.store_methods import SupportsHybridSearch
from spaniel.strategies.scores import drop_low_scores
from spaniel.strategies.store_requests import FetchByFilter, FetchBySearch, StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Matched, TermMatch

_Method: TypeAlias = Callable[..., Any]
_Terms: TypeAlias = Mapping[str, tuple[TermMatch, ...]]


def search(
    method: _Method,
    explain: _Method | None = None,
    *,
    min_score: float | None = None,
    record: Recorder | None = None,
    **arguments: Any,
) -> StrategyRun[list[Document]]:
    """Return the documents that one search method of the store finds.

    :param method: such as ``SupportsBM25.bm25_retrieval``.
    :param explain: the method that explains which terms of the query matched, called only while traced.
    :param min_score: what a document must score to be returned.
    :param arguments: those of the method.
    """
    documents: list[Document] = yield FetchBySearch(method, arguments)
    if record is None:
        return drop_low_scores(documents, min_score, None)
    explained: Callable[[], _Terms | None] = dict
    if explain is not None and documents:
        ids = [document.id for document in documents]
        explained = yield FetchBySearch(explain, {"query": arguments["query"], "document_ids": ids}, for_trace=True)
    record(_matches(documents, explained, scaled=arguments.get("scale_score", False)))
    return drop_low_scores(documents, min_score, record)


def search_both(
    explain: _Method | None = None,
    *,
    words: Mapping[str, Any],
    vector: Mapping[str, Any],
    min_scores: tuple[float | None, float | None] = (None, None),
    record: Recorder | None = None,
) -> StrategyRun[tuple[list[Document], list[Document]]]:
    """Return what a search by words and what one by vector finds; a store with ``hybrid_retrieval`` is asked once.

    :param explain: the method that explains which terms of the query matched, called only while traced.
    :param words: the arguments of ``bm25_retrieval``.
    :param vector: the arguments of ``embedding_retrieval``.
    :param min_scores: what a document of either list must score to be returned.
    """
    first, second = yield FetchBySearch(SupportsHybridSearch.hybrid_retrieval, {"words": words, "vector": vector})
    if record is not None:
        explained: Callable[[], _Terms | None] = dict
        if explain is not None and first:
            ids = [document.id for document in first]
            explained = yield FetchBySearch(explain, {"query": words["query"], "document_ids": ids}, for_trace=True)
        record(_matches(first, explained, scaled=words.get("scale_score", False), by="words"))
        record(_matches(second, dict, scaled=True, by="vector"))
    return drop_low_scores(first, min_scores[0], record), drop_low_scores(second, min_scores[1], record)


def _matches(
    documents: Sequence[Document], explained: Callable[[], _Terms | None], *, scaled: bool, by: str = ""
) -> Iterator[Matched]:
    terms: _Terms = {}
    with suppress(Exception):  # the trace says why; it can also be read when its store is closed
        terms = explained() or {}
    for place, document in enumerate(documents, 1):
        own = terms.get(document.id, ())
        explains = scaled or math.isclose(
            sum(term.score for term in own), document.score or 0.0, rel_tol=1e-6, abs_tol=1e-9
        )
        yield Matched(document.id, place, document.score, own if explains else (), by)  # else the store has changed


def fetch_matching(
    *, filters: dict[str, Any] | None, min_score: float | None = None, record: Recorder | None = None
) -> StrategyRun[list[Document]]:
    """Return the documents that match a filter, in store order."""
    documents: list[Document] = yield FetchByFilter(filters)
    return drop_low_scores(documents, min_score, record)
