"""Lexical search in any store that supports it."""

from functools import partial

from spaniel.components.retrievers.base import StoreRetriever, validate_min_score, validate_policy
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.validation import validate_count
from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.json_types import Filters
from spaniel.runtime import Program, async_method, sync_method
from spaniel.store_methods import ExplainsBM25, SupportsBM25
from spaniel.strategies import run_stage, search


@component
class BM25Retriever(StoreRetriever):
    """Finds the documents of a store that share terms with a query, best first.

    :param document_store: a store with a method ``bm25_retrieval``.
    :param filters: a filter that documents must match.
    :param top_k: the maximum number of documents.
    :param scale_score: scale scores to between 0 and 1.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param min_score: the minimum score of a returned document, after scaling.
    :raises ValueError: a number is out of range, or the policy is unknown.
    :raises WrongStoreError: the store does not support it.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="Python is a language"), Document(content="Python ist eine Sprache")])
    2
    >>> [document.content for document in BM25Retriever(store).run(query="Sprache")["documents"]]
    ['Python ist eine Sprache']
    """

    document_store: SupportsBM25

    def __init__(
        self,
        document_store: SupportsBM25,
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        *,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store, SupportsBM25.bm25_retrieval)
        self.filters = copy_value(filters)
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.scale_score = scale_score
        self.filter_policy = validate_policy(filter_policy)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters: Filters | None = None,
        top_k: int | None = None,
        scale_score: bool | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the best documents under ``documents``.

        :param query: text; each distinct term counts once.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param scale_score: overrides the constructor's.
        :raises ValueError: the query is empty, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        """
        ranking = partial(
            search,
            SupportsBM25.bm25_retrieval,
            ExplainsBM25.explain_bm25,
            min_score=self.min_score,
            query=query,
            filters=apply_filter_policy(self.filter_policy, self.filters, filters),
            top_k=self.top_k if top_k is None else top_k,
            scale_score=self.scale_score if scale_score is None else scale_score,
        )
        return {"documents": (yield from run_stage(ranking, self.document_store, type(self).__name__))}

    run_async = async_method(run)
