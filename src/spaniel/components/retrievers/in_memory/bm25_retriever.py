"""Keyword search in the in-memory store."""

from typing import Any

from spaniel.components.retrievers.bm25_retriever import BM25Retriever
from spaniel.core.component import component
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.filters import FilterPolicy


@component
class InMemoryBM25Retriever(BM25Retriever):
    """Finds the documents of an in-memory store that share terms with a query, best first.

    :param document_store: the store.
    :param filters: what documents must match.
    :param top_k: how many documents at most.
    :param scale_score: squeeze scores into 0 to 1.
    :param filter_policy: what a run-time filter does to `filters`.
    :param min_score: what a document must score, after any scaling.
    :raises ValueError: `top_k` is not greater than 0, `min_score` is no number, or the policy is unknown.
    :raises WrongStoreError: the store is of another kind.

    >>> from spaniel import Document
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="Python is a language"), Document(content="Python ist eine Sprache")])
    2
    >>> [document.content for document in InMemoryBM25Retriever(store).run(query="Sprache")["documents"]]
    ['Python ist eine Sprache']
    """

    _store_class = InMemoryDocumentStore

    def __init__(
        self,
        document_store: InMemoryDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        *,
        min_score: float | None = None,
    ) -> None:
        super().__init__(document_store, filters, top_k, scale_score, filter_policy, min_score=min_score)
