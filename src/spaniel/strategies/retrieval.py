"""A structured retrieval as a whole: search, fuse, merge, follow, widen or choose within a budget; each is a stage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spaniel.dataclasses import Document
from spaniel.runtime import Program
from spaniel.store_methods import SupportsBM25, SupportsVectorSearch
from spaniel.strategies.budgeting import context_budget
from spaniel.strategies.combine import fuse
from spaniel.strategies.search import search
from spaniel.strategies.stages import run_stage
from spaniel.strategies.structured import followed, merged, widened

_HITS_PER_RESULT = 4  # a merge or a fusion needs the lesser hits too

SEARCHES: Mapping[str, tuple[Callable[..., Any], ...]] = {
    "bm25": (SupportsBM25.bm25_retrieval,),
    "embedding": (SupportsVectorSearch.embedding_retrieval,),
    "hybrid": (SupportsBM25.bm25_retrieval, SupportsVectorSearch.embedding_retrieval),
}
"""The store methods of each way to search."""


@dataclass(frozen=True)
class Query:
    """What is asked for.

    :param embedding: its vector, for ``embedding_retrieval``.
    :param filters: what passages must match.
    :param top_k: how many passages.
    """

    text: str
    embedding: Sequence[float] | None
    filters: dict[str, Any] | None
    top_k: int


@dataclass(frozen=True)
class Structure:
    """What is done with the hits; each mapping has the settings of an algorithm, and None leaves it out.

    :param search: a key of `SEARCHES`.
    :param explain: the store method that explains which terms matched, if it has one.
    :param hits: how many hits each search gives to a merge or a fusion; None: four for each passage.
    :param min_score: what a hit must score; in a hybrid search after the fusion.
    :param merge: settings of `merge_up`.
    :param follow: settings of `follow_links`.
    :param window: settings of `widen`.
    :param budget: settings of `context_budget`, which goes before a window.
    """

    search: str = "bm25"
    explain: Callable[..., Any] | None = None
    hits: int | None = None
    min_score: float | None = None
    merge: Mapping[str, Any] | None = None
    follow: Mapping[str, Any] | None = None
    window: Mapping[str, Any] | None = None
    budget: Mapping[str, Any] | None = None


def retrieve(query: Query, structure: Structure, store: object) -> Program[tuple[list[Document], list[str]]]:
    """Return passages of a store, best first, and for each what to read: its window, or its own text."""
    documents = yield from _hits(query, structure, store)
    if structure.merge is not None:
        documents = yield from run_stage(
            partial(merged, documents, top_k=query.top_k, **structure.merge), store, "merge"
        )
    if structure.follow is not None:
        bounds: dict[str, Any] = {"top_k": 2 * query.top_k, "filters": query.filters}
        documents = yield from run_stage(partial(followed, documents, **structure.follow, **bounds), store, "follow")
    if structure.budget is not None:
        documents, _ = yield from run_stage(partial(context_budget, documents, **structure.budget), store, "budget")
    elif structure.window is not None:
        windows = yield from run_stage(partial(widened, documents, **structure.window), store, "window")
        return documents, windows["context_windows"]
    return documents, [document.content or "" for document in documents]


def _hits(query: Query, structure: Structure, store: object) -> Program[list[Document]]:
    methods = SEARCHES[structure.search]
    alone = len(methods) == 1
    count = structure.hits or _HITS_PER_RESULT * query.top_k
    if not query.top_k or (alone and structure.merge is None):  # nothing that comes later chooses among them
        count = query.top_k
    rankings: list[list[Document]] = []
    for method in methods:
        find = _search(method, query, structure, min_score=structure.min_score if alone else None, top_k=count)
        rankings.append((yield from run_stage(find, store, method.__name__.removesuffix("_retrieval"))))
    if alone:
        return rankings[0]
    kept = query.top_k if structure.merge is None else count
    return (yield from run_stage(partial(fuse, *rankings, top_k=kept, min_score=structure.min_score), store, "fuse"))


def _search(method: Callable[..., Any], query: Query, structure: Structure, **limits: Any) -> "partial[Any]":
    if method is SupportsBM25.bm25_retrieval:
        return partial(search, method, structure.explain, query=query.text, filters=query.filters, **limits)
    return partial(search, method, query_embedding=query.embedding, filters=query.filters, **limits)
