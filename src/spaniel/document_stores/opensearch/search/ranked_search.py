"""Searches by text and by vector: their bodies, and their fallbacks when the server rejects them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from spaniel.document_stores.embedded.scoring import Scale, scale_for
from spaniel.document_stores.opensearch.filters.clauses import ALL, Query
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE
from spaniel.document_stores.opensearch.search.search_target import SearchTarget
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.json_types import Filters, Json, JsonObject
from spaniel.runtime import Program

logger = logging.getLogger(__name__)

Fuzziness: TypeAlias = int | str
_EXACT = {0, "0"}


@dataclass(frozen=True)
class TextSearch:
    """The arguments of `bm25_retrieval`, and whether a failure raises in a hybrid search."""

    query: str
    filters: Filters | None = None
    top_k: int = 10
    scale_score: bool = False
    fuzziness: Fuzziness = 0
    all_terms_must_match: bool = False
    custom_query: Mapping[str, Any] | None = None
    return_embedding: bool | None = None
    raise_on_failure: bool = True

    name: ClassVar = "words"

    @property
    def is_fuzzy(self) -> bool:
        """True if words may differ from the query's."""
        return self.fuzziness not in _EXACT

    @property
    def scale(self) -> Scale:
        """The function that maps the server's scores."""
        return scale_for("bm25", self.scale_score)

    def body(self, target: SearchTarget) -> Program[JsonObject]:
        """Return the body of the search."""
        if not isinstance(self.query, str):
            raise ValueError(f"Query should be a string, not {self.query!r}.")
        condition = yield from target.condition(self.filters)
        if self.custom_query is not None:
            return fill_placeholders(self.custom_query, {"$query": self.query, "$filters": condition or ALL})
        fields = yield from target.index.fields(["content"])
        path = target.text_path(fields) if self.query else target.index.content_field
        return text_query(self.query, condition, self.fuzziness, all_terms=self.all_terms_must_match, path=path)

    def has_too_many_clauses(self, error: DocumentStoreError) -> bool:
        """Return True if the server rejected the query for its size (fuzziness multiplies clauses)."""
        if self.custom_query is not None or not isinstance(error, StoreRequestError):
            return False
        return "clause" in f"{error.kind} {error}".lower()

    def fallback(self, error: DocumentStoreError, _target: SearchTarget) -> "TextSearch | None":
        """Return the search without fuzziness if the server rejected that, with a warning."""
        if not self.is_fuzzy or not self.has_too_many_clauses(error):
            return None
        logger.warning(
            "With fuzziness=%r, a query of %d words has more clauses than the server takes. Retrying with fuzziness=0; "
            "a shorter query, or no fuzziness from the start, avoids the second request.",
            self.fuzziness,
            len(self.query.split()),
        )
        return replace(self, fuzziness=0)


@dataclass(frozen=True)
class VectorSearch:
    """The arguments of `embedding_retrieval`, and whether a failure raises in a hybrid search."""

    query_embedding: Sequence[float]
    filters: Filters | None = None
    top_k: int = 10
    scale_score: bool = False
    return_embedding: bool | None = None
    custom_query: Mapping[str, Any] | None = None
    efficient_filtering: bool = True
    search_kwargs: Mapping[str, Any] | None = None
    raise_on_failure: bool = True

    name: ClassVar = "vector"

    @property
    def scale(self) -> Scale:
        """The function that maps the server's scores: they are scaled already."""
        return float

    def body(self, target: SearchTarget) -> Program[JsonObject]:
        """Return the body of the search."""
        if self.top_k > MAX_PAGE and self.custom_query is None:
            raise ValueError(
                f"top_k is {self.top_k}, but a server finds at most {MAX_PAGE:,} nearest vectors in one search."
            )
        vector = [float(number) for number in self.query_embedding]
        if not vector:
            raise ValueError("query_embedding must be a non-empty list of floats.")
        condition = yield from target.condition(self.filters)
        if self.custom_query is not None:
            return fill_placeholders(self.custom_query, {"$query_embedding": vector, "$filters": condition or ALL})
        fields = yield from target.index.fields(["embedding"])
        if (kind := fields.type_of("embedding")) != "knn_vector":
            raise DocumentStoreError(
                f"The index '{target.index.name}' has no vectors to search: its field 'embedding' is of type {kind}, not "
                "knn_vector. Create it with embedding_dim=..., or give a custom_query."
            )
        efficient, options = self.efficient_filtering, self.search_kwargs
        return vector_query(vector, condition, max(self.top_k, 1), efficient=efficient, options=options)

    def fallback(self, error: DocumentStoreError, target: SearchTarget) -> "VectorSearch | None":
        """Return the search with a post-filter, with a warning, if the engine supports no other."""
        if self.custom_query is not None or not self.efficient_filtering or not isinstance(error, StoreRequestError):
            return None
        if "does not support filters" not in str(error):
            return None
        logger.warning(
            "The engine of the vectors in the index '%s' can't filter during its search; the filter is applied to the "
            "neighbours, and fewer than top_k may be left. efficient_filtering=False avoids the second request.",
            target.index.name,
        )
        return replace(self, efficient_filtering=False)


RankedSearch: TypeAlias = TextSearch | VectorSearch


def text_query(
    query: str, condition: Query | None, fuzziness: Fuzziness, *, all_terms: bool, path: str = "content"
) -> JsonObject:
    """Return the search for the words of a text; an empty text matches all documents.

    >>> text_query("apple", None, 0, all_terms=False)
    {'query': {'bool': {'must': [{'match': {'content': {'query': 'apple', 'operator': 'or'}}}]}}}
    """
    match: JsonObject = {"query": query, "operator": "and" if all_terms else "or"}
    if fuzziness not in _EXACT:
        match["fuzziness"] = fuzziness
    return _score_by({"match": {path: match}} if query else {"match_all": {}}, condition)


def term_query(terms: Sequence[str], condition: Query | None, *, path: str, all_terms: bool = False) -> JsonObject:
    """Return the search for analyzed terms, with the scores of `text_query` and a named clause per
    term.

    >>> term_query(["apple"], None, path="content")["query"]["bool"]["must"]
    [{'bool': {'should': [{'term': {'content': {'value': 'apple', '_name': '0 apple'}}}], 'minimum_should_match': 1}}]
    """
    # The server adds up the scores of repeated clauses, as it does for a text.
    clauses = [{"term": {path: {"value": term, "_name": f"{place} {term}"}}} for place, term in enumerate(terms)]
    minimum = len(clauses) if all_terms else 1
    return _score_by({"bool": {"should": clauses, "minimum_should_match": minimum}}, condition)


def _score_by(must: Query, condition: Query | None) -> JsonObject:
    return {"query": {"bool": {"must": [must], **({"filter": condition} if condition else {})}}}


def vector_query(
    vector: Sequence[float],
    condition: Query | None,
    count: int,
    *,
    efficient: bool,
    options: Mapping[str, Any] | None = None,
) -> JsonObject:
    """Return the search for the neighbours of a vector; `efficient` filters during the search."""
    knn: JsonObject = {"vector": list(vector), "k": count, **(options or {})}
    if condition and efficient:
        knn["filter"] = condition
    outside = {"filter": condition} if condition and not efficient else {}
    return {"query": {"bool": {"must": [{"knn": {"embedding": knn}}], **outside}}}


def fill_placeholders(custom_query: Mapping[str, Any], values: Mapping[str, Json]) -> JsonObject:
    """Return a search of the caller with values in place of their placeholders.

    >>> fill_placeholders({"query": {"match": {"title": "$query"}}}, {"$query": "apple"})
    {'query': {'match': {'title': 'apple'}}}
    """
    return {key: _fill(value, values) for key, value in custom_query.items()}


def _fill(part: Json, values: Mapping[str, Json]) -> Json:
    if isinstance(part, Mapping):
        return fill_placeholders(part, values)
    if isinstance(part, (list, tuple)):
        return [_fill(item, values) for item in part]
    return values.get(part, part) if isinstance(part, str) else part
