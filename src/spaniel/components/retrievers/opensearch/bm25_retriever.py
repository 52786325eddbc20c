"""Keyword search in an OpenSearch cluster."""

from collections.abc import Callable
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
class OpenSearchBM25Retriever(OpenSearchRetriever):
    """Finds the documents of an OpenSearch index that share terms with a query, best first.

    :param document_store: the store.
    :param filters: what documents must match.
    :param fuzziness: how many edits a word may differ by: 0, 1, 2, or ``AUTO``: more in longer words.
    :param top_k: how many documents at most.
    :param scale_score: squeeze scores into 0 to 1.
    :param all_terms_must_match: whether a document needs all terms of the query.
    :param filter_policy: what a run-time filter does to `filters`.
    :param custom_query: the body of a search in the place of ours, with ``$query`` and ``$filters`` where these go.
    :param raise_on_failure: whether an error of the server is raised; else it is a warning, and nothing is found.
    :param min_score: what a document must score, after any scaling.
    :raises ValueError: `top_k` is not greater than 0, `min_score` is no number, or the policy is unknown.
    :raises WrongStoreError: the store is of another kind.

    ::

        retriever = OpenSearchBM25Retriever(document_store=store, fuzziness="AUTO")
        retriever.run(query="spanial")["documents"]
    """

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        filters: dict[str, Any] | None = None,
        fuzziness: int | str = 0,
        top_k: int = 10,
        scale_score: bool = False,
        all_terms_must_match: bool = False,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        custom_query: dict[str, Any] | None = None,
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

    _own_options = frozenset({"min_score"})

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        all_terms_must_match: bool | None = None,
        top_k: int | None = None,
        fuzziness: int | str | None = None,
        scale_score: bool | None = None,
        custom_query: dict[str, Any] | None = None,
        document_store: OpenSearchDocumentStore | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the best documents under ``documents``.

        :param query: text; an empty one finds what matches the filter.
        :param filters: joined to the filters of the constructor as the policy says.
        :param all_terms_must_match: instead of the constructor's.
        :param top_k: instead of the constructor's; 0 gives none.
        :param fuzziness: instead of the constructor's.
        :param scale_score: instead of the constructor's.
        :param custom_query: instead of the constructor's.
        :param document_store: instead of the constructor's.
        :raises ValueError: the query is no text, or `top_k` negative.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the server can't be reached, or refuses the search, and failures are raised.
        """
        found: list[Document] = []
        store = self._store(document_store)
        arguments = self.arguments(query, filters, all_terms_must_match, top_k, fuzziness, scale_score, custom_query)
        with self._log_failures("search by words"):
            strategy = partial(
                search,
                OpenSearchDocumentStore.bm25_retrieval,
                explained_by(arguments),
                min_score=self.min_score,
                **arguments,
            )
            found = yield from run_stage(strategy, store, type(self).__name__)
        return {"documents": found}

    run_async = async_method(run)

    def arguments(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        all_terms_must_match: bool | None = None,
        top_k: int | None = None,
        fuzziness: int | str | None = None,
        scale_score: bool | None = None,
        custom_query: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return what the store's ``bm25_retrieval`` is given in a run with these parameters."""
        return {
            "query": query,
            "filters": apply_filter_policy(self.filter_policy, self.filters, filters),
            "top_k": self.top_k if top_k is None else top_k,
            "scale_score": self.scale_score if scale_score is None else scale_score,
            "fuzziness": self.fuzziness if fuzziness is None else fuzziness,
            "all_terms_must_match": (
                self.all_terms_must_match if all_terms_must_match is None else all_terms_must_match
            ),
            "custom_query": self.custom_query if custom_query is None else custom_query,
        }


def explained_by(arguments: dict[str, Any]) -> Callable[..., Any] | None:
    """Return the store method that explains which terms of a query matched, for a search with these arguments."""
    exact = arguments["fuzziness"] in {0, "0"} and arguments["custom_query"] is None
    return OpenSearchDocumentStore.explain_bm25 if exact else None
