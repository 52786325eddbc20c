"""Structured retrieval in stages: search, fuse, merge, follow, then widen or fit a budget."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from spaniel.dataclasses import Document
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Gather, Program
from spaniel.store_methods import SupportsBM25, SupportsVectorSearch
from spaniel.strategies.budgeting.best_fit import fill_budget
from spaniel.strategies.budgeting.context_budget import context_budget
from spaniel.strategies.links.follow_links import follow_links
from spaniel.strategies.links.rank_links import Scoring, rank_links
from spaniel.strategies.merging.ancestry import is_node
from spaniel.strategies.merging.merge_up import merge_up
from spaniel.strategies.passage_selection import Choice, list_distinct, select_passages
from spaniel.strategies.score_fusion import FusionMethod, fuse_searches
from spaniel.strategies.scores import (
    deduplicate,
    drop_contained,
    drop_overlapping_links,
    limit_to_top_k,
    sort_if_scored,
)
from spaniel.strategies.search import search
from spaniel.strategies.stages import extends, run_stage
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.layout import BY_SPLIT_ID, InRoot, InSource, Place, WindowScope
from spaniel.strategies.windows.widen import Windows, widen
from spaniel.tracing import Recorder

logger = logging.getLogger(__name__)

_HITS_PER_RESULT = 4  # a merge, a fusion or a selection also needs hits of lower rank

MAX_HITS = 10_000
"""Hits beyond this rank are not looked at, even if too few distinct passages are left."""

NUM_LINK_SEEDS = 10
"""The best passages whose links `link_share` follows; a constant, so that pages continue."""

SearchMode = Literal["bm25", "embedding", "hybrid"]
"""The searches of a retrieval: lexical, dense, or the fusion of both."""

BudgetFit = Literal["utility", "rank"]
"""The passages in a budget: those with the highest total utility, or the best ones that fit."""

SEARCHES: Mapping[SearchMode, tuple[Callable[..., object], ...]] = {
    "bm25": (SupportsBM25.bm25_retrieval,),
    "embedding": (SupportsVectorSearch.embedding_retrieval,),
    "hybrid": (SupportsBM25.bm25_retrieval, SupportsVectorSearch.embedding_retrieval),
}


@dataclass(frozen=True)
class RetrievalQuery:
    """A query, with its vector for ``embedding_retrieval`` and the filter for passages.

    A hybrid search without a vector searches the words alone.
    """

    text: str
    embedding: Sequence[float] | None
    filters: Filters | None
    top_k: int


@dataclass(frozen=True)
class RetrievalPlan:
    """The stages of a retrieval, with the settings of each algorithm; None omits a stage.

    `hits` is the number of hits that each search passes to a later stage; None: four per passage.
    In a hybrid search, `min_score` applies after the fusion, and with `tolerant` a search that
    fails is left out, unless both do. `rank_links` replaces `follow`, and
    `fill` or `budget` replace `window`. With `select`, the search is repeated for four times as
    many hits while too few passages are left of them.
    """

    search: SearchMode = "bm25"
    fusion: FusionMethod = "dbsf"
    weights: Sequence[float] | None = None
    tolerant: bool = False
    explain: Callable[..., object] | None = None
    hits: int | None = None
    min_score: float | None = None
    merge: JsonObject | None = None
    follow: JsonObject | None = None
    rank_links: JsonObject | None = None
    select: Choice | None = None
    offset: int = 0
    window: JsonObject | None = None
    budget: JsonObject | None = None
    fill: JsonObject | None = None

    @property
    def selects(self) -> bool:
        """True if passages are selected from the ranking of hits."""
        return self.select is not None or self.rank_links is not None or self.offset > 0

    def count_passages(self, top_k: int) -> int:
        """Return the number of distinct passages that the hits should have."""
        return max(self.offset + top_k, NUM_LINK_SEEDS if self.rank_links is not None else 0) if top_k else 0

    def count_hits(self, top_k: int) -> int:
        """Return the number of hits of a first search."""
        wanted = self.count_passages(top_k)
        is_final = (
            len(SEARCHES[self.search]) == 1 and self.merge is None and self.select is None and self.rank_links is None
        )
        if not wanted or is_final:  # no later stage selects among the hits
            return wanted
        return self.hits or min(_HITS_PER_RESULT * wanted, max(MAX_HITS, wanted))

    def count_searches(self, top_k: int) -> int:
        """Return the maximum number of searches."""
        count, searches = self.count_hits(top_k), 1
        while self.select is not None and 0 < count < MAX_HITS:
            count, searches = _HITS_PER_RESULT * count, searches + 1
        return searches


def retrieve(query: RetrievalQuery, plan: RetrievalPlan, store: object) -> Program[tuple[list[Document], list[str]]]:
    """Return passages of a store, best first, and the texts to read: their windows or their own."""
    documents = yield from _rank(query, plan, store)
    if plan.follow is not None:
        bounds: JsonObject = {"top_k": 2 * query.top_k, "filters": query.filters}
        follow = partial(follow_from_passages, documents, **plan.follow, **bounds)
        documents = yield from run_stage(follow, store, "follow")
    if plan.fill is not None:
        documents, texts, _ = yield from run_stage(partial(fill_budget, documents, **plan.fill), store, "budget")
        return documents, texts
    if plan.budget is not None:
        documents, _ = yield from run_stage(partial(context_budget, documents, **plan.budget), store, "budget")
    elif plan.window is not None:
        windows = yield from run_stage(partial(widen_passages, documents, **plan.window), store, "window")
        return documents, windows["context_windows"]
    return documents, [document.content or "" for document in documents]


def _rank(query: RetrievalQuery, plan: RetrievalPlan, store: object) -> Program[list[Document]]:
    wanted, count = plan.count_passages(query.top_k), plan.count_hits(query.top_k)
    choice = plan.select or Choice()
    while True:
        documents = hits = yield from _search(query, plan, store, count)
        if plan.merge is not None:
            merge = partial(merge_hits, hits, top_k=None if plan.selects else query.top_k, **plan.merge)
            documents = yield from run_stage(merge, store, "merge")
        if not plan.selects:
            return documents
        distinct = list_distinct(documents, choice, limit=wanted)
        if plan.select is None or len(distinct) >= wanted or len(hits) < count or count >= MAX_HITS:
            break
        count *= _HITS_PER_RESULT
    if plan.rank_links is not None:
        seeds = distinct[:NUM_LINK_SEEDS]
        first = {passage.id for passage in distinct[: plan.offset + query.top_k]}
        settings = plan.rank_links | {"filters": query.filters, "min_score": plan.min_score}
        link = partial(rank_links, documents, seeds, first, _find_scoring(query, plan), **settings)
        documents = yield from run_stage(link, store, "follow")
    select = partial(select_passages, documents, top_k=query.top_k, offset=plan.offset, **choice.list_set(documents))
    return (yield from run_stage(select, None, "select"))


def _find_scoring(query: RetrievalQuery, plan: RetrievalPlan) -> Scoring:
    """Return the search that scores linked passages; fused scores depend on all hits, so none."""
    methods = SEARCHES[plan.search]
    is_lexical = methods[0] is SupportsBM25.bm25_retrieval
    asked: JsonObject = {"query": query.text} if is_lexical else {"query_embedding": query.embedding}
    return Scoring(methods[0] if len(methods) == 1 else None, plan.explain if is_lexical else None, asked)


def _search(query: RetrievalQuery, plan: RetrievalPlan, store: object, count: int) -> Program[list[Document]]:
    methods = SEARCHES[plan.search]
    is_single = len(methods) == 1

    def run_search(method: Callable[..., object]) -> Program[list[Document]]:
        if not is_single and method is SupportsVectorSearch.embedding_retrieval and query.embedding is None:
            return []
        is_lexical = method is SupportsBM25.bm25_retrieval
        asked: JsonObject = {"query": query.text} if is_lexical else {"query_embedding": query.embedding}
        limits = asked | {"filters": query.filters, "min_score": plan.min_score if is_single else None, "top_k": count}
        find = partial(search, method, plan.explain if is_lexical else None, **limits)
        return (yield from run_stage(find, store, name_search(method)))

    if is_single:
        return (yield from run_search(methods[0]))
    runs = [_keep_error(run_search(method)) if plan.tolerant else run_search(method) for method in methods]
    rankings = yield Gather(runs, limit=len(methods), threads=False)
    names = [name_search(method) for method in methods]
    _report_failures(names, rankings)
    rankings = [[] if isinstance(each, Exception) else each for each in rankings]
    kept = query.top_k if plan.merge is None and not plan.selects else count
    given: JsonObject = {"method": plan.fusion, "weights": plan.weights, "top_k": kept, "min_score": plan.min_score}
    return (yield from run_stage(partial(fuse_searches, *rankings, names=names, **given), store, "fuse"))


def _keep_error(program: Program[list[Document]]) -> Program[list[Document] | Exception]:
    try:
        return (yield from program)
    except Exception as error:  # noqa: BLE001 (reported)
        return error


def _report_failures(names: Sequence[str], results: Sequence[list[Document] | Exception]) -> None:
    """Warn of the searches that failed; raise the error of the first if all did."""
    failed = {name: result for name, result in zip(names, results, strict=True) if isinstance(result, Exception)}
    if failed and len(failed) == len(results):
        raise next(iter(failed.values()))
    for name, error in failed.items():
        logger.warning("The search by %s failed and is left out: %s", name, error)


def name_search(method: Callable[..., object]) -> str:
    """Return the name of the stage of a search method: ``bm25`` or ``embedding``."""
    return method.__name__.removesuffix("_retrieval")


@extends(merge_up)
def merge_hits(
    hits: Sequence[Document], *, top_k: int | None, record: Recorder | None = None, **settings: Any
) -> StrategyRun[list[Document]]:
    """Return the best hits after merging, without nested ones; chunks of no hierarchy are kept."""
    others = [hit for hit in hits if not is_node(hit)]
    documents = yield from merge_up([hit for hit in hits if is_node(hit)], record=record, **settings)
    if others:
        documents = sort_if_scored([*documents, *deduplicate(others, record)])
    return limit_to_top_k(drop_contained(documents, record), top_k, record)


@extends(follow_links)
def follow_from_passages(
    documents: Sequence[Document], *, record: Recorder | None = None, **settings: Any
) -> StrategyRun[list[Document]]:
    """Return all documents, then their linked documents without overlaps."""
    found = yield from follow_links(documents, force_keep_original_documents=True, record=record, **settings)
    return drop_overlapping_links(found, documents, record)


@extends(widen)
def widen_passages(
    documents: Sequence[Document],
    *,
    over: WindowScope = "source",
    place: Place = BY_SPLIT_ID,
    record: Recorder | None = None,
    **settings: Any,
) -> StrategyRun[Windows]:
    """Return a window per document; without a position in a source, the text of the document."""
    layout = InSource(place) if over == "source" else InRoot()
    placed = [document for document in documents if not layout.missing_in(document)]
    windows = yield from widen(placed, over=over, place=place, record=record, **settings)
    texts = dict(zip((document.id for document in placed), windows["context_windows"], strict=True))
    return Windows(
        context_windows=[texts.get(document.id, document.content or "") for document in documents],
        context_documents=windows["context_documents"],
    )
