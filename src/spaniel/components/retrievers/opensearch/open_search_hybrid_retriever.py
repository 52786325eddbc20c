"""Search by words and by vector in an OpenSearch cluster, as one list."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.joiners.document_joiner import JoinMode
from spaniel.components.retrievers.base import CompositeRetriever, validate_count, validate_min_score
from spaniel.components.retrievers.opensearch.bm25_retriever import OpenSearchBM25Retriever, explained_by
from spaniel.components.retrievers.opensearch.embedding_retriever import OpenSearchEmbeddingRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.filters import FilterPolicy
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.strategies import run_stage, search_both
from spaniel.strategies.fusion import cut

_EXTRA = ("bm25_retriever", "embedding_retriever")


@component
class OpenSearchHybridRetriever(CompositeRetriever):
    """Finds documents of an OpenSearch index by words and by vector, in one request, and joins both lists.

    :param document_store: the store.
    :param embedder: makes the query's vector.
    :param filters_bm25: what the documents found by words must match.
    :param fuzziness: how many edits a word may differ by: 0, 1, 2 or ``AUTO``.
    :param top_k_bm25: how many documents are looked for by words.
    :param scale_score: squeeze the scores of the search by words into 0 to 1.
    :param all_terms_must_match: whether a document needs all terms of the query.
    :param filter_policy_bm25: what a run-time filter does to `filters_bm25`.
    :param custom_query_bm25: the body of a search in the place of ours, with ``$query`` and ``$filters``.
    :param filters_embedding: what the documents found by vector must match.
    :param top_k_embedding: how many documents are looked for by vector.
    :param filter_policy_embedding: what a run-time filter does to `filters_embedding`.
    :param custom_query_embedding: the body of a search in the place of ours, with ``$query_embedding`` and ``$filters``.
    :param search_kwargs_embedding: further members of the ``knn`` query.
    :param join_mode: how the two lists become one: see `DocumentJoiner`.
    :param weights: how much each list counts: words, then vectors.
    :param top_k: how many documents at most; None: all.
    :param sort_by_score: whether the best come first.
    :param min_score: what a document must score after the lists are joined.
    :param kwargs: ``bm25_retriever={...}`` and ``embedding_retriever={...}``: further parameters of `OpenSearchBM25Retriever`
        and `OpenSearchEmbeddingRetriever`, such as ``raise_on_failure``: False lets the other list come alone.
    :raises ValueError: another keyword is given, or a parameter is out of its range.
    :raises WrongStoreError: the store is of another kind.

    ::

        retriever = OpenSearchHybridRetriever(store, embedder=embedder, top_k=10)
        retriever.run(query="red fruit")["documents"]
    """

    def __init__(
        self,
        document_store: OpenSearchDocumentStore,
        *,
        embedder: TextEmbedder,
        filters_bm25: dict[str, Any] | None = None,
        fuzziness: int | str = 0,
        top_k_bm25: int = 10,
        scale_score: bool = False,
        all_terms_must_match: bool = False,
        filter_policy_bm25: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query_bm25: dict[str, Any] | None = None,
        filters_embedding: dict[str, Any] | None = None,
        top_k_embedding: int = 10,
        filter_policy_embedding: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query_embedding: dict[str, Any] | None = None,
        search_kwargs_embedding: dict[str, Any] | None = None,
        join_mode: str | JoinMode = JoinMode.RECIPROCAL_RANK_FUSION,
        weights: list[float] | None = None,
        top_k: int | None = None,
        sort_by_score: bool = True,
        min_score: float | None = None,
        **kwargs: Any,
    ) -> None:
        for name in kwargs:
            if name not in _EXTRA:
                raise ValueError(
                    f"valid extra args are only: 'bm25_retriever' and 'embedding_retriever'. Found: {name}"
                )
        self.document_store = document_store
        self.embedder = embedder
        self.filters_bm25 = copy_value(filters_bm25)
        self.fuzziness = fuzziness
        self.top_k_bm25 = top_k_bm25
        self.scale_score = scale_score
        self.all_terms_must_match = all_terms_must_match
        self.filter_policy_bm25 = filter_policy_bm25
        self.custom_query_bm25 = copy_value(custom_query_bm25)
        self.filters_embedding = copy_value(filters_embedding)
        self.top_k_embedding = top_k_embedding
        self.filter_policy_embedding = filter_policy_embedding
        self.custom_query_embedding = copy_value(custom_query_embedding)
        self.search_kwargs_embedding = copy_value(search_kwargs_embedding)
        self.join_mode = join_mode if isinstance(join_mode, JoinMode) else JoinMode.from_str(join_mode)
        self.weights = copy_value(weights)
        self.top_k = None if top_k is None else validate_count("top_k", top_k, positive=True)
        self.sort_by_score = sort_by_score
        self.min_score = validate_min_score(min_score)
        self.kwargs = kwargs
        self._words = OpenSearchBM25Retriever(**self._words_parameters())
        self._vector = OpenSearchEmbeddingRetriever(**self._vector_parameters())
        self._joiner = DocumentJoiner(self.join_mode, weights, sort_by_score=sort_by_score)

    def _words_parameters(self) -> dict[str, Any]:
        return {
            "filters": self.filters_bm25,
            "fuzziness": self.fuzziness,
            "top_k": self.top_k_bm25,
            "scale_score": self.scale_score,
            "all_terms_must_match": self.all_terms_must_match,
            "filter_policy": self.filter_policy_bm25,
            "custom_query": self.custom_query_bm25,
            **self.kwargs.get("bm25_retriever", {}),
            "document_store": self.document_store,
        }

    def _vector_parameters(self) -> dict[str, Any]:
        return {
            "filters": self.filters_embedding,
            "top_k": self.top_k_embedding,
            "filter_policy": self.filter_policy_embedding,
            "custom_query": self.custom_query_embedding,
            "search_kwargs": self.search_kwargs_embedding,
            **self.kwargs.get("embedding_retriever", {}),
            "document_store": self.document_store,
        }

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters_bm25: dict[str, Any] | None = None,
        filters_embedding: dict[str, Any] | None = None,
        top_k_bm25: int | None = None,
        top_k_embedding: int | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents of both searches under ``documents``.

        :param query: text.
        :param filters_bm25: joined to the filters of the constructor as the policy says.
        :param filters_embedding: joined to the filters of the constructor as the policy says.
        :param top_k_bm25: instead of the constructor's; 0 leaves the search by words out.
        :param top_k_embedding: instead of the constructor's; 0 leaves the search by vector out.
        :raises ValueError: the query is no text, or a number is negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the server can't be reached, or refuses a search, and failures are raised.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        embedded = yield Call(self.embedder, TextEmbedder.run, {"text": query})
        words = self._words.arguments(query, filters_bm25, top_k=top_k_bm25)
        nearest = self._vector.arguments(embedded["embedding"], filters_embedding, top_k_embedding)
        searches = partial(
            search_both,
            explained_by(words),
            words=_with_failures(words, self._words),
            vector=_with_failures(nearest, self._vector),
            min_scores=(self._words.min_score, self._vector.min_score),
        )
        rankings = yield from run_stage(searches, self.document_store, type(self).__name__)
        documents = self._joiner.run(list(rankings))["documents"]
        if self.top_k is not None or self.min_score is not None:
            kept = partial(cut, documents, top_k=self.top_k, min_score=self.min_score)
            documents = yield from run_stage(kept, None, type(self).__name__)
        return {"documents": documents}

    run_async = async_method(run)

    def _components(self) -> list[Any]:
        return [self.embedder, self.document_store]

    _own_options = frozenset({"min_score"})

    def _init_parameters(self) -> dict[str, Any]:
        parameters = super()._init_parameters()
        extra = parameters.pop("kwargs")
        return {**parameters, "embedder": component_to_dict(self.embedder, "embedder"), **extra}


def _with_failures(
    arguments: Mapping[str, Any], retriever: OpenSearchBM25Retriever | OpenSearchEmbeddingRetriever
) -> dict[str, Any]:
    return {**arguments, "raise_on_failure": retriever.raise_on_failure}
