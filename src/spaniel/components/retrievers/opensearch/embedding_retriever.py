"""Vector search in an OpenSearch cluster."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from spaniel.components.retrievers.base import validate_count, validate_min_score, validate_policy
from spaniel.components.retrievers.opensearch.base import OpenSearchRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import run_stage, search


@component
class OpenSearchEmbeddingRetriever(OpenSearchRetriever):
    """Finds the documents of an OpenSearch index whose embeddings are most similar to a query's, best first.

    :param document_store: the store.
    :param filters: what documents must match.
    :param top_k: how many documents at most.
    :param filter_policy: what a run-time filter does to `filters`.
    :param custom_query: the body of a search in the place of ours, with ``$query_embedding`` and ``$filters`` where these go.
    :param raise_on_failure: whether an error of the server is raised; else it is a warning, and nothing is found.
    :param efficient_filtering: look for neighbours among the documents that match the filter, so that `top_k` are found if
        so many match; else the filter is put to the `top_k` neighbours of all documents.
    :param search_kwargs: further members of the ``knn`` query, such as ``{"method_parameters": {"ef_search": 512}}``.
    :param min_score: what a document must score.
    :raises ValueError: `top_k` is not greater than 0, `min_score` is no number, or the policy is unknown.
    :raises WrongStoreError: the store is of another kind.

    ::

        retriever = OpenSearchEmbeddingRetriever(document_store=store, top_k=5)
        retriever.run(query_embedding=embedder.run(text="red fruit")["embedding"])["documents"]
    """

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query: dict[str, Any] | None = None,
        raise_on_failure: bool = True,
        efficient_filtering: bool = True,
        search_kwargs: dict[str, Any] | None = None,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store)
        self.filters = copy_value(filters or {})
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.filter_policy = validate_policy(filter_policy)
        self.custom_query = copy_value(custom_query)
        self.raise_on_failure = raise_on_failure
        self.efficient_filtering = efficient_filtering
        self.search_kwargs = copy_value(search_kwargs)
        self.min_score = validate_min_score(min_score)

    _own_options = frozenset({"min_score"})

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        custom_query: dict[str, Any] | None = None,
        efficient_filtering: bool | None = None,
        document_store: OpenSearchDocumentStore | None = None,
        search_kwargs: dict[str, Any] | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the most similar documents under ``documents``.

        :param query_embedding: a list or an array of numbers, as long as the documents' embeddings.
        :param filters: joined to the filters of the constructor as the policy says.
        :param top_k: instead of the constructor's; 0 gives none.
        :param custom_query: instead of the constructor's.
        :param efficient_filtering: instead of the constructor's.
        :param document_store: instead of the constructor's.
        :param search_kwargs: instead of the constructor's.
        :raises ValueError: the vector is empty, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the server can't be reached, or refuses the search, and failures are raised.
        """
        found: list[Document] = []
        store = self._store(document_store)
        arguments = self.arguments(query_embedding, filters, top_k, custom_query, efficient_filtering, search_kwargs)
        with self._log_failures("search by vector"):
            strategy = partial(
                search, OpenSearchDocumentStore.embedding_retrieval, min_score=self.min_score, **arguments
            )
            found = yield from run_stage(strategy, store, type(self).__name__)
        return {"documents": found}

    run_async = async_method(run)

    def arguments(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        custom_query: dict[str, Any] | None = None,
        efficient_filtering: bool | None = None,
        search_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return what the store's ``embedding_retrieval`` is given in a run with these parameters."""
        return {
            "query_embedding": query_embedding,
            "filters": apply_filter_policy(self.filter_policy, self.filters, filters),
            "top_k": self.top_k if top_k is None else top_k,
            "custom_query": self.custom_query if custom_query is None else custom_query,
            "efficient_filtering": self.efficient_filtering if efficient_filtering is None else efficient_filtering,
            "search_kwargs": self.search_kwargs if search_kwargs is None else search_kwargs,
        }
