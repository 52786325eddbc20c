"""The search of a knowledge base: find leaves, merge them, follow their links, widen them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.components.retrievers import StructuredRetriever
from spaniel.knowledge_base.question import searched_text
from spaniel.knowledge_base.results import SearchResults, explained
from spaniel.tracing import trace


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
    :param budget: how many tokens the passages may have together, a quarter of their bytes; None: any number.
    """

    top_k: int = 10
    filters: dict[str, Any] | None = None
    merge: bool = True
    threshold: float = 0.5
    window: int = 0
    follow: Sequence[str] = ()
    depth: int = 1
    min_score: float | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in [("top_k", self.top_k, 1), ("window", self.window, 0), ("depth", self.depth, 0)]:
            if value < least:
                raise ValueError(f"{name} must be at least {least}, but is {value}.")
        if self.budget is not None and self.budget < 1:
            raise ValueError(f"budget must be at least 1, but is {self.budget}.")
        if self.min_score is not None and math.isnan(self.min_score):
            raise ValueError("min_score must be a number, but is NaN.")


def search(store: Any, query: str, options: SearchOptions) -> SearchResults:
    """Return the best passages of a store for a query.

    :raises ValueError: the query has no words.
    """
    text = searched_text(query)
    terms = store.query_terms(text)
    if not terms:
        raise ValueError(f"The query '{query}' has no words to look for.")
    with trace() as t:
        found = retriever_for(store, options).run(text)
    texts = dict(zip((document.id for document in found["documents"]), found["context_windows"], strict=True))
    return SearchResults(query, explained(found["documents"], texts, t), terms, t)


def retriever_for(store: Any, options: SearchOptions) -> StructuredRetriever:
    """Return the retriever that searches as the options say."""
    return StructuredRetriever(
        store,
        options.top_k,
        filters=options.filters,
        min_score=options.min_score,
        merge=options.merge,
        threshold=options.threshold,
        window=options.window,
        follow=list(options.follow),
        depth=options.depth,
        budget=options.budget,
    )
