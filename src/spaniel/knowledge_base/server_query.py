"""A query of a knowledge base for a cluster: its operators as queries of the server."""

from collections.abc import Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.types.keyword_query import Condition, KeywordQuery
from spaniel.json_types import Filters, JsonObject
from spaniel.tracing.events import TermMatch


class ServerQueryView:
    """A store on a cluster that answers one query in place of the text that it is asked for.

    :param store: an `OpenSearchDocumentStore`.
    """

    def __init__(self, store: Any, query: KeywordQuery) -> None:
        self._store = store
        self._query = query

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def bm25_retrieval(
        self, query: str, filters: Filters | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that meet the query, best first."""
        search = make_search(self._query, self._store.content_field)
        found: list[Document] = self._store.bm25_retrieval(query, filters, top_k, scale_score, custom_query=search)
        return found

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return the words of the query in each document, but those of a prefix."""
        del query
        text = self._query.text
        found: dict[str, tuple[TermMatch, ...]] = self._store.explain_bm25(text, document_ids) if text.strip() else {}
        return found

    def query_terms(self, query: str) -> list[str]:
        """Return the terms of the query."""
        del query
        text = self._query.text
        terms = self._store.query_terms(text) if text.strip() else []
        return [*terms, *(f"{prefix}*" for prefix in self._query.prefixes)]


def make_search(query: KeywordQuery, path: str) -> JsonObject:
    """Return the body of a search, with a placeholder for the filter.

    :param path: the field with the text of documents.

    >>> make_search(KeywordQuery("", ("dog",)), "content")["query"]["bool"]["should"]
    [{'match_bool_prefix': {'content': {'query': 'dog'}}}]
    """
    scoring = [_match("match_bool_prefix", path, prefix) for prefix in query.prefixes]
    required: list[JsonObject] = []
    if query.text.strip():
        least = query.min_words
        minimum = f"{int(least * 100)}%" if isinstance(least, float) else str(least or 1)
        words = _match("match", path, query.text, minimum_should_match=minimum)
        (required if least else scoring).append(words)
    wanted = [_condition(path, each) for each in query.conditions if not each.is_excluded]
    unwanted = [_condition(path, each) for each in query.conditions if each.is_excluded]
    return {
        "query": {
            "bool": {
                "must": required,
                "should": scoring,
                "minimum_should_match": int(bool(scoring) and not required),
                "filter": ["$filters", *wanted],
                "must_not": unwanted,
            }
        }
    }


def _condition(path: str, condition: Condition) -> JsonObject:
    if condition.kind == "word":
        return _match("match", path, condition.text, operator="and")
    return _match("match_phrase" if condition.kind == "phrase" else "match_bool_prefix", path, condition.text)


def _match(kind: str, path: str, text: str, **options: str) -> JsonObject:
    if kind != "match_bool_prefix":
        text = f"{text} "  # so that no text is a placeholder; behind a space there is no prefix
    return {kind: {path: {"query": text, **options}}}
