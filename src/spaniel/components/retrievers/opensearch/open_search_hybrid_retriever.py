"""Lexical and dense search in an OpenSearch cluster, as one list."""

from functools import partial
from typing import Any

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.joiners.document_joiner import JoinMode
from spaniel.components.retrievers.base import CompositeRetriever, validate_min_score, validate_optional_count
from spaniel.components.retrievers.opensearch.bm25_retriever import OpenSearchBM25Retriever, select_explain_method
from spaniel.components.retrievers.opensearch.embedding_retriever import OpenSearchEmbeddingRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.strategies import run_stage, search_both
from spaniel.strategies.fusion import FusionMode, cut


@component
class OpenSearchHybridRetriever(CompositeRetriever):
    """Finds documents of an OpenSearch index by lexical and dense search in a single request.

    :param document_store: the store.
    :param embedder: embeds the query.
    :param filters_bm25: a filter for the lexical search.
    :param fuzziness: the edits by which a term may differ: 0, 1, 2 or ``AUTO``.
    :param top_k_bm25: the maximum number of documents from the lexical search.
    :param scale_score: scale the scores of the lexical search to between 0 and 1.
    :param all_terms_must_match: require all terms of the query in a document.
    :param filter_policy_bm25: decides between `filters_bm25` and a filter given to `run`.
    :param custom_query_bm25: see `OpenSearchBM25Retriever`.
    :param filters_embedding: a filter for the dense search.
    :param top_k_embedding: the maximum number of documents from the dense search.
    :param filter_policy_embedding: decides between `filters_embedding` and a filter given to `run`.
    :param custom_query_embedding: see `OpenSearchEmbeddingRetriever`.
    :param search_kwargs_embedding: more of the ``knn`` query.
    :param join_mode: the method that joins the two lists: see `DocumentJoiner`.
    :param weights: the weight of each list: lexical, then dense.
    :param top_k: the maximum number of documents; None: all.
    :param sort_by_score: sort the joined documents, best first.
    :param min_score: the minimum score of a returned document, after joining.
    :param kwargs: ``bm25_retriever={...}`` and ``embedding_retriever={...}``: further parameters of
        `OpenSearchBM25Retriever` and `OpenSearchEmbeddingRetriever`, such as ``raise_on_failure``:
        False returns the other list alone.
    :raises ValueError: another keyword is given, or a parameter is out of range.
    :raises WrongStoreError: the store is of another class.

    ::

        retriever = OpenSearchHybridRetriever(store, embedder=embedder, top_k=10)
        retriever.run(query="red fruit")["documents"]
    """

    _own_options = frozenset({"min_score"})
    _component_parameters = ("embedder",)

    def __init__(
        self,
        document_store: OpenSearchDocumentStore,
        *,
        embedder: TextEmbedder,
        filters_bm25: Filters | None = None,
        fuzziness: int | str = 0,
        top_k_bm25: int = 10,
        scale_score: bool = False,
        all_terms_must_match: bool = False,
        filter_policy_bm25: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query_bm25: JsonObject | None = None,
        filters_embedding: Filters | None = None,
        top_k_embedding: int = 10,
        filter_policy_embedding: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query_embedding: JsonObject | None = None,
        search_kwargs_embedding: JsonObject | None = None,
        join_mode: FusionMode | JoinMode = JoinMode.RECIPROCAL_RANK_FUSION,
        weights: list[float] | None = None,
        top_k: int | None = None,
        sort_by_score: bool = True,
        min_score: float | None = None,
        **kwargs: Any,
    ) -> None:
        for name in kwargs:
            if name not in ("bm25_retriever", "embedding_retriever"):
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
        self.join_mode = JoinMode.from_str(join_mode)
        self.weights = copy_value(weights)
        self.top_k = validate_optional_count("top_k", top_k, positive=True)
        self.sort_by_score = sort_by_score
        self.min_score = validate_min_score(min_score)
        self.kwargs = kwargs
        lexical_parameters = {
            "filters": filters_bm25,
            "fuzziness": fuzziness,
            "top_k": top_k_bm25,
            "scale_score": scale_score,
            "all_terms_must_match": all_terms_must_match,
            "filter_policy": filter_policy_bm25,
            "custom_query": custom_query_bm25,
            **kwargs.get("bm25_retriever", {}),
            "document_store": document_store,
        }
        dense_parameters = {
            "filters": filters_embedding,
            "top_k": top_k_embedding,
            "filter_policy": filter_policy_embedding,
            "custom_query": custom_query_embedding,
            "search_kwargs": search_kwargs_embedding,
            **kwargs.get("embedding_retriever", {}),
            "document_store": document_store,
        }
        self._lexical = OpenSearchBM25Retriever(**lexical_parameters)
        self._dense = OpenSearchEmbeddingRetriever(**dense_parameters)
        self._joiner = DocumentJoiner(self.join_mode, weights, sort_by_score=sort_by_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters_bm25: Filters | None = None,
        filters_embedding: Filters | None = None,
        top_k_bm25: int | None = None,
        top_k_embedding: int | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents of both searches under ``documents``.

        :param query: text.
        :param filters_bm25, filters_embedding: combined with the constructor's by the policies.
        :param top_k_bm25, top_k_embedding: override the constructor's; 0 omits the search.
        :raises ValueError: the query is not text, or a number is negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: a search failed at the server, and failures are raised.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        embedded = yield Call(self.embedder, TextEmbedder.run, {"text": query})
        lexical = self._lexical.search_arguments(
            query=query, filters=self._lexical.combine_filters(filters_bm25), top_k=top_k_bm25
        )
        dense = self._dense.search_arguments(
            query_embedding=embedded["embedding"],
            filters=self._dense.combine_filters(filters_embedding),
            top_k=top_k_embedding,
        )
        searches = partial(
            search_both,
            select_explain_method(lexical),
            bm25={**lexical, "raise_on_failure": self._lexical.raise_on_failure},
            embedding={**dense, "raise_on_failure": self._dense.raise_on_failure},
            min_scores=(self._lexical.min_score, self._dense.min_score),
        )
        rankings = yield from run_stage(searches, self.document_store, type(self).__name__)
        documents = self._joiner.run(list(rankings))["documents"]
        if self.top_k is not None or self.min_score is not None:
            kept = partial(cut, documents, top_k=self.top_k, min_score=self.min_score)
            documents = yield from run_stage(kept, None, type(self).__name__)
        return {"documents": documents}

    run_async = async_method(run)

    def _components(self) -> list[object]:
        return [*super()._components(), self.document_store]

    def _init_parameters(self) -> JsonObject:
        parameters = super()._init_parameters()
        further: JsonObject = parameters.pop("kwargs")
        return {**parameters, **further}
