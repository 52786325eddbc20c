"""What the server ranks: words, vectors, or any query of one's own."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.arguments import checked_count
from spaniel.document_stores.embedded.scores import scale_for
from spaniel.document_stores.opensearch.clauses import ALL, NONE, Query, all_of, none_of
from spaniel.document_stores.opensearch.explanation import named_terms, terms_of
from spaniel.document_stores.opensearch.fields import Fields
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.pages import MAX_PAGE, without_vectors
from spaniel.document_stores.opensearch.point_in_time import COMPLETE, PointInTime
from spaniel.document_stores.opensearch.queries import any_term, filled_body, nearest, words
from spaniel.document_stores.opensearch.reading import Reading, id_order
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


class Term(NamedTuple):
    """A term of a query.

    :param text: as the index has it.
    :param place: the number of its word; several terms of one place are alternatives.
    """

    text: str
    place: int


class Searching(Reading):
    """The methods that rank. Equal scores stand in the order of the server."""

    search_type: str
    search: Literal["all", "leaves"]
    _last_terms: tuple[str | None, list[Term]] = (None, [])
    _explanations: tuple[str | None, Mapping[str, tuple[TermMatch, ...]]] = (None, {})

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
        try:
            if custom_query is None and fuzziness in {0, "0"} and current_trace() is not None:
                found = yield from self._explained_search(query, filters, top_k, all_terms_must_match)
                if found is not None:
                    return scored(found, scale_score, self._read_document(self.return_embedding))
            body = yield from self._words(query, filters, fuzziness, all_terms_must_match, custom_query)
            hits = yield from self._ranked(body, top_k, self.return_embedding)
        except StoreRequestError as error:
            if not too_many_clauses(error) or custom_query is not None:
                raise
            hits = yield from self._with_fewer_clauses(query, filters, fuzziness, all_terms_must_match, top_k)
        return scored(hits, scale_score, self._read_document(self.return_embedding))

    def _explained_search(
        self, query: str, filters: dict[str, Any] | None, top_k: int, all_terms: bool
    ) -> Program[list[dict[str, Any]] | None]:
        """Return the hits of a search, and keep for `explain_bm25` which terms found them.

        The same scores as without explanation, in the same request. None where the terms of the query can't be named one by one.
        """
        if not isinstance(query, str) or not query:
            return None
        fields = yield from self._index.fields(["content"])
        path = self._text_path(fields)
        terms = yield from self._analyzed(query, fields)
        one_by_one = len(terms) == len({term.place for term in terms})
        if not terms or not one_by_one or not fields.marked or fields.has_search_analyzer(path):
            return None  # another analyzer may make the terms of a query
        condition = yield from self._condition(filters)
        body = any_term([term.text for term in terms], condition, path=path, all_terms=all_terms)
        hits = yield from self._ranked(body, top_k, self.return_embedding, {"include_named_queries_score": "true"})
        read = self._read_document()
        matched = ((read({**hit, "_source": dict(hit["_source"])}), hit.get("matched_queries")) for hit in hits)
        explained = {each.id: named_terms(scores or {}, each.content or "") for each, scores in matched}
        self._explanations = (query, explained)
        return hits

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

    def _terms_by_rarity(self, query: str, path: str) -> Program[list[tuple[str, int]]]:
        """Return the terms of a query that documents hold, each with its number in the query, the rarest first."""
        wanted = dict.fromkeys(("field_statistics", "positions", "offsets", "payloads"), False)
        body = {"doc": {self._index.content_field: query}, "fields": [path], "term_statistics": True, **wanted}
        answer = yield from answered(Ask("POST", self._index.path("_termvectors"), body), self._index.patience)
        found = answer.get("term_vectors", {}).get(path, {}).get("terms", {})
        held = [(each.get("doc_freq", 0), term, each["term_freq"]) for term, each in found.items()]
        return [(term, count) for documents, term, count in sorted(held) if documents]

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
    def query_terms(self, query: str) -> Program[list[str]]:
        """Return the distinct terms of a query, as the analyzer of the index makes them, in the order of their appearance."""
        fields = yield from self._index.fields(["content"])
        return list(dict.fromkeys(term.text for term in (yield from self._analyzed(query, fields))))

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
        return scored(hits, False, self._read_document(embedding))

    embedding_retrieval_async = async_method(embedding_retrieval)

    def _analyzed(self, query: str, fields: Fields) -> Program[list[Term]]:
        """Return the terms of a query, as the analyzer of the index makes them; those of the last query are kept."""
        analyzed, terms = self._last_terms
        if analyzed != query:
            ask = Ask("POST", self._index.path("_analyze"), {"field": self._text_path(fields), "text": query})
            answer = yield from answered(ask, self._index.patience)
            terms = [Term(token["token"], token["position"]) for token in answer["tokens"]]
            self._last_terms = (query, terms)
        return terms

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

    def _text_path(self, fields: Fields) -> str:
        """Return where the words of documents are searched.

        :raises DocumentStoreError: nowhere.
        """
        if (path := fields.text_path(self._index.content_field)) is None:
            raise DocumentStoreError(
                f"The index '{self._index.name}' has no text field '{self._index.content_field}' to search. Name the field of the text "
                "with content_field=..., or give a custom_query."
            )
        return path

    def _condition(self, filters: dict[str, Any] | None) -> Program[Query | None]:
        """Return the query of a filter, and of what is searched; None where that is everything."""
        condition = yield from self._query(filters)
        if self.search == "leaves":
            parents = (yield from self._index.fields([CHILDREN])).find(("meta", CHILDREN)).found()
            if parents != NONE:
                return all_of([condition or ALL, none_of(parents)])
        return condition

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

    def _search(self, body: dict[str, Any], top_k: int, embedding: bool) -> dict[str, Any]:
        return {**without_vectors(self._index, embedding), **body, "size": top_k}

    def _ranked(
        self, body: dict[str, Any], top_k: int, embedding: bool, more: Mapping[str, str] | None = None
    ) -> Program[list[dict[str, Any]]]:
        return (yield from self._hits(self._search(body, top_k, embedding), top_k, more))

    def _hits(
        self, search: dict[str, Any], top_k: int, more: Mapping[str, str] | None = None
    ) -> Program[list[dict[str, Any]]]:
        if not top_k:
            return []
        fields = yield from self._index.ready()
        if top_k > MAX_PAGE and "sort" not in search:
            return (yield from self._in_pages(search, top_k, id_order(fields)))
        params = {**COMPLETE, "search_type": self.search_type, **(more or {})}
        body = {**search, "size": top_k, "track_total_hits": False}
        answer = yield from answered(Ask("POST", self._index.path("_search"), body, params), self._index.patience)
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return hits

    def _in_pages(self, search: dict[str, Any], top_k: int, order: str) -> Program[list[dict[str, Any]]]:
        """Return more hits than one answer holds; equal scores stand in the order of ids."""
        hits: list[dict[str, Any]] = []
        moment = PointInTime(self._index)
        body = {**search, "sort": [{"_score": "desc"}, {order: "asc"}], "track_total_hits": False}
        try:
            while len(hits) < top_k:
                after = {"search_after": hits[-1]["sort"]} if hits else {}
                size = min(MAX_PAGE, top_k - len(hits))
                page = (yield from moment.search({**body, **after, "size": size}))["hits"]["hits"]
                hits += page
                if len(page) < size:
                    break
        finally:
            yield from moment.close()
        return hits


def scored(hits: list[dict[str, Any]], scale_score: bool, read: Callable[..., Document]) -> list[Document]:
    """Return the documents of hits, with their scores.

    :param read: makes the document of a hit and a score.
    """
    scale = scale_for("bm25", scale_score)
    return [read(hit, None if hit.get("_score") is None else scale(hit["_score"])) for hit in hits]


def too_many_clauses(error: DocumentStoreError) -> bool:
    """Return whether a search was refused for its size: fuzziness makes many clauses of a word."""
    return isinstance(error, StoreRequestError) and "clause" in f"{error.kind} {error}".lower()


def filters_too_early(error: DocumentStoreError) -> bool:
    """Return whether the engine of the vectors can't look for neighbours among what matches a filter."""
    return isinstance(error, StoreRequestError) and "does not support filters" in str(error)
