"""Lexical and dense search together, in any store that supports both."""

import logging
from collections.abc import Sequence
from typing import get_args

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.retrievers.base import (
    CompositeRetriever,
    combine_filters,
    validate_min_score,
    validate_policy,
    validate_store,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.store_methods import ExplainsBM25
from spaniel.strategies.score_fusion import FusionMethod, normalize_weights
from spaniel.strategies.structured_retrieval import SEARCHES, RetrievalPlan, RetrievalQuery, retrieve

logger = logging.getLogger(__name__)


@component
class HybridRetriever(CompositeRetriever):
    """Finds documents by words and by vectors, and ranks them by the sum of both scores.

    In a coroutine both searches run at the same time. Each is a stage of a trace, and so is their
    fusion, with the parts of each score.

    :param document_store: a store with ``bm25_retrieval`` and ``embedding_retrieval``.
    :param text_embedder: embeds the query, if a run is given no vector.
    :param top_k: the maximum number of documents.
    :param candidates: the number of documents of each search that are ranked together.
    :param fusion: scores are rescaled by their mean and deviation (``dbsf``), by their range
        (``min_max``), or by rank (``rrf``).
    :param weights: of the scores by words and by vectors; None: equal.
    :param filters: a filter that documents must match.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param min_score: the minimum score of a document; scores are between 0 and 1.
    :param raise_on_failure: False: a search that fails, or a vector that can't be had, is left out
        with a warning, unless both are.
    :raises ValueError: a number is out of range, or the fusion is unknown.
    :raises WrongStoreError: the store does not support both searches.

    >>> from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> documents = [Document(content="sun and wind"), Document(content="rain")]
    >>> store.write_documents(MockDocumentEmbedder().run(documents)["documents"])
    2
    >>> retriever = HybridRetriever(store, text_embedder=MockTextEmbedder(), top_k=1)
    >>> [document.content for document in retriever.run("rain")["documents"]]
    ['rain']
    """

    _component_parameters = ("text_embedder",)

    def __init__(
        self,
        document_store: SyncDocumentStore,
        *,
        text_embedder: TextEmbedder | None = None,
        top_k: int = 10,
        candidates: int = 100,
        fusion: FusionMethod = "dbsf",
        weights: Sequence[float] | None = None,
        filters: Filters | None = None,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        min_score: float | None = None,
        raise_on_failure: bool = True,
    ) -> None:
        self.document_store = validate_store(document_store, *SEARCHES["hybrid"])
        self.text_embedder = text_embedder
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.candidates = validate_count("candidates", candidates, positive=True)
        self.fusion = validate_choice("fusion", fusion, get_args(FusionMethod))
        self.weights = None if weights is None else list(weights)
        normalize_weights(weights, len(SEARCHES["hybrid"]))
        self.filters = copy_value(filters)
        self.filter_policy = validate_policy(filter_policy)
        self.min_score = validate_min_score(min_score)
        self.raise_on_failure = raise_on_failure

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        query_embedding: Sequence[float] | None = None,
        filters: Filters | None = None,
        top_k: int | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, best first.

        :param query: text.
        :param query_embedding: its vector, in place of that of `text_embedder`.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :raises ValueError: the query is empty, `top_k` negative, or there is neither a vector nor
            an embedder.
        :raises FilterError: a filter is malformed.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        if query_embedding is None and self.text_embedder is None:
            raise ValueError("A hybrid search needs a vector: pass query_embedding, or set text_embedder.")
        combined = combine_filters(self.filter_policy, self.filters, filters)
        limit = validate_count("top_k", self.top_k if top_k is None else top_k)
        if query_embedding is None:
            query_embedding = yield from self._embed(query)
        plan = RetrievalPlan(
            "hybrid",
            self.fusion,
            self.weights,
            tolerant=not self.raise_on_failure,
            explain=ExplainsBM25.explain_bm25,
            hits=max(self.candidates, limit),
            min_score=self.min_score,
        )
        request = RetrievalQuery(query, query_embedding, combined, limit)
        documents, _ = yield from retrieve(request, plan, self.document_store)
        return {"documents": documents}

    run_async = async_method(run)

    def _embed(self, query: str) -> Program[Sequence[float] | None]:
        try:
            embedded = yield Call(self.text_embedder, TextEmbedder.run, {"text": query})
        except Exception as error:
            if self.raise_on_failure:
                raise
            logger.warning("The query can't be embedded, so words alone are searched: %s", error)
            return None
        vector: Sequence[float] = embedded["embedding"]
        return vector

    def _components(self) -> list[object]:
        return [*super()._components(), self.document_store]
