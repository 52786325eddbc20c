"""A query of a knowledge base with its operators, options and synonyms, for the store to answer."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import STANDARD
from spaniel.document_stores.embedded.synonyms import Synonyms
from spaniel.document_stores.types.keyword_query import KeywordQuery, Spellings
from spaniel.errors import KnowledgeBaseError
from spaniel.json_types import Filters
from spaniel.knowledge_base.query_parts import list_unmet_conditions
from spaniel.knowledge_base.query_syntax import ParsedQuery, parse_query
from spaniel.knowledge_base.search_options import SearchOptions
from spaniel.knowledge_base.server_query import ServerQueryView
from spaniel.tracing.events import TermMatch

if TYPE_CHECKING:
    from spaniel.document_stores.opensearch.schema.word_fields import WordFields

_MAX_SPELLINGS = 5
_LOOK_UP = "look_up_words"  # a method of the stores in the process


class QueryView:
    """A store that answers one query in place of the text that it is asked for.

    :param store: a store in the process.
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
        del query
        found: list[Document] = self._store.bm25_retrieval(self._query, filters, top_k, scale_score)
        return found

    def embedding_retrieval(
        self, query_embedding: Sequence[float], filters: Filters | None = None, top_k: int = 10, **options: Any
    ) -> list[Document]:
        """Return the documents near a vector that meet the conditions of the query."""
        found: list[Document] = self._store.embedding_retrieval(query_embedding, filters, top_k, **options)
        asked = self._query
        if not found or not (asked.conditions or asked.min_words):
            return found
        text = asked.text if asked.min_words else ""
        own: Filters = {"field": "id", "operator": "in", "value": [document.id for document in found]}
        wanted = KeywordQuery(text, conditions=asked.conditions, min_words=asked.min_words, expansion=asked.expansion)
        meeting = {document.id for document in self._store.bm25_retrieval(wanted, own, len(found))}
        return [document for document in found if document.id in meeting]

    def count_matches(self, query: str, filters: Filters | None = None) -> int:
        """Return the number of documents that meet the query."""
        del query
        count: int = self._store.count_matches(self._query, filters)
        return count

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return the words of the query in each document."""
        del query
        found: dict[str, tuple[TermMatch, ...]] = self._store.explain_bm25(self._query, document_ids)
        return found

    def list_unmet_conditions(self, document_id: str) -> list[str]:
        """Return the conditions of the query that a document does not meet."""
        return list_unmet_conditions(lambda part: QueryView(self._store, part), self._query, document_id)


def read_query(query: str, options: SearchOptions, fields: Collection[str], searched: Collection[str]) -> KeywordQuery:
    """Return a query with its operators.

    :param fields: the metadata keys that it may name.
    :param searched: the metadata keys whose words are ranked by.
    """
    least, synonyms = options.least_words, Synonyms.read(options.synonyms)
    parsed = parse_query(query, fields, searched) if options.operators else ParsedQuery(query)
    share = options.repeat_share if options.budget is None else 1.0
    return KeywordQuery(parsed.text, parsed.prefixes, parsed.conditions, least, synonyms, share)


@dataclass(frozen=True)
class SearchedFields:
    """The analyzer and the searched keys of a store.

    :param server: the fields of an index on a cluster, if a knowledge base made it.
    """

    analyzer: object = STANDARD
    weights: Mapping[str, float] = field(default_factory=dict)
    server: "WordFields | None" = None

    @classmethod
    def read(cls, store: Any) -> "SearchedFields":
        """Return those of a store; on a cluster they are requested once."""
        if (read_words := getattr(store, "word_fields", None)) is None:
            return cls(getattr(store, "analyzer", STANDARD), getattr(store, "fields", None) or {})
        words = read_words()
        return cls() if words is None else cls(words.analyzer, words.weights, words)


def view_query(store: Any, query: KeywordQuery, fields: SearchedFields) -> Any:
    """Return a store that answers a query with operators or options.

    :raises KnowledgeBaseError: a store on a cluster without searched fields is given synonyms.
    """
    if hasattr(store, _LOOK_UP):
        return QueryView(store, query)
    if fields.server is not None:
        from spaniel.knowledge_base.word_query_view import WordQueryView

        return WordQueryView(store, query, fields.server)
    if is_plain(query):
        return store
    if query.expansion is not None:
        raise KnowledgeBaseError(
            "An index that no knowledge base created takes no synonyms. Use those of its analyzer."
        )
    return ServerQueryView(store, query)


def is_plain(query: KeywordQuery) -> bool:
    """Return True if a query is only text."""
    return query == KeywordQuery(query.text, repeat_share=query.repeat_share)


def look_up_words(store: Any, view: Any, query: KeywordQuery) -> tuple[list[str], Spellings]:
    """Return the terms of a query, and other spellings of the words that no document has.

    :param view: of the store; it answers the query.
    """
    if not hasattr(store, _LOOK_UP):
        return view.query_terms(query.text), {}
    terms, spellings = store.look_up_words(query)
    return terms, {place: words[:_MAX_SPELLINGS] for place, words in spellings.items()}


def correct_query(query: str, spellings: Spellings) -> str | None:
    """Return a query with the likeliest spelling of its unknown words; None if all are known.

    >>> correct_query("+ownershp of dgos", {(1, 9): ["ownership"], (13, 17): ["dogs", "does"]})
    '+ownership of dogs'
    """
    corrected, shift, last = query, 0, 0
    for (start, end), words in sorted(spellings.items(), key=lambda item: (item[0][1], -item[0][0])):
        if start >= last:  # else a word around it, such as an identifier
            corrected = f"{corrected[: start + shift]}{words[0]}{corrected[end + shift :]}"
            shift, last = len(corrected) - len(query), end
    return corrected if spellings else None
