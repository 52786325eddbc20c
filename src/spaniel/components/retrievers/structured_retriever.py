"""Search and structure in a single component: find, merge, follow links, widen."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, get_args

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.retrievers.auto_merging_retriever import validate_threshold
from spaniel.components.retrievers.base import (
    CompositeRetriever,
    TokenizerParameter,
    combine_filters,
    make_token_counter,
    validate_min_score,
    validate_optional_count,
    validate_optional_number,
    validate_policy,
    validate_store,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.hierarchy import LEVEL
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.store_methods import ExplainsBM25
from spaniel.strategies.budgeting.best_fit import MIN_BUDGET_FOR_NEIGHBOURS
from spaniel.strategies.budgeting.context_budget import UtilityMeasure
from spaniel.strategies.lengths import Length
from spaniel.strategies.links.link import LinkDirection
from spaniel.strategies.merging.outcomes import ParentScore
from spaniel.strategies.merging.share import ShareMeasure
from spaniel.strategies.passage_selection import Choice
from spaniel.strategies.score_fusion import FusionMethod, normalize_weights
from spaniel.strategies.structured_retrieval import (
    SEARCHES,
    BudgetFit,
    RetrievalPlan,
    RetrievalQuery,
    SearchMode,
    retrieve,
)
from spaniel.strategies.windows.layout import WindowScope
from spaniel.tracing import Lineage, Trace, current_trace, trace


@dataclass(frozen=True)
class PlannedPart:
    """A part of a structured retrieval.

    :param name: the name of its stage in a trace.
    :param requests: the maximum number of store requests; None: it depends on the stored documents.
    :param why: the reason for that number.
    """

    name: str
    requests: int | None
    why: str

    def __str__(self) -> str:
        bound = "no bound known" if self.requests is None else f"at most {self.requests}"
        return f"{self.name}: {bound} ({self.why})"


@component
class StructuredRetriever(TokenizerParameter, CompositeRetriever):
    r"""Finds the best passages for a query by search and structure; each part is a traced stage.

    ``search`` finds hits by lexical search, dense search, or both, with the sum of their scores.
    ``merge`` replaces hits by their section where enough of it was hit, and cuts to `top_k`.
    ``follow`` adds the documents that passages link to. ``window`` widens each passage to the
    chunks around it; or ``budget`` chooses for each the hit, its window, section or document, so
    that the total score within the budget is highest. A run makes one store request per search,
    level and hop, and another for all windows; `plan` returns the bounds.

    :param document_store: any store with the methods of the search.
    :param top_k: the maximum number of passages; `follow` adds up to the same number.
    :param search: ``bm25``, ``embedding``, or ``hybrid``: both, joined by the sum of their scores.
    :param fusion: of a hybrid search: scores are rescaled by their mean and deviation (``dbsf``),
        by their range (``min_max``), or by rank (``rrf``).
    :param weights: of a hybrid search: of the scores by ``bm25`` and by ``embedding``; None: equal.
    :param text_embedder: embeds the query, if a run is given no vector.
    :param filters: a filter that passages must match.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param min_score: the minimum score of a hit; in a hybrid search after the fusion.
    :param hits: the number of hits per search before a merge or a fusion; None: four times `top_k`.
    :param merge: replace hits by their parent where enough of its children were hit.
    :param threshold: the share of a parent's children, between 0 and 1, that must be exceeded.
    :param share: measured in ``children`` of a parent, or in characters of its ``text``.
    :param min_children: the minimum number of matched children.
    :param score: of a parent: None, or ``max``, ``mean``, ``sum``, ``top_k_mean`` of its children.
    :param window: the number of chunks before and after a passage.
    :param window_over: the scope of a window: the ``source``, or the leaves of the whole ``root``.
    :param bounded_by: metadata fields; a window ends where one of them changes.
    :param follow: the metadata keys that hold links to follow.
    :param filter_key: the metadata key that links point to.
    :param depth: the number of hops.
    :param direction: follow links ``out`` of the passages, ``in`` to them, or ``both``.
    :param score_decay: the score of a linked passage is that of the passage linking to it, times
        this. None: linked passages have no score.
    :param budget: the maximum number of tokens in all passages together: hits, windows, sections
        and whole documents are chosen for the highest total score. None: no budget.
    :param tokenizer: the name of an encoding such as ``o200k_base``, a callable, or a tokenizer.
        Default: estimates tokens as a quarter of the UTF-8 bytes.
    :param explain: return the lineage of each document.
    :param fold: leave out a passage if a better one has nearly all of its text.
    :param per_file: the maximum number of passages of a file; None: any.
    :param per_row: the maximum number of passages of a row of one of `row_files`; None: any.
    :param row_files: the ends of the paths of files whose documents are rows, such as ``.csv``.
    :param offset: the number of passages to skip, for further pages of a result.
    :param link_share: rank linked passages with the hits, in `top_k`: the score of a passage is its
        own, plus this share of that of a passage linking to it. None: linked passages follow.
    :param fit: the passages in a `budget`: by ``utility`` as `ContextBudget` does, or the best by
        ``rank`` that fit, with touching ones as a text.
    :param utility: of a hit, for ``utility``: its ``score``, or 1 / ``rank``.
    :param neighbours: for ``rank``, from 800 tokens on: the chunks of its section on each side of
        the best hit that follow it.
    :param min_relative_score: hits below this share of the best score do not count for a merge.
    :param merged_share: the maximum share of the `budget` of a merged section.
    :param merged_document_share: the same of a whole document.
    :param filter_context: windows, neighbours and parents must match the filters, too.
    :raises ValueError: a parameter is out of range.
    :raises WrongStoreError: the store does not support the search.

    >>> from spaniel.components.preprocessors import SectionSplitter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> text = "# Dogs\n\nA spaniel finds things.\n\n# Cats\n\nA cat sleeps."
    >>> store = InMemoryDocumentStore(search="leaves")
    >>> store.write_documents(SectionSplitter().run([Document(content=text)])["documents"])
    3
    >>> retriever = StructuredRetriever(store, top_k=2)
    >>> [document.content for document in retriever.run("who finds things")["documents"]]
    ['# Dogs\n\nA spaniel finds things.\n\n']
    >>> retriever
    StructuredRetriever(bm25 -> merge)
    """

    _component_parameters = ("text_embedder",)

    def __init__(
        self,
        document_store: SyncDocumentStore,
        top_k: int = 10,
        *,
        search: SearchMode = "bm25",
        fusion: FusionMethod = "dbsf",
        weights: Sequence[float] | None = None,
        text_embedder: TextEmbedder | None = None,
        filters: Filters | None = None,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        min_score: float | None = None,
        hits: int | None = None,
        merge: bool = True,
        threshold: float = 0.5,
        share: ShareMeasure = "children",
        min_children: int = 1,
        score: ParentScore | None = "max",
        window: int = 0,
        window_over: WindowScope = "source",
        bounded_by: Sequence[str] | None = None,
        follow: Sequence[str] | None = None,
        filter_key: str = "anchor",
        depth: int = 1,
        direction: LinkDirection = "out",
        score_decay: float | None = None,
        budget: int | None = None,
        tokenizer: object = None,
        explain: bool = False,
        fold: bool = False,
        per_file: int | None = None,
        per_row: int | None = None,
        row_files: Sequence[str] | None = None,
        offset: int = 0,
        link_share: float | None = None,
        fit: BudgetFit = "utility",
        utility: UtilityMeasure = "score",
        neighbours: int = 0,
        min_relative_score: float | None = None,
        merged_share: float | None = None,
        merged_document_share: float | None = None,
        filter_context: bool = False,
    ) -> None:
        self.search = validate_choice("search", search, SEARCHES)
        self.document_store = validate_store(document_store, SyncDocumentStore.filter_documents, *SEARCHES[search])
        self.fusion = validate_choice("fusion", fusion, get_args(FusionMethod))
        self.weights = _validate_weights(weights)
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.text_embedder = text_embedder
        self.filters = copy_value(filters)
        self.filter_policy = validate_policy(filter_policy)
        self.min_score = validate_min_score(min_score)
        self.hits = validate_optional_count("hits", hits, positive=True)
        self.merge = merge
        self.threshold = validate_threshold(threshold)
        self.share = validate_choice("share", share, get_args(ShareMeasure))
        self.min_children = validate_count("min_children", min_children, positive=True)
        self.score = validate_choice("score", score, (*get_args(ParentScore), None))
        self.window = validate_count("window", window)
        self.window_over = validate_choice("window_over", window_over, get_args(WindowScope))
        self.bounded_by = _validate_keys("bounded_by", bounded_by)
        self.follow = _validate_keys("follow", follow)
        self.filter_key = filter_key
        self.depth = validate_count("depth", depth)
        self.direction = validate_choice("direction", direction, get_args(LinkDirection))
        self.score_decay = validate_optional_number("score_decay", score_decay)
        self.budget = validate_optional_count("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.explain = explain
        self.fold = fold
        self.per_file = validate_optional_count("per_file", per_file, positive=True)
        self.per_row = validate_optional_count("per_row", per_row, positive=True)
        self.row_files = _validate_keys("row_files", row_files)
        self.offset = validate_count("offset", offset)
        self.link_share = validate_optional_number("link_share", link_share)
        self.fit = validate_choice("fit", fit, get_args(BudgetFit))
        self.utility = validate_choice("utility", utility, get_args(UtilityMeasure))
        self.neighbours = validate_count("neighbours", neighbours)
        self.min_relative_score = validate_optional_number("min_relative_score", min_relative_score)
        self.merged_share = validate_optional_number("merged_share", merged_share)
        self.merged_document_share = validate_optional_number("merged_document_share", merged_document_share)
        self.filter_context = filter_context

    @component.output_types(documents=list[Document], context_windows=list[str], lineage=list[Lineage])
    @sync_method
    def run(
        self,
        query: str,
        query_embedding: Sequence[float] | None = None,
        filters: Filters | None = None,
        top_k: int | None = None,
    ) -> Program[dict[str, Any]]:
        """Return the best passages in ``documents``, and their texts in ``context_windows``.

        :param query: text.
        :param query_embedding: its vector, in place of that of `text_embedder`.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :returns: ``documents``: the passages, best first, then linked ones; ``context_windows``:
            the window or the text of each; ``lineage``: the lineage of each if `explain`, else an
            empty list.
        :raises ValueError: the query is empty, `top_k` negative, or a required vector missing.
        :raises FilterError: a filter is malformed.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        if query_embedding is None and self.search != "bm25":
            query_embedding = yield from self._embed(query)
        limit = validate_count("top_k", self.top_k if top_k is None else top_k)
        combined = combine_filters(self.filter_policy, self.filters, filters)
        request = RetrievalQuery(query, query_embedding, combined, limit)
        with self._open_trace():
            plan = self._retrieval_plan(combined)
            documents, texts = yield from retrieve(request, plan, self.document_store)
            opened = current_trace()
            if opened is not None:
                opened.returns(documents)
            lineage = [opened.lineage(document.id) for document in documents] if self.explain and opened else []
            return {"documents": documents, "context_windows": texts, "lineage": lineage}

    run_async = async_method(run)

    def parts(self) -> list[str]:
        """Return the names of the parts of a run, in order: those of its stages in a trace."""
        return [part.name for part in self.plan(levels=0)]

    def plan(self, *, levels: int | None = None) -> list[PlannedPart]:
        """Return the parts of a run, each with the maximum number of its store requests.

        :param levels: the maximum number of levels above the leaves; None: asks the store.
        """
        if levels is None and self.merge:
            levels = _fetch_max_level(self.document_store)
        names = [method.__name__ for method in SEARCHES[self.search]]
        plan = self._retrieval_plan(None)
        searches = plan.count_searches(self.top_k)
        more = f", and up to {searches - 1} more while too few distinct passages are left" if searches > 1 else ""
        parts = [PlannedPart(name.removesuffix("_retrieval"), searches, f"one {name}{more}") for name in names]
        if len(names) > 1:
            parts.append(PlannedPart("fuse", 0, "it works on the found documents"))
        if self.merge:
            above = "of the hierarchy above the leaves" if levels is None else f"above the leaves: {levels}"
            bound = None if levels is None else levels * searches
            parts.append(PlannedPart("merge", bound, f"one for each level {above}"))
        if self.follow and self.depth:
            per_hop, why = (
                (1, "one per hop") if self.direction == "out" else (2, "two per hop, one of them for parents")
            )
            if self.link_share is not None and len(names) == 1:
                per_hop, why = per_hop + 1, f"{why}, and one for the scores of linked passages"
            parts.append(PlannedPart("follow", per_hop * self.depth, f"{why}: depth {self.depth}"))
        if plan.selects:
            at = len(parts) if plan.rank_links is not None or plan.follow is None else len(parts) - 1
            parts.insert(at, PlannedPart("select", 0, "it works on the found documents"))
        if plan.fill is not None:
            parts.append(PlannedPart("budget", *_plan_neighbours(self.neighbours, self.budget or 0)))
        elif plan.budget is not None:
            parts.append(PlannedPart("budget", 2, "one for all windows, one for sections and documents"))
        elif self.window:
            parts.append(PlannedPart("window", 1, "one for all windows together"))
        return parts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' -> '.join(self.parts())})"

    def _components(self) -> list[object]:
        return [*super()._components(), self.document_store]

    def _embed(self, query: str) -> Program[Sequence[float]]:
        if self.text_embedder is None:
            raise ValueError(f"A search by {self.search} needs a vector: pass query_embedding, or set text_embedder.")
        embedded = yield Call(self.text_embedder, TextEmbedder.run, {"text": query})
        vector: Sequence[float] = embedded["embedding"]
        return vector

    def _open_trace(self) -> AbstractContextManager[Trace | None]:
        return trace() if self.explain and current_trace() is None else nullcontext()

    def _retrieval_plan(self, filters: Filters | None) -> RetrievalPlan:
        context: JsonObject = {"filters": filters} if self.filter_context and filters else {}
        bounded_by, length = tuple(self.bounded_by or ()), make_token_counter(self.tokenizer)
        merge: JsonObject = {
            "threshold": self.threshold,
            "share": self.share,
            "min_children": self.min_children,
            "score": self.score,
            "raise_on_missing_parent": False,
            **self._list_merge_limits(length),
            **context,
        }
        follow: JsonObject = {
            "filter_key": self.filter_key,
            "relevant_doc_keys": self.follow,
            "depth": self.depth,
            "direction": self.direction,
        }
        window = {"window_size": self.window, "over": self.window_over, "bounded_by": bounded_by, **context}
        budget: JsonObject = {"budget": self.budget, "length": length, **context}
        by_utility = {"window_size": self.window or 1, "bounded_by": bounded_by, "utility": self.utility}
        follows, has_budget = bool(self.follow and self.depth), self.budget is not None
        is_ranked, fills = self.link_share is not None, self.fit == "rank"
        return RetrievalPlan(
            self.search,
            self.fusion,
            self.weights,
            explain=ExplainsBM25.explain_bm25,
            hits=self.hits,
            min_score=self.min_score,
            merge=merge if self.merge else None,
            follow=follow | {"score_decay": self.score_decay} if follows and not is_ranked else None,
            rank_links=follow | {"share": self.link_share} if follows and is_ranked else None,
            select=self._choose_passages(),
            offset=self.offset,
            window=window if self.window else None,
            budget=budget | by_utility if has_budget and not fills else None,
            fill=budget | {"neighbours": self.neighbours} if has_budget and fills else None,
        )

    def _choose_passages(self) -> Choice | None:
        row_files = tuple(self.row_files or ())
        if not (self.fold or self.per_file or (self.per_row and row_files)):
            return None
        return Choice(self.fold, self.per_file, self.per_row, row_files)

    def _list_merge_limits(self, length: Length | None) -> JsonObject:
        """Return the limits of merged parents that are set."""
        shares = {"max_tokens": self.merged_share, "max_root_tokens": self.merged_document_share}
        limits: JsonObject = {
            name: share * self.budget for name, share in shares.items() if share is not None and self.budget is not None
        }
        if limits and length is not None:
            limits["length"] = length
        if self.min_relative_score is not None:
            limits["min_relative_score"] = self.min_relative_score
        return limits


def _plan_neighbours(neighbours: int, budget: int) -> tuple[int, str]:
    """Return the number of requests for neighbours, and its reason."""
    if not neighbours or budget < MIN_BUDGET_FOR_NEIGHBOURS:
        return 0, "it works on the found documents"
    return 1, "one for the neighbours of the best hit"


def _validate_weights(weights: Sequence[float] | None) -> list[float] | None:
    if weights is not None:
        normalize_weights(weights, len(SEARCHES["hybrid"]))
    return None if weights is None else list(weights)


def _validate_keys(name: str, keys: Sequence[str] | None) -> list[str] | None:
    if isinstance(keys, str) or not all(isinstance(key, str) and key for key in keys or ()):
        raise ValueError(f"{name} must be a list of metadata keys, got {keys!r}.")
    return list(keys) if keys else None


def _fetch_max_level(store: object) -> int | None:
    """Return the highest level of a stored document; None if the store lacks the method."""
    find_bounds = getattr(store, "get_metadata_field_min_max", None)
    if find_bounds is None:
        return None
    highest = find_bounds(f"meta.{LEVEL}").get("max")
    return highest if isinstance(highest, int) else 0
