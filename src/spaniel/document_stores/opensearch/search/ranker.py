"""Documents ranked by BM25, by vectors, or by both in a single request."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE
from spaniel.document_stores.opensearch.schema.document_source import to_document
from spaniel.document_stores.opensearch.search.ranked_search import (
    Fuzziness,
    RankedSearch,
    TextSearch,
    VectorSearch,
    term_query,
)
from spaniel.document_stores.opensearch.search.search_target import Hits, HitsOrError, SearchTarget
from spaniel.document_stores.opensearch.search.terms import (
    QueryTerms,
    terms_by_rarity,
    terms_of_explanation,
    terms_of_names,
)
from spaniel.document_stores.validation import validate_count
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Program
from spaniel.tracing import current_trace
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

_MAX_TERMS = 1_000  # below the 1,024 clauses of a server


@dataclass(frozen=True)
class Ranker:
    """Ranks documents; the server orders equal scores."""

    target: SearchTarget
    return_embedding: bool
    query_terms_cache: QueryTerms

    def bm25_retrieval(
        self,
        query: str,
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        *,
        fuzziness: Fuzziness = 0,
        all_terms_must_match: bool = False,
        custom_query: Mapping[str, Any] | None = None,
    ) -> Program[list[Document]]:
        """Return the documents that share a term with a query, best first, by the server's BM25.

        Statistics are per shard, or of the index with the store's
        ``search_type="dfs_query_then_fetch"``.

        :param query: text; an empty text finds all documents that match the filter.
        :param filters: restricts the documents.
        :param top_k: maximum number of documents.
        :param scale_score: True: map scores to 0..1: 1 / (1 + exp(-score / 8)).
        :param fuzziness: edits per word: 0, 1, 2 or ``AUTO``. If that makes more clauses than the
            server accepts, the query is repeated without, with a warning.
        :param all_terms_must_match: True: a document must contain all terms.
        :param custom_query: the body of a search to use instead, with the placeholders ``$query``
            and ``$filters``.
        :raises ValueError: `top_k` is negative, or `query` is not a string.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the index has no text field, and there is no `custom_query`.
        """
        top_k = validate_count("top_k", top_k)
        search = TextSearch(query, filters, top_k, scale_score, fuzziness, all_terms_must_match, custom_query)
        try:
            hits = None
            if custom_query is None and not search.is_fuzzy and current_trace() is not None:
                hits = yield from self._hits_with_explanations(search)
            if hits is None:
                hits = yield from self._hits(search)
        except StoreRequestError as error:
            if not search.has_too_many_clauses(error):
                raise
            hits = yield from self._hits_of_fewer_clauses(search, error)
        return self._documents(hits, search)

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> Program[dict[str, tuple[TermMatch, ...]]]:
        """Return, by document id, the terms of a query in the document and their share in its
        unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: documents that do not match are ignored.
        """
        known = self.query_terms_cache.explanations(query, document_ids)
        if known is not None:
            return known
        ids = {"field": "id", "operator": "in", "value": list(document_ids)}
        body = yield from TextSearch(query, ids).body(self.target)
        hits = yield from self.target.hits({**body, "explain": True, "_source": ["id"]}, len(document_ids))
        path = self.target.text_path((yield from self.target.index.ready()))
        return {self._document(hit).id: terms_of_explanation(hit["_explanation"], path) for hit in hits}

    def query_terms(self, query: str) -> Program[list[str]]:
        """Return the distinct terms of a query in order, as the analyzer of the index produces
        them.

        :param query: text.
        """
        fields = yield from self.target.index.fields(["content"])
        path = self.target.text_path(fields)
        terms = yield from self.query_terms_cache.analyze(self.target.index, path, query)
        return list(dict.fromkeys(term.text for term in terms))

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = None,
        *,
        custom_query: Mapping[str, Any] | None = None,
        efficient_filtering: bool = True,
        search_kwargs: Mapping[str, Any] | None = None,
    ) -> Program[list[Document]]:
        """Return the documents with the embeddings most similar to a vector, best first.

        The server's score depends on the ``space_type`` of the index and is not negative.

        :param query_embedding: of the index's dimension.
        :param filters: restricts the documents.
        :param top_k: maximum number of documents.
        :param scale_score: ignored, since the server's scores are scaled; other stores have it.
        :param return_embedding: True: include embeddings; None: as the store is set.
        :param custom_query: the body of a search to use instead, with the placeholders
            ``$query_embedding`` and ``$filters``.
        :param efficient_filtering: True: search neighbours among the documents that match the
            filter; False: filter the neighbours, which may leave fewer than `top_k`. An engine that
            supports only the latter (nmslib) does that, with a warning.
        :param search_kwargs: further members of the ``knn`` query, such as
            ``{"method_parameters": {"ef_search": 100}}``.
        :raises ValueError: the vector is empty, or `top_k` is negative.
        :raises FilterError: the filter is malformed.
        """
        search = VectorSearch(
            query_embedding,
            filters,
            validate_count("top_k", top_k),
            scale_score,
            return_embedding,
            custom_query,
            efficient_filtering,
            search_kwargs,
        )
        body = yield from search.body(self.target)
        try:
            hits = yield from self._send(search, body)
        except StoreRequestError as error:
            fallback = search.fallback(error, self.target)
            if fallback is None:
                raise
            hits = yield from self._hits(fallback)
        return self._documents(hits, search)

    def hybrid_retrieval(
        self, words: Mapping[str, Any], vector: Mapping[str, Any]
    ) -> Program[tuple[list[Document], list[Document]]]:
        """Return the results of `bm25_retrieval` and `embedding_retrieval`, in a single request.

        :param words: the arguments of `bm25_retrieval`; with ``"raise_on_failure": False``, a
            search that the server rejects gives no documents, with a warning.
        :param vector: the arguments of `embedding_retrieval`, and ``raise_on_failure``.
        :raises ValueError: a ``top_k`` is negative, the query is not a string, or the vector is
            empty.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the server rejects a search.
        """
        searches: list[RankedSearch] = [TextSearch(**words), VectorSearch(**vector)]
        results = yield from self._multi_search(searches)
        for place, (search, result) in enumerate(zip(searches, results, strict=True)):
            if isinstance(result, DocumentStoreError) and (fallback := search.fallback(result, self.target)):
                [results[place]] = yield from self._multi_search([fallback])
        first, second = (
            self._documents(_hits_or_raise(result, search), search)
            for search, result in zip(searches, results, strict=True)
        )
        return first, second

    def _multi_search(self, searches: Sequence[RankedSearch]) -> Program[list[HitsOrError]]:
        results: list[HitsOrError] = [[] for _ in searches]
        bodies: dict[int, JsonObject] = {}
        for place, search in enumerate(searches):
            validate_count("top_k", search.top_k)
            try:
                body = yield from search.body(self.target)
            except DocumentStoreError as error:
                results[place] = error
                continue
            if search.top_k > MAX_PAGE:
                results[place] = yield from self._send(search, body)
            elif search.top_k:
                bodies[place] = self.target.request_body(body, search.top_k, self._returns_embedding(search))
        answers: list[HitsOrError]
        try:
            answers = yield from self.target.multi_search(list(bodies.values()))
        except DocumentStoreError as error:
            answers = [error for _ in bodies]
        for place, answer in zip(bodies, answers, strict=True):
            results[place] = answer
        return results

    def _hits(self, search: RankedSearch) -> Program[Hits]:
        body = yield from search.body(self.target)
        return (yield from self._send(search, body))

    def _send(self, search: RankedSearch, body: JsonObject, params: Mapping[str, str] | None = None) -> Program[Hits]:
        request_body = self.target.request_body(body, search.top_k, self._returns_embedding(search))
        return (yield from self.target.hits(request_body, search.top_k, params))

    def _hits_of_fewer_clauses(self, search: TextSearch, error: StoreRequestError) -> Program[Hits]:
        """Return the hits of an oversized query: without fuzziness, else of its rarest terms."""
        if (fallback := search.fallback(error, self.target)) is not None:
            try:
                return (yield from self._hits(fallback))
            except StoreRequestError as second:
                if not search.has_too_many_clauses(second):
                    raise
        path = self.target.text_path((yield from self.target.index.ready()))
        terms = yield from terms_by_rarity(self.target.index, path, search.query)
        condition = yield from self.target.condition(search.filters)
        limit = _MAX_TERMS
        while True:
            logger.warning(
                "The query has more terms than the server takes in one search: the %d rarest of those in documents are searched.",
                min(limit, len(terms)),
            )
            rarest = [term for term, frequency in terms[:limit] for _ in range(frequency)]
            try:
                return (yield from self._send(search, term_query(rarest[:_MAX_TERMS], condition, path=path)))
            except StoreRequestError as third:
                if not search.has_too_many_clauses(third) or limit == 1:
                    raise
                limit //= 2

    def _hits_with_explanations(self, search: TextSearch) -> Program[Hits | None]:
        """Return hits and store their terms for `explain_bm25`; None if it costs a request."""
        if not self.query_terms_cache.knows(search.query):
            return None
        try:
            return (yield from self._hits_with_named_terms(search))
        except StoreRequestError:
            return None

    def _hits_with_named_terms(self, search: TextSearch) -> Program[Hits | None]:
        fields = yield from self.target.index.fields(["content"])
        path = self.target.text_path(fields)
        terms = yield from self.query_terms_cache.analyze(self.target.index, path, search.query)
        has_alternatives = len(terms) != len({term.position for term in terms})
        if not terms or has_alternatives or not fields.marked or fields.has_search_analyzer(path):
            return None  # a foreign index may analyze queries differently
        condition = yield from self.target.condition(search.filters)
        texts = [term.text for term in terms]
        body = term_query(texts, condition, path=path, all_terms=search.all_terms_must_match)
        hits = yield from self._send(search, body, {"include_named_queries_score": "true"})
        if all(isinstance(hit.get("matched_queries"), dict) for hit in hits):
            # `to_document` modifies the source, which the caller needs.
            documents = [self._document({**hit, "_source": dict(hit["_source"])}) for hit in hits]
            explanations = {
                document.id: terms_of_names(hit["matched_queries"], document.content or "")
                for document, hit in zip(documents, hits, strict=True)
            }
            self.query_terms_cache.store_explanations(search.query, explanations)
        return hits

    def _documents(self, hits: Hits, search: RankedSearch) -> list[Document]:
        embedding = self._returns_embedding(search)
        scores = (None if hit.get("_score") is None else search.scale(hit["_score"]) for hit in hits)
        return [self._document(hit, score, embedding) for hit, score in zip(hits, scores, strict=True)]

    def _document(self, hit: JsonObject, score: float | None = None, embedding: bool = True) -> Document:
        return to_document(hit, score, embedding=embedding, content=self.target.index.content_field)

    def _returns_embedding(self, search: RankedSearch) -> bool:
        return self.return_embedding if search.return_embedding is None else search.return_embedding


def _hits_or_raise(result: HitsOrError, search: RankedSearch) -> Hits:
    if not isinstance(result, DocumentStoreError):
        return result
    if search.raise_on_failure:
        raise result
    logger.warning("The search by %s failed and is left out: %s", search.name, result)
    return []
