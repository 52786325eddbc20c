"""Dense search in any store that supports it."""

from collections.abc import Sequence
from functools import partial

from spaniel.components.retrievers.base import StoreRetriever, validate_min_score, validate_policy
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.validation import validate_count
from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.json_types import Filters
from spaniel.runtime import Program, async_method, sync_method
from spaniel.store_methods import SupportsVectorSearch
from spaniel.strategies import run_stage, search


@component
class EmbeddingRetriever(StoreRetriever):
    """Finds the documents of a store most similar to a query's embedding, best first.

    :param document_store: a store with a method ``embedding_retrieval``.
    :param filters: a filter that documents must match.
    :param top_k: the maximum number of documents.
    :param scale_score: scale scores to between 0 and 1.
    :param return_embedding: include embeddings in the returned documents.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param min_score: the minimum score of a returned document, after scaling.
    :raises ValueError: a number is out of range, or the policy is unknown.
    :raises WrongStoreError: the store does not support it.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="a", embedding=[1, 0]), Document(content="b", embedding=[0, 1])])
    2
    >>> found = EmbeddingRetriever(store, top_k=1).run(query_embedding=[0.1, 0.9])["documents"]
    >>> [(document.content, document.score) for document in found]
    [('b', 0.9)]
    """

    document_store: SupportsVectorSearch

    def __init__(
        self,
        document_store: SupportsVectorSearch,
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        *,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store, SupportsVectorSearch.embedding_retrieval)
        self.filters = copy_value(filters)
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.scale_score = scale_score
        self.return_embedding = return_embedding
        self.filter_policy = validate_policy(filter_policy)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query_embedding: Sequence[float],
        filters: Filters | None = None,
        top_k: int | None = None,
        scale_score: bool | None = None,
        return_embedding: bool | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the most similar documents under ``documents``.

        :param query_embedding: a list or an array of numbers, of the dimension of the embeddings.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param scale_score, return_embedding: override the constructor's.
        :raises ValueError: the vector is empty or not finite, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: embeddings differ in dimension from each other or the query.
        """
        ranking = partial(
            search,
            SupportsVectorSearch.embedding_retrieval,
            min_score=self.min_score,
            query_embedding=query_embedding,
            filters=apply_filter_policy(self.filter_policy, self.filters, filters),
            top_k=self.top_k if top_k is None else top_k,
            scale_score=self.scale_score if scale_score is None else scale_score,
            return_embedding=self.return_embedding if return_embedding is None else return_embedding,
        )
        return {"documents": (yield from run_stage(ranking, self.document_store, type(self).__name__))}

    run_async = async_method(run)
