"""Vector search in the in-memory store."""

from typing import Any

from spaniel.components.retrievers.embedding_retriever import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.filters import FilterPolicy


@component
class InMemoryEmbeddingRetriever(EmbeddingRetriever):
    """Finds the documents of an in-memory store whose embeddings are most similar to a query's, best first.

    :param document_store: the store.
    :param filters: what documents must match.
    :param top_k: how many documents at most.
    :param scale_score: squeeze scores into 0 to 1.
    :param return_embedding: whether the documents carry their embedding.
    :param filter_policy: what a run-time filter does to `filters`.
    :param min_score: what a document must score, after any scaling.
    :raises ValueError: `top_k` is not greater than 0, `min_score` is no number, or the policy is unknown.
    :raises WrongStoreError: the store is of another kind.

    >>> from spaniel import Document
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="a", embedding=[1, 0]), Document(content="b", embedding=[0, 1])])
    2
    >>> found = InMemoryEmbeddingRetriever(store, top_k=1).run(query_embedding=[0.1, 0.9])["documents"]
    >>> [(document.content, document.score) for document in found]
    [('b', 0.9)]
    """

    _store_class = InMemoryDocumentStore

    def __init__(
        self,
        document_store: InMemoryDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        *,
        min_score: float | None = None,
    ) -> None:
        super().__init__(
            document_store, filters, top_k, scale_score, return_embedding, filter_policy, min_score=min_score
        )
