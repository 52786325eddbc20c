"""Searches as strategies: the store ranks, and the trace shows the matching terms."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

from spaniel.dataclasses import Document
from spaniel.json_types import Filters, JsonObject
from spaniel.store_methods import SupportsHybridSearch
from spaniel.strategies.scores import drop_low_scores
from spaniel.strategies.store_requests import FetchByFilter, FetchBySearch, StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Matched, TermMatch

_Method: TypeAlias = Callable[..., object]
_Terms: TypeAlias = Mapping[str, tuple[TermMatch, ...]]
_GetTerms: TypeAlias = Callable[[], _Terms | None]


def search(
    method: _Method,
    explain: _Method | None = None,
    *,
    min_score: float | None = None,
    record: Recorder | None = None,
    **arguments: object,
) -> StrategyRun[list[Document]]:
    """Return the results of a search method of the store, such as ``SupportsBM25.bm25_retrieval``.

    `explain` is the method that explains the matching terms, called only in a trace.
    """
    documents: list[Document] = yield FetchBySearch(method, arguments)
    if record is not None:
        terms = yield from _explain(explain, arguments, documents)
        record(_trace_matches(documents, terms, scaled=bool(arguments.get("scale_score"))))
    return drop_low_scores(documents, min_score, record)


def search_both(
    explain: _Method | None = None,
    *,
    bm25: JsonObject,
    embedding: JsonObject,
    min_scores: tuple[float | None, float | None] = (None, None),
    record: Recorder | None = None,
) -> StrategyRun[tuple[list[Document], list[Document]]]:
    """Return the results of a lexical and of a dense search, with ``hybrid_retrieval``.

    `bm25` and `embedding` are the arguments of ``bm25_retrieval`` and ``embedding_retrieval``.
    """
    lexical, dense = yield FetchBySearch(SupportsHybridSearch.hybrid_retrieval, {"words": bm25, "vector": embedding})
    if record is not None:
        terms = yield from _explain(explain, bm25, lexical)
        record(_trace_matches(lexical, terms, scaled=bool(bm25.get("scale_score")), by="bm25"))
        record(_trace_matches(dense, dict, scaled=True, by="embedding"))
    return drop_low_scores(lexical, min_scores[0], record), drop_low_scores(dense, min_scores[1], record)


def fetch_matching(
    *, filters: Filters | None, min_score: float | None = None, record: Recorder | None = None
) -> StrategyRun[list[Document]]:
    """Return the documents that match a filter, in store order."""
    documents: list[Document] = yield FetchByFilter(filters)
    return drop_low_scores(documents, min_score, record)


def _explain(explain: _Method | None, arguments: JsonObject, documents: Sequence[Document]) -> StrategyRun[_GetTerms]:
    if explain is None or not documents:
        return dict
    ids = [document.id for document in documents]
    terms: _GetTerms = yield FetchBySearch(explain, {"query": arguments["query"], "document_ids": ids}, for_trace=True)
    return terms


def _trace_matches(
    documents: Sequence[Document], get_terms: _GetTerms, *, scaled: bool, by: Literal["", "bm25", "embedding"] = ""
) -> Iterator[Matched]:
    terms: _Terms = {}
    with suppress(Exception):  # the request has the error; a trace may be read after its store is closed
        terms = get_terms() or {}
    for rank, document in enumerate(documents, 1):
        own = terms.get(document.id, ())
        total, score = sum(term.score for term in own), document.score or 0.0
        is_current = scaled or math.isclose(total, score, rel_tol=1e-6, abs_tol=1e-9)
        yield Matched(document.id, rank, document.score, own if is_current else (), by)  # else the store has changed
