"""What the server ranks: words, vectors, or any query of one's own."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.arguments import checked_count
from spaniel.document_stores.embedded.scores import scale_for
from spaniel.document_stores.opensearch.explanation import terms_of
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.pages import without_vectors
from spaniel.document_stores.opensearch.point_in_time import COMPLETE
from spaniel.document_stores.opensearch.queries import filled_body, nearest, words
from spaniel.document_stores.opensearch.reading import Reading
from spaniel.document_stores.opensearch.sources import document_of
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.runtime import Program, async_method, sync_method
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

Fuzziness = int | str
_ALL: dict[str, Any] = {"match_all": {}}

TOO_FUZZY = (
    "With fuzziness=%r, a query of %d words has more clauses than the server takes. Retrying with fuzziness=0; "
    "a shorter query, or no fuzziness from the start, avoids asking twice."
)
NOT_EFFICIENT = (
    "The engine of the vectors in the index '%s' can't filter while it searches; the filter is put to the neighbours, and "
    "fewer than top_k may be left. efficient_filtering=False avoids asking twice."
)


class Searching(Reading):
    """The methods that rank. Equal scores stand in the order of the server."""

    search_type: str

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
        top_k = checked_count("top_k", top_k)
        body = yield from self._words(query, filters, fuzziness, all_terms_must_match, custom_query)
        try:
            hits = yield from self._ranked(body, top_k, self.return_embedding)
        except StoreRequestError as error:
            if not too_many_clauses(error) or fuzziness in {0, "0"} or custom_query is not None:
                raise
            logger.warning(TOO_FUZZY, fuzziness, len(query.split()))
            body = yield from self._words(query, filters, 0, all_terms_must_match, None)
            hits = yield from self._ranked(body, top_k, self.return_embedding)
        return scored(hits, scale_score, self.return_embedding)

    bm25_retrieval_async = async_method(bm25_retrieval)

    @sync_method
    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> Program[dict[str, tuple[TermMatch, ...]]]:
        """Return for each document the terms of a query that it holds, and what each adds to its unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: the documents; those that do not match are left out.
        """
        ids = {"field": "id", "operator": "in", "value": list(document_ids)}
        body = yield from self._words(query, ids, 0, False, None)
        hits = yield from self._hits({**body, "explain": True, "_source": ["id"]}, len(document_ids))
        return {document_of(hit).id: terms_of(hit["_explanation"]) for hit in hits}

    explain_bm25_async = async_method(explain_bm25)

    @sync_method
    def query_terms(self, query: str) -> Program[list[str]]:
        """Return the distinct terms of a query, as the analyzer of the index makes them, in the order of their appearance."""
        yield from self._index.ready()
        ask = Ask("POST", self._index.path("_analyze"), {"field": "content", "text": query})
        answer = yield from answered(ask, self._index.patience)
        return list(dict.fromkeys(token["token"] for token in answer["tokens"]))

    query_terms_async = async_method(query_terms)

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
        top_k = checked_count("top_k", top_k)
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
        return scored(hits, False, embedding)

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
        condition = yield from self._query(filters)
        if custom_query is not None:
            return filled_body(custom_query, {"$query": query, "$filters": condition or _ALL})
        fields = yield from self._index.ready()
        if query and fields.named("content").kind != "text":
            raise DocumentStoreError(
                f"The index '{self._index.name}' has no text field 'content' to search. Give a custom_query for its fields."
            )
        return words(query, condition, fuzziness, all_terms=all_terms)

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
        numbers = [float(number) for number in vector]
        if not numbers:
            raise ValueError("query_embedding must be a non-empty list of floats.")
        condition = yield from self._query(filters)
        if custom_query is not None:
            return filled_body(custom_query, {"$query_embedding": numbers, "$filters": condition or _ALL})
        return nearest(numbers, condition, max(top_k, 1), efficient=efficient, options=options)

    def _search(self, body: dict[str, Any], top_k: int, embedding: bool) -> dict[str, Any]:
        return {**without_vectors(self._index, embedding), **body, "size": top_k}

    def _ranked(self, body: dict[str, Any], top_k: int, embedding: bool) -> Program[list[dict[str, Any]]]:
        return (yield from self._hits(self._search(body, top_k, embedding), top_k))

    def _hits(self, search: dict[str, Any], top_k: int) -> Program[list[dict[str, Any]]]:
        if not top_k:
            return []
        yield from self._index.ready()
        params = {**COMPLETE, "search_type": self.search_type}
        body = {**search, "size": top_k, "track_total_hits": False}
        answer = yield from answered(Ask("POST", self._index.path("_search"), body, params), self._index.patience)
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return hits


def scored(hits: list[dict[str, Any]], scale_score: bool, embedding: bool) -> list[Document]:
    """Return the documents of hits, with their scores.

    :param embedding: whether they carry their embedding.
    """
    scale = scale_for("bm25", scale_score)
    return [
        document_of(hit, None if hit.get("_score") is None else scale(hit["_score"]), embedding=embedding)
        for hit in hits
    ]


def too_many_clauses(error: DocumentStoreError) -> bool:
    """Return whether a search was refused for its size: fuzziness makes many clauses of a word."""
    return isinstance(error, StoreRequestError) and "clause" in f"{error.kind} {error}".lower()


def filters_too_early(error: DocumentStoreError) -> bool:
    """Return whether the engine of the vectors can't look for neighbours among what matches a filter."""
    return isinstance(error, StoreRequestError) and "does not support filters" in str(error)
