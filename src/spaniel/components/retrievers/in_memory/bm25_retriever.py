"""Lexical search in the in-memory store."""

from spaniel.components.retrievers.bm25_retriever import BM25Retriever
from spaniel.core.component import component
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters


@component
class InMemoryBM25Retriever(BM25Retriever):
    """Finds the documents of an in-memory store that share terms with a query, best first.

    :param document_store: the store.
    :param filters: a filter that documents must match.
    :param top_k: the maximum number of documents.
    :param scale_score: scale scores to between 0 and 1.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param min_score: the minimum score of a returned document, after scaling.
    :raises ValueError: a number is out of range, or the policy is unknown.
    :raises WrongStoreError: the store is of another class.

    >>> from spaniel import Document
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="Python is a language"), Document(content="Python ist eine Sprache")])
    2
    >>> [document.content for document in InMemoryBM25Retriever(store).run(query="Sprache")["documents"]]
    ['Python ist eine Sprache']
    """

    _store_class = InMemoryDocumentStore

    document_store: InMemoryDocumentStore

    def __init__(
        self,
        document_store: InMemoryDocumentStore,
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        *,
        min_score: float | None = None,
    ) -> None:
        super().__init__(document_store, filters, top_k, scale_score, filter_policy, min_score=min_score)
