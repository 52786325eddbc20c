"""A structured retrieval as a whole: search, fuse, merge, follow, widen or choose within a budget; each is a stage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from spaniel.dataclasses import Document
from spaniel.runtime import Program
from spaniel.store_methods import SupportsBM25, SupportsVectorSearch
from spaniel.strategies.budgeting import context_budget
from spaniel.strategies.deduplication import drop_contained, drop_overlapping_links
from spaniel.strategies.fusion import fuse
from spaniel.strategies.links import follow_links
from spaniel.strategies.merging import is_node, merge_up
from spaniel.strategies.scores import best, deduplicate, sort_if_scored
from spaniel.strategies.search import search
from spaniel.strategies.stages import run_stage
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows import BY_SPLIT_ID, LAYOUTS, Place, Windows, widen
from spaniel.tracing import Recorder

_HITS_PER_RESULT = 4  # a merge or a fusion needs the lesser hits too

SearchMode = Literal["bm25", "embedding", "hybrid"]
"""The searches of a retrieval: lexical, dense, or both and their fusion."""

SEARCHES: Mapping[str, tuple[Callable[..., Any], ...]] = {
    "bm25": (SupportsBM25.bm25_retrieval,),
    "embedding": (SupportsVectorSearch.embedding_retrieval,),
    "hybrid": (SupportsBM25.bm25_retrieval, SupportsVectorSearch.embedding_retrieval),
}
"""The store methods of each way to search."""


@dataclass(frozen=True)
class RetrievalQuery:
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
class RetrievalPlan:
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


def retrieve(
    query: RetrievalQuery, structure: RetrievalPlan, store: object
) -> Program[tuple[list[Document], list[str]]]:
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


def _hits(query: RetrievalQuery, structure: RetrievalPlan, store: object) -> Program[list[Document]]:
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


def _search(
    method: Callable[..., Any], query: RetrievalQuery, structure: RetrievalPlan, **limits: Any
) -> "partial[Any]":
    if method is SupportsBM25.bm25_retrieval:
        return partial(search, method, structure.explain, query=query.text, filters=query.filters, **limits)
    return partial(search, method, query_embedding=query.embedding, filters=query.filters, **limits)


F = TypeVar("F", bound=Callable[..., Any])


def _around(inner: Callable[..., Any]) -> Callable[[F], F]:
    """Note the algorithm whose settings a part takes too, so that a trace shows none that is at its default."""

    def noted(part: F) -> F:
        part.around = inner  # type: ignore[attr-defined]  # functions may have attributes
        return part

    return noted


@_around(merge_up)
def merged(
    hits: Sequence[Document], *, top_k: int, record: Recorder | None = None, **settings: Any
) -> StrategyRun[list[Document]]:
    """Return the best of the hits after merging; none lies inside another.

    :param hits: chunks; those without the metadata of a hierarchy stay as they are.
    :param top_k: how many to return.
    :param settings: those of `merge_up`.
    """
    loose = [hit for hit in hits if not is_node(hit)]
    documents = yield from merge_up([hit for hit in hits if is_node(hit)], record=record, **settings)
    if loose:
        documents = sort_if_scored([*documents, *deduplicate(loose, record)])
    return best(drop_contained(documents, record), top_k, record)


@_around(follow_links)
def followed(
    documents: Sequence[Document], *, record: Recorder | None = None, **settings: Any
) -> StrategyRun[list[Document]]:
    """Return documents, then what they link to; nothing linked shares text with what is there.

    :param documents: the originals; all of them stay.
    :param settings: those of `follow_links`.
    """
    found = yield from follow_links(documents, force_keep_original_documents=True, record=record, **settings)
    return drop_overlapping_links(found, documents, record)


@_around(widen)
def widened(
    documents: Sequence[Document],
    *,
    window_size: int,
    over: str = "source",
    place: Place = BY_SPLIT_ID,
    record: Recorder | None = None,
    **settings: Any,
) -> StrategyRun[Windows]:
    """Return for each document its window; one that does not say where it stands, such as a whole file, has its own text.

    :param window_size: how many chunks before and after it belong to its window.
    :param over: what the window runs over: see `widen`.
    :param place: for ``source``: which metadata says where a chunk stands.
    :param settings: more of those of `widen`, but none that makes one window of several.
    """
    layout = LAYOUTS[over](place)
    placed = [document for document in documents if not layout.missing_in(document)]
    windows = yield from widen(placed, window_size=window_size, over=over, place=place, record=record, **settings)
    texts = dict(zip((document.id for document in placed), windows["context_windows"], strict=True))
    return Windows(
        context_windows=[texts.get(document.id, document.content or "") for document in documents],
        context_documents=windows["context_documents"],
    )
