"""Dense search in an OpenSearch cluster."""

from collections.abc import Sequence
from functools import partial

from spaniel.components.retrievers.base import validate_min_score, validate_policy
from spaniel.components.retrievers.opensearch.base import OpenSearchRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.validation import validate_count
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import run_stage, search


@component
class OpenSearchEmbeddingRetriever(OpenSearchRetriever):
    """Finds the documents of an OpenSearch index most similar to a query's embedding, best first.

    :param document_store: the store.
    :param filters: a filter that documents must match.
    :param top_k: the maximum number of documents.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param custom_query: a search body to send instead, with ``$query_embedding`` and ``$filters``.
    :param raise_on_failure: raise errors of the server; otherwise log them and return nothing.
    :param efficient_filtering: search for neighbours among the documents that match the filter, so
        that `top_k` are found if they exist; otherwise the filter is applied to the `top_k`
        neighbours of all documents.
    :param search_kwargs: more of the ``knn`` query: ``{"method_parameters": {"ef_search": 512}}``.
    :param min_score: the minimum score of a returned document.
    :raises ValueError: a number is out of range, or the policy is unknown.
    :raises WrongStoreError: the store is of another class.

    ::

        retriever = OpenSearchEmbeddingRetriever(document_store=store, top_k=5)
        retriever.run(query_embedding=embedder.run(text="red fruit")["embedding"])["documents"]
    """

    _own_options = frozenset({"min_score"})
    _search_options = ("top_k", "custom_query", "efficient_filtering", "search_kwargs")

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        filters: Filters | None = None,
        top_k: int = 10,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query: JsonObject | None = None,
        raise_on_failure: bool = True,
        efficient_filtering: bool = True,
        search_kwargs: JsonObject | None = None,
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

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query_embedding: Sequence[float],
        filters: Filters | None = None,
        top_k: int | None = None,
        custom_query: JsonObject | None = None,
        efficient_filtering: bool | None = None,
        document_store: OpenSearchDocumentStore | None = None,
        search_kwargs: JsonObject | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the most similar documents under ``documents``.

        :param query_embedding: a list or an array of numbers, of the dimension of the embeddings.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param custom_query, efficient_filtering, document_store: override the constructor's.
        :param search_kwargs: overrides the constructor's.
        :raises ValueError: the vector is empty, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the search failed at the server, and failures are raised.
        """
        found: list[Document] = []
        store = self._store(document_store)
        arguments = self.search_arguments(
            query_embedding=query_embedding,
            filters=self.combine_filters(filters),
            top_k=top_k,
            custom_query=custom_query,
            efficient_filtering=efficient_filtering,
            search_kwargs=search_kwargs,
        )
        with self._log_failures("dense search"):
            strategy = partial(
                search, OpenSearchDocumentStore.embedding_retrieval, min_score=self.min_score, **arguments
            )
            found = yield from run_stage(strategy, store, type(self).__name__)
        return {"documents": found}

    run_async = async_method(run)
