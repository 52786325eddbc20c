"""Vector search in any store that can do it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from spaniel.components.retrievers.base import StoreRetriever, validate_count, validate_min_score, validate_policy
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SupportsVectorSearch
from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import run_stage, search


@component
class EmbeddingRetriever(StoreRetriever):
    """Finds the documents of a store whose embeddings are most similar to a query's, best first.

    :param document_store: a store that ranks by vectors: one with a method ``embedding_retrieval``.
    :param filters: what documents must match.
    :param top_k: how many documents at most.
    :param scale_score: squeeze scores into 0 to 1.
    :param return_embedding: whether the documents carry their embedding.
    :param filter_policy: what a run-time filter does to `filters`.
    :param min_score: what a document must score, after any scaling.
    :raises ValueError: `top_k` is not greater than 0, `min_score` is no number, or the policy is unknown.
    :raises WrongStoreError: the store can't.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="a", embedding=[1, 0]), Document(content="b", embedding=[0, 1])])
    2
    >>> found = EmbeddingRetriever(store, top_k=1).run(query_embedding=[0.1, 0.9])["documents"]
    >>> [(document.content, document.score) for document in found]
    [('b', 0.9)]
    """

    def __init__(
        self,
        document_store: SupportsVectorSearch,
        filters: dict[str, Any] | None = None,
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
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        scale_score: bool | None = None,
        return_embedding: bool | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the most similar documents under ``documents``.

        :param query_embedding: a list or an array of numbers, as long as the documents' embeddings.
        :param filters: joined to the filters of the constructor as the policy says.
        :param top_k: instead of the constructor's; 0 gives none.
        :param scale_score: instead of the constructor's.
        :param return_embedding: instead of the constructor's.
        :raises ValueError: the vector is empty or not finite, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the embeddings are of several sizes, or of another than the query.
        """
        found = partial(
            search,
            SupportsVectorSearch.embedding_retrieval,
            min_score=self.min_score,
            query_embedding=query_embedding,
            filters=apply_filter_policy(self.filter_policy, self.filters, filters),
            top_k=self.top_k if top_k is None else top_k,
            scale_score=self.scale_score if scale_score is None else scale_score,
            return_embedding=self.return_embedding if return_embedding is None else return_embedding,
        )
        return {"documents": (yield from run_stage(found, self.document_store, type(self).__name__))}

    run_async = async_method(run)
