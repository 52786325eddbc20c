"""Search and structure in one: find, merge, follow links, widen."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypeAlias

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.retrievers.base import (
    CompositeRetriever,
    TokenizerParameter,
    token_counter,
    validate_choice,
    validate_count,
    validate_min_score,
    validate_number,
    validate_policy,
    validate_store,
    validate_tokenizer,
)
from spaniel.components.retrievers.structured_plan import PlannedPart, highest_level, planned
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.filters import FilterPolicy, apply_filter_policy, parse_filter
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.store_methods import ExplainsBM25
from spaniel.strategies import DIRECTIONS, MERGE_SHARES, MERGED_SCORES, WINDOW_LAYOUTS
from spaniel.strategies.structured_retrieval import SEARCHES, RetrievalPlan, RetrievalQuery, retrieve
from spaniel.tracing import Lineage, current_trace, trace

SearchMode: TypeAlias = Literal["bm25", "embedding", "hybrid"]


@component
class StructuredRetriever(TokenizerParameter, CompositeRetriever):
    r"""Returns the best passages for a query, by search and structure: each part is a stage of a trace.

    ``search`` finds hits by keywords, vectors, or both, fused by their ranks. ``merge`` puts a section in place of its hits
    where enough of it was hit, and cuts to `top_k`. ``follow`` adds what the passages link to. ``window`` widens each
    passage to the chunks around it; or ``budget`` chooses for each the hit, its window, section or document, so that the
    most score fits. The store is asked once a search, a level, a hop, and for all windows together; `plan` says how often at
    most.

    :param document_store: any store with the methods that the search needs: ``bm25_retrieval``, ``embedding_retrieval``.
    :param top_k: how many passages at most; with `follow`, as many linked ones may come on top.
    :param search: ``bm25``, ``embedding``, or ``hybrid``: both, as one list by reciprocal rank fusion.
    :param text_embedder: makes the query's vector, where a run is not given one.
    :param filters: what passages must match.
    :param filter_policy: what a run-time filter does to `filters`.
    :param min_score: what a hit must score; in a hybrid search after the fusion.
    :param hits: how many hits each search gives to a merge or a fusion; None: four times `top_k`.
    :param merge: whether hits give way to their parent where enough of its children were hit.
    :param threshold: the share of a parent's children, between 0 and 1, that must be exceeded.
    :param share: what the threshold is a share of: the ``children`` of a parent, or the characters of its ``text``.
    :param min_children: how many children must have matched at least.
    :param score: a parent's score: ``max``, ``mean``, ``sum`` or ``top_k_mean`` of its merged children's, or None.
    :param window: how many chunks before and after a passage to read with it.
    :param window_over: what the chunks are numbered in: their ``source``; or the leaves of the whole ``root``.
    :param bounded_by: metadata fields; a window ends where one of them changes.
    :param follow: metadata keys whose links are followed.
    :param filter_key: the metadata key that links point at.
    :param depth: how many hops.
    :param direction: ``out``: to what the passages link to. ``in``: to what links to them. ``both``.
    :param score_decay: a linked passage scores what the one that led to it does, times this. None: it has no score.
    :param budget: how many tokens the passages may have together: they are chosen, as hit, window, section or whole
        document, so that the most score fits. None: no budget.
    :param tokenizer: what counts tokens: a name of an encoding such as ``o200k_base``, a callable, or a tokenizer. Default: a
        quarter of the UTF-8 bytes.
    :param explain: whether a run also returns the lineage of each document.
    :raises ValueError: a parameter is out of its range.
    :raises WrongStoreError: the store can't search.

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

    def __init__(
        self,
        document_store: SyncDocumentStore,
        top_k: int = 10,
        *,
        search: SearchMode = "bm25",
        text_embedder: TextEmbedder | None = None,
        filters: dict[str, Any] | None = None,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        min_score: float | None = None,
        hits: int | None = None,
        merge: bool = True,
        threshold: float = 0.5,
        share: str = "children",
        min_children: int = 1,
        score: str | None = "max",
        window: int = 0,
        window_over: str = "source",
        bounded_by: Sequence[str] | None = None,
        follow: Sequence[str] | None = None,
        filter_key: str = "anchor",
        depth: int = 1,
        direction: str = "out",
        score_decay: float | None = None,
        budget: int | None = None,
        tokenizer: Any = None,
        explain: bool = False,
    ) -> None:
        validate_choice("search", search, SEARCHES)
        if not 0 < validate_number("threshold", threshold) < 1:
            raise ValueError(f"The threshold parameter must be between 0 and 1. It is {threshold}.")
        self.document_store = validate_store(validate_store(document_store), *SEARCHES[search])
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.search = search
        self.text_embedder = text_embedder
        self.filters = copy_value(filters)
        self.filter_policy = validate_policy(filter_policy)
        self.min_score = validate_min_score(min_score)
        self.hits = None if hits is None else validate_count("hits", hits, positive=True)
        self.merge = merge
        self.threshold = threshold
        self.share = validate_choice("share", share, MERGE_SHARES)
        self.min_children = validate_count("min_children", min_children, positive=True)
        self.score = validate_choice("score", score, MERGED_SCORES)
        self.window = validate_count("window", window)
        self.window_over = validate_choice("window_over", window_over, WINDOW_LAYOUTS)
        self.bounded_by = _validate_keys("bounded_by", bounded_by)
        self.follow = _validate_keys("follow", follow)
        self.filter_key = filter_key
        self.depth = validate_count("depth", depth)
        self.direction = validate_choice("direction", direction, DIRECTIONS)
        self.score_decay = None if score_decay is None else validate_number("score_decay", score_decay)
        self.budget = None if budget is None else validate_count("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.explain = explain

    @component.output_types(documents=list[Document], context_windows=list[str], lineage=list[Lineage])
    @sync_method
    def run(
        self,
        query: str,
        query_embedding: Sequence[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> Program[dict[str, Any]]:
        """Return the best passages under ``documents``, and what to read of each under ``context_windows``.

        :param query: text.
        :param query_embedding: its vector, in place of what `text_embedder` makes of it.
        :param filters: joined to the filters of the constructor as the policy says.
        :param top_k: instead of the constructor's; 0 gives none.
        :returns: ``documents``: the passages, best first, then linked ones; ``context_windows``: for each its window, or its
            text; ``lineage``: where each came from, with `explain`, else none.
        :raises ValueError: the query is empty, `top_k` negative, or a vector is needed and there is none.
        :raises FilterError: a filter is malformed.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        if query_embedding is None and self.search != "bm25":
            query_embedding = yield from self._embed(query)
        asked = self._asked(query, query_embedding, filters, top_k)
        with self._traced():
            documents, texts = yield from retrieve(asked, self._structure(), self.document_store)
            return self._returned(documents, texts)

    run_async = async_method(run)

    def parts(self) -> list[str]:
        """Return the names of the parts of a run, in order: those of its stages in a trace."""
        return [part.name for part in self.plan(levels=0)]

    def plan(self, *, levels: int | None = None) -> list[PlannedPart]:
        """Return for each part of a run how often it asks the store at most, and why, before anything is searched.

        :param levels: how many levels a hierarchy has above its leaves at most; None: asks the store, once, if it can tell.
        """
        if levels is None and self.merge:
            levels = highest_level(self.document_store)
        return planned(
            SEARCHES[self.search],
            levels=levels,
            merge=self.merge,
            depth=self.depth if self.follow else 0,
            inward=self.direction != "out",
            window=self.window,
            budget=self.budget is not None,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' -> '.join(self.parts())})"

    def _components(self) -> list[Any]:
        return [*([] if self.text_embedder is None else [self.text_embedder]), self.document_store]

    def _init_parameters(self) -> dict[str, Any]:
        parameters = super()._init_parameters()
        if self.text_embedder is not None:
            parameters["text_embedder"] = component_to_dict(self.text_embedder, "text_embedder")
        return parameters

    def _embed(self, query: str) -> Program[Sequence[float]]:
        if self.text_embedder is None:
            raise ValueError(f"A search by {self.search} needs a vector: pass query_embedding, or set text_embedder.")
        embedded = yield Call(self.text_embedder, TextEmbedder.run, {"text": query})
        vector: Sequence[float] = embedded["embedding"]
        return vector

    def _asked(
        self, query: str, embedding: Sequence[float] | None, filters: dict[str, Any] | None, top_k: int | None
    ) -> RetrievalQuery:
        combined = apply_filter_policy(self.filter_policy, self.filters, filters)
        if combined:
            parse_filter(combined)  # a fault in it is told before anything is searched
        return RetrievalQuery(
            query, embedding, combined, validate_count("top_k", self.top_k if top_k is None else top_k)
        )

    def _traced(self) -> AbstractContextManager[Any]:
        return trace() if self.explain and current_trace() is None else nullcontext()

    def _structure(self) -> RetrievalPlan:
        bounded_by = tuple(self.bounded_by or ())
        merge = {
            "threshold": self.threshold,
            "share": self.share,
            "min_children": self.min_children,
            "score": self.score,
            "raise_on_missing_parent": False,
        }
        follow = {
            "filter_key": self.filter_key,
            "relevant_doc_keys": self.follow,
            "depth": self.depth,
            "direction": self.direction,
            "score_decay": self.score_decay,
        }
        budget = {
            "budget": self.budget,
            "length": token_counter(self.tokenizer),
            "window_size": self.window or 1,
            "bounded_by": bounded_by,
        }
        return RetrievalPlan(
            self.search,
            ExplainsBM25.explain_bm25,
            self.hits,
            self.min_score,
            merge=merge if self.merge else None,
            follow=follow if self.follow and self.depth else None,
            window={"window_size": self.window, "over": self.window_over, "bounded_by": bounded_by}
            if self.window
            else None,
            budget=None if self.budget is None else budget,
        )

    def _returned(self, documents: list[Document], texts: list[str]) -> dict[str, Any]:
        opened = current_trace()
        if opened is not None:
            opened.returns(documents)
        lineage = [opened.lineage(document.id) for document in documents] if self.explain and opened else []
        return {"documents": documents, "context_windows": texts, "lineage": lineage}


def _validate_keys(name: str, keys: Sequence[str] | None) -> list[str] | None:
    if isinstance(keys, str) or not all(isinstance(key, str) and key for key in keys or ()):
        raise ValueError(f"{name} must be a list of metadata keys, not {keys!r}.")
    return list(keys) if keys else None
