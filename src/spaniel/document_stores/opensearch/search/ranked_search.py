"""What the server ranks: words, vectors, or any query of one's own."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE
from spaniel.document_stores.opensearch.search.hits import scored
from spaniel.document_stores.opensearch.search.queries import any_term, filled_body, nearest, words
from spaniel.document_stores.opensearch.search.terms import Terms, terms_of
from spaniel.document_stores.validation import validate_count
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.runtime import Program, async_method, sync_method
from spaniel.tracing import current_trace
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

Fuzziness = int | str
_ALL: dict[str, Any] = {"match_all": {}}
_MOST_TERMS = 1_000  # below the 1,024 clauses that a server takes

TOO_FUZZY = (
    "With fuzziness=%r, a query of %d words has more clauses than the server takes. Retrying with fuzziness=0; "
    "a shorter query, or no fuzziness from the start, avoids asking twice."
)
TOO_LONG = "The query has more terms than the server takes in one search: the %d rarest of those that documents hold are searched."
NOT_EFFICIENT = (
    "The engine of the vectors in the index '%s' can't filter while it searches; the filter is put to the neighbours, and "
    "fewer than top_k may be left. efficient_filtering=False avoids asking twice."
)


class Searching(Terms):
    """The methods that rank. Equal scores stand in the order of the server."""

    @sync_method
    def bm25_retrieval(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        *,
        fuzziness: Fuzziness = 0,
        all_terms_must_match: bool = False,
        custom_query: Mapping[str, Any] | None = None,
    ) -> Program[list[Document]]:
        """Return the documents whose text shares a term with a query, best first, by the server's BM25.

        Statistics are those of a shard; with the store's ``search_type="dfs_query_then_fetch"`` those of the index.

        :param query: text. An empty one finds what matches the filter.
        :param filters: what the documents must match.
        :param top_k: how many documents at most.
        :param scale_score: squeeze scores into 0 to 1: 1 / (1 + exp(-score / 8)).
        :param fuzziness: how many edits a word may differ by: 0, 1, 2 or ``AUTO``. Where that makes more clauses than the
            server takes, the query is asked again without it, with a warning.
        :param all_terms_must_match: whether a document needs all terms.
        :param custom_query: the body of a search in its stead, with ``$query`` and ``$filters`` where these go.
        :raises ValueError: `top_k` is negative, or the query no text.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the index has no text field ``content``, and there is no `custom_query`.
        """
        top_k = validate_count("top_k", top_k)
        try:
            if custom_query is None and fuzziness in {0, "0"} and current_trace() is not None:
                explained = yield from self._explained_search(query, filters, top_k, all_terms_must_match)
                if explained is not None:
                    return scored(explained, scale_score, self._read_document(self.return_embedding))
            body = yield from self._words(query, filters, fuzziness, all_terms_must_match, custom_query)
            hits = yield from self._ranked(body, top_k, self.return_embedding)
        except StoreRequestError as error:
            if not too_many_clauses(error) or custom_query is not None:
                raise
            hits = yield from self._with_fewer_clauses(query, filters, fuzziness, all_terms_must_match, top_k)
        return scored(hits, scale_score, self._read_document(self.return_embedding))

    def _with_fewer_clauses(
        self, query: str, filters: dict[str, Any] | None, fuzziness: Fuzziness, all_terms: bool, top_k: int
    ) -> Program[list[dict[str, Any]]]:
        """Return the hits of a query that has more clauses than the server takes: without fuzziness, else of its rarest terms."""
        if fuzziness not in {0, "0"}:
            logger.warning(TOO_FUZZY, fuzziness, len(query.split()))
            body = yield from self._words(query, filters, 0, all_terms, None)
            try:
                return (yield from self._ranked(body, top_k, self.return_embedding))
            except StoreRequestError as error:
                if not too_many_clauses(error):
                    raise
        fields = yield from self._index.ready()
        path = self._text_path(fields)
        terms = yield from self._terms_by_rarity(query, path)
        condition = yield from self._condition(filters)
        count = _MOST_TERMS
        while True:
            logger.warning(TOO_LONG, min(count, len(terms)))
            some = [term for term, number in terms[:count] for _ in range(number)]
            body = any_term(some[:_MOST_TERMS], condition, path=path)
            try:
                return (yield from self._ranked(body, top_k, self.return_embedding))
            except StoreRequestError as error:
                if not too_many_clauses(error) or count == 1:
                    raise
                count //= 2

    bm25_retrieval_async = async_method(bm25_retrieval)

    @sync_method
    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> Program[dict[str, tuple[TermMatch, ...]]]:
        """Return for each document the terms of a query that it holds, and what each adds to its unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: the documents; those that do not match are left out.
        """
        searched, known = self._explanations
        if searched == query and all(id in known for id in document_ids):
            self._explanations = (None, {})  # who asks again wants to know all that the server says
            return {id: known[id] for id in document_ids}
        ids = {"field": "id", "operator": "in", "value": list(document_ids)}
        body = yield from self._words(query, ids, 0, False, None)
        hits = yield from self._hits({**body, "explain": True, "_source": ["id"]}, len(document_ids))
        path = self._text_path((yield from self._index.ready()))
        return {self._read_document()(hit).id: terms_of(hit["_explanation"], path) for hit in hits}

    explain_bm25_async = async_method(explain_bm25)

    @sync_method
    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = None,
        *,
        custom_query: Mapping[str, Any] | None = None,
        efficient_filtering: bool = True,
        search_kwargs: Mapping[str, Any] | None = None,
    ) -> Program[list[Document]]:
        """Return the documents whose embeddings are most similar to a vector, best first.

        The score is the server's, which depends on the ``space_type`` of the index and is not negative.

        :param query_embedding: as long as the index says.
        :param filters: what the documents must match.
        :param top_k: how many documents at most.
        :param scale_score: taken for other stores' sake; the server's scores are scaled already.
        :param return_embedding: whether they carry their embedding; None: as the store is set.
        :param custom_query: the body of a search in its stead, with ``$query_embedding`` and ``$filters`` where these go.
        :param efficient_filtering: look for neighbours among the documents that match the filter; else the filter is put to
            the neighbours, of which fewer than `top_k` may be left. For an engine that can't (nmslib), that is done with a
            warning.
        :param search_kwargs: further members of the ``knn`` query, such as ``{"method_parameters": {"ef_search": 100}}``.
        :raises ValueError: the vector is empty, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        """
        del scale_score
        top_k = validate_count("top_k", top_k)
        embedding = self.return_embedding if return_embedding is None else return_embedding
        body = yield from self._nearest(
            query_embedding, filters, top_k, custom_query, efficient=efficient_filtering, options=search_kwargs
        )
        try:
            hits = yield from self._ranked(body, top_k, embedding)
        except StoreRequestError as error:
            if not filters_too_early(error) or not efficient_filtering or custom_query is not None:
                raise
            logger.warning(NOT_EFFICIENT, self._index.name)
            body = yield from self._nearest(
                query_embedding, filters, top_k, None, efficient=False, options=search_kwargs
            )
            hits = yield from self._ranked(body, top_k, embedding)
        return scored(hits, False, self._read_document(embedding))

    embedding_retrieval_async = async_method(embedding_retrieval)

    def _words(
        self,
        query: str,
        filters: dict[str, Any] | None,
        fuzziness: Fuzziness,
        all_terms: bool,
        custom_query: Mapping[str, Any] | None,
    ) -> Program[dict[str, Any]]:
        if not isinstance(query, str):
            raise ValueError(f"Query should be a string, not {query!r}.")
        condition = yield from self._condition(filters)
        if custom_query is not None:
            return filled_body(custom_query, {"$query": query, "$filters": condition or _ALL})
        fields = yield from self._index.fields(["content"])
        path = self._text_path(fields) if query else self._index.content_field
        return words(query, condition, fuzziness, all_terms=all_terms, path=path)

    def _nearest(
        self,
        vector: Sequence[float],
        filters: dict[str, Any] | None,
        top_k: int,
        custom_query: Mapping[str, Any] | None,
        *,
        efficient: bool,
        options: Mapping[str, Any] | None,
    ) -> Program[dict[str, Any]]:
        if top_k > MAX_PAGE and custom_query is None:
            raise ValueError(
                f"top_k is {top_k}, but a server finds at most {MAX_PAGE:,} nearest vectors in one search."
            )
        numbers = [float(number) for number in vector]
        if not numbers:
            raise ValueError("query_embedding must be a non-empty list of floats.")
        condition = yield from self._condition(filters)
        if custom_query is not None:
            return filled_body(custom_query, {"$query_embedding": numbers, "$filters": condition or _ALL})
        fields = yield from self._index.fields(["embedding"])
        if (kind := fields.type_of("embedding")) != "knn_vector":
            raise DocumentStoreError(
                f"The index '{self._index.name}' has no vectors to search: its field 'embedding' is of type {kind}, not "
                "knn_vector. Make it with embedding_dim=..., or give a custom_query."
            )
        return nearest(numbers, condition, max(top_k, 1), efficient=efficient, options=options)


def too_many_clauses(error: DocumentStoreError) -> bool:
    """Return whether a search was refused for its size: fuzziness makes many clauses of a word."""
    return isinstance(error, StoreRequestError) and "clause" in f"{error.kind} {error}".lower()


def filters_too_early(error: DocumentStoreError) -> bool:
    """Return whether the engine of the vectors can't look for neighbours among what matches a filter."""
    return isinstance(error, StoreRequestError) and "does not support filters" in str(error)
