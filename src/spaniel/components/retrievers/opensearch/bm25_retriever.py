"""Lexical search in an OpenSearch cluster."""

from collections.abc import Callable
from functools import partial
from typing import Any

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
class OpenSearchBM25Retriever(OpenSearchRetriever):
    """Finds the documents of an OpenSearch index that share terms with a query, best first.

    :param document_store: the store.
    :param filters: a filter that documents must match.
    :param fuzziness: the edits by which a term may differ: 0, 1, 2, or ``AUTO`` (by its length).
    :param top_k: the maximum number of documents.
    :param scale_score: scale scores to between 0 and 1.
    :param all_terms_must_match: require all terms of the query in a document.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param custom_query: a search body to send instead, with ``$query`` and ``$filters``.
    :param raise_on_failure: raise errors of the server; otherwise log them and return nothing.
    :param min_score: the minimum score of a returned document, after scaling.
    :raises ValueError: a number is out of range, or the policy is unknown.
    :raises WrongStoreError: the store is of another class.

    ::

        retriever = OpenSearchBM25Retriever(document_store=store, fuzziness="AUTO")
        retriever.run(query="spanial")["documents"]
    """

    _own_options = frozenset({"min_score"})
    _search_options = ("top_k", "scale_score", "fuzziness", "all_terms_must_match", "custom_query")

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        filters: Filters | None = None,
        fuzziness: int | str = 0,
        top_k: int = 10,
        scale_score: bool = False,
        all_terms_must_match: bool = False,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query: JsonObject | None = None,
        raise_on_failure: bool = True,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store)
        self.filters = copy_value(filters or {})
        self.fuzziness = fuzziness
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.scale_score = scale_score
        self.all_terms_must_match = all_terms_must_match
        self.filter_policy = validate_policy(filter_policy)
        self.custom_query = copy_value(custom_query)
        self.raise_on_failure = raise_on_failure
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters: Filters | None = None,
        all_terms_must_match: bool | None = None,
        top_k: int | None = None,
        fuzziness: int | str | None = None,
        scale_score: bool | None = None,
        custom_query: JsonObject | None = None,
        document_store: OpenSearchDocumentStore | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the best documents under ``documents``.

        :param query: text; if empty, finds the documents that match the filter.
        :param filters: combined with the constructor's by the policy.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param all_terms_must_match, fuzziness, scale_score: override the constructor's.
        :param custom_query, document_store: override the constructor's.
        :raises ValueError: the query is not text, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the search failed at the server, and failures are raised.
        """
        found: list[Document] = []
        store = self._store(document_store)
        arguments = self.search_arguments(
            query=query,
            filters=self.combine_filters(filters),
            all_terms_must_match=all_terms_must_match,
            top_k=top_k,
            fuzziness=fuzziness,
            scale_score=scale_score,
            custom_query=custom_query,
        )
        with self._log_failures("lexical search"):
            strategy = partial(
                search,
                OpenSearchDocumentStore.bm25_retrieval,
                select_explain_method(arguments),
                min_score=self.min_score,
                **arguments,
            )
            found = yield from run_stage(strategy, store, type(self).__name__)
        return {"documents": found}

    run_async = async_method(run)


def select_explain_method(arguments: dict[str, Any]) -> Callable[..., Any] | None:
    """Return the store method that explains matched terms; None for a search of inexact terms."""
    exact = arguments["fuzziness"] in {0, "0"} and arguments["custom_query"] is None
    return OpenSearchDocumentStore.explain_bm25 if exact else None
