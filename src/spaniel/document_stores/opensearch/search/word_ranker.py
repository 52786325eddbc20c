"""Documents ranked by the fields and forms of the words of a query (docs/scores.md)."""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spaniel._engine import analyze, stem
from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import ROOT
from spaniel.document_stores.embedded.indexing import list_field_texts
from spaniel.document_stores.opensearch.filters.clauses import Query
from spaniel.document_stores.opensearch.index import COMPLETE
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE
from spaniel.document_stores.opensearch.schema.document_source import to_document
from spaniel.document_stores.opensearch.schema.word_fields import AUTO, WordFields
from spaniel.document_stores.opensearch.search.search_target import Hits, SearchTarget
from spaniel.document_stores.opensearch.search.spellings import make_suggesters, read_suggestions, widen_word
from spaniel.document_stores.opensearch.search.terms import terms_by_rarity
from spaniel.document_stores.opensearch.search.word_query import (
    NamedWord,
    WordQueries,
    list_languages,
    read_words,
)
from spaniel.document_stores.types.keyword_query import KeywordQuery, Spellings
from spaniel.document_stores.validation import validate_count
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Program
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

WHOLE = 0.5
"""The share of the other passages of a document in the score of a passage (docs/scores.md)."""
_DEPTH = 100
"""The passages that are looked at for this share: chosen on the development halves."""
_MAX_CLAUSES = 1_000  # below the 1,024 of a server
_COUNTED = 10_000
_NAMED_SCORES = {"include_named_queries_score": "true"}


@dataclass(frozen=True)
class WordHits:
    """The documents of a search by words, best first.

    :param total: number of documents that match; a lower bound unless `total_is_exact`.
    :param words: of the query.
    :param scores: by document id, the score of each word by its number, and the share of the
        other passages in it.
    :param spellings: of words that no document has.
    """

    documents: list[Document]
    total: int
    total_is_exact: bool
    words: list[NamedWord]
    scores: dict[str, dict[int, tuple[float, float]]]
    spellings: Spellings


@dataclass(frozen=True)
class WordRanker:
    """Ranks documents by words, in an index with searched fields."""

    target: SearchTarget

    def word_fields(self) -> Program[WordFields | None]:
        """Return the searched fields of the index; None if it has none, or does not exist."""
        return (yield from self.target.index.read_words())

    def word_retrieval(self, query: KeywordQuery, filters: Filters | None = None, top_k: int = 10) -> Program[WordHits]:
        """Return the documents that match a query, by the fields and forms of its words.

        A search is one request. For a word that no document seems to have, two further ones look
        for it, and search with its neighbours.

        :param query: words and conditions; without words, the documents that meet the conditions
            have the score 0.
        :param filters: restricts the documents.
        :param top_k: maximum number of documents.
        :raises ValueError: `top_k` is negative.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the index has no searched fields.
        """
        validate_count("top_k", top_k)
        queries = yield from self._queries()
        words = yield from self._limit(read_words(query, queries.words), queries, query.text)
        condition = yield from self.target.condition(filters)
        suggesters = make_suggesters(words, queries.words.content)
        hits, answer = yield from self._search(words, queries, query, condition, top_k, suggesters)
        unknown: dict[int, list[str]] = {}
        if found := read_suggestions(answer.get("suggest", {}), words):
            unknown = yield from self._keep_unknown(found, words, queries, hits)
        if unknown:
            words = [widen_word(word, unknown.get(number, ())) for number, word in enumerate(words)]
            hits, answer = yield from self._search(words, queries, query, condition, top_k, {})
        total = answer["hits"].get("total", {"value": len(hits), "relation": "gte"})
        spellings = {place: unknown[number] for number in unknown if (place := words[number].place) is not None}
        documents, scores = self._rank(hits, len(words))
        is_exact = total["relation"] == "eq"
        return WordHits(documents[:top_k], int(total["value"]), is_exact, words, scores, spellings)

    def count_word_matches(self, query: KeywordQuery, filters: Filters | None = None) -> Program[int]:
        """Return the number of documents that `word_retrieval` finds without a limit."""
        queries = yield from self._queries()
        words = yield from self._limit(read_words(query, queries.words), queries, query.text)
        condition = yield from self.target.condition(filters)
        answer = yield from self.target.index.send(
            "POST", "_count", {"query": _make_query(words, queries, query, condition)}
        )
        return int(answer["count"])

    def word_terms(self, query: KeywordQuery) -> Program[list[str]]:
        """Return the distinct terms of a query in the order of appearance."""
        queries = yield from self._queries()
        return list(dict.fromkeys(word.name for word in read_words(query, queries.words)))

    def _queries(self) -> Program[WordQueries]:
        index = self.target.index
        fields = yield from index.ready()
        if (words := (yield from index.read_words())) is None:
            raise DocumentStoreError(f"The index '{index.name}' has no searched fields: a knowledge base creates them.")
        return WordQueries(words, fields, index.combines_fields)

    def _search(
        self,
        words: Sequence[NamedWord],
        queries: WordQueries,
        query: KeywordQuery,
        condition: Query | None,
        top_k: int,
        suggesters: JsonObject,
    ) -> Program[tuple[Hits, JsonObject]]:
        """Return the best hits, and the answer of the server."""
        size = min(max(top_k, _DEPTH), MAX_PAGE)
        body = {"query": _make_query(words, queries, query, condition), "track_total_hits": _COUNTED}
        if suggesters:
            body["suggest"] = suggesters
        params = {**COMPLETE, "search_type": self.target.search_type, **_NAMED_SCORES}
        try:
            answer = yield from self.target.index.send(
                "POST", "_search", self.target.request_body(body, size, embedding=False), params
            )
        except StoreRequestError as error:
            if "[combined_fields]" not in str(error) or not queries.combines:
                raise
            self.target.index.combines_fields = False  # an older server
            older = replace(queries, combines=False)
            return (yield from self._search(words, older, query, condition, top_k, suggesters))
        hits: Hits = answer["hits"]["hits"]
        return hits, answer

    def _rank(self, hits: Hits, num_words: int) -> tuple[list[Document], dict[str, dict[int, tuple[float, float]]]]:
        """Return the documents by their score with the share of the whole, and the scores of words.

        The share is that of the best passage of the same document, for each word.
        """
        documents = [to_document(hit, content=self.target.index.content_field) for hit in hits]
        own = [_read_scores(hit) for hit in hits]
        best: dict[str, dict[int, float]] = defaultdict(dict)
        for document, scores in zip(documents, own, strict=True):
            whole = best[_find_root(document)]
            for number, score in scores.items():
                whole[number] = max(whole.get(number, 0.0), score)
        explained: dict[str, dict[int, tuple[float, float]]] = {}
        ranked: list[Document] = []
        for document, scores, hit in zip(documents, own, hits, strict=True):
            whole = best[_find_root(document)]
            shares = {number: WHOLE * whole.get(number, 0.0) for number in range(num_words)}
            explained[document.id] = {
                number: (scores.get(number, 0.0) + share, share) for number, share in shares.items() if share > 0
            }
            ranked.append(replace(document, score=(hit.get("_score") or 0.0) + sum(shares.values())))
        return sorted(ranked, key=lambda each: -(each.score or 0.0)), explained

    def _keep_unknown(
        self, found: Mapping[int, list[str]], words: Sequence[NamedWord], queries: WordQueries, hits: Hits
    ) -> Program[dict[int, list[str]]]:
        """Return the spellings of words that no document has in any form, nor in any field."""
        matched = {number for hit in hits for number in _read_scores(hit)}
        rest = {number: spellings for number, spellings in found.items() if number not in matched}
        if not rest:
            return {}
        condition = yield from self.target.condition(None)
        searches = [
            {"query": _all_of([queries.match_word(words[number])], condition), "size": 1, "_source": False}
            for number in rest
        ]
        answers = yield from self.target.multi_search(searches)
        return {number: rest[number] for number, hits in zip(rest, answers, strict=True) if hits == []}

    def _limit(self, words: list[NamedWord], queries: WordQueries, text: str) -> Program[list[NamedWord]]:
        """Return the words that fit into a query of the server: the rarest, with a warning."""
        if sum(map(queries.count_clauses, words)) <= _MAX_CLAUSES:
            return words
        rarest = yield from terms_by_rarity(self.target.index, queries.words.content, text)
        ranks = {term: rank for rank, (term, _) in enumerate(rarest)}
        left, kept = _MAX_CLAUSES, []
        for number in sorted(range(len(words)), key=lambda number: ranks.get(words[number].name, len(ranks))):
            left -= queries.count_clauses(words[number])
            if left >= 0:
                kept.append(number)
        logger.warning(
            "The query has more terms than the server takes in one search: the %d rarest of its %d words are searched.",
            len(kept),
            len(words),
        )
        return [words[number] for number in sorted(kept)]


def explain_words(document: Document, hits: WordHits, fields: WordFields) -> tuple[TermMatch, ...]:
    """Return the words of a query in a document, with their forms and their parts of its score.

    :param hits: of a search that found the document.
    """
    others = dict.fromkeys(text for key in fields.weights for text in list_field_texts(document.meta, key))
    counts = Counter(term for text in [document.content or "", *others] for term in analyze(text, AUTO))
    languages = list_languages(fields)
    stems = {term: {(language, stem(term, language)) for language in languages} for term in counts}
    found = []
    for number, (score, whole) in hits.scores.get(document.id, {}).items():
        word = hits.words[number]
        forms = _find_forms(word, stems, languages)
        found.append(TermMatch(word.name, sum(counts[form] for form in forms), 0, score, tuple(forms), whole))
    return tuple(found)


def _find_forms(word: NamedWord, stems: Mapping[str, set[tuple[str, str]]], languages: Sequence[str]) -> list[str]:
    """Return the terms of a document that stand for a word."""
    if word.prefix is not None:
        return [term for term in stems if term.startswith(word.prefix)]
    terms, _, _, has_forms = word.word
    names = {term for term, _ in terms}
    wanted = {(language, stem(name, language)) for name in names for language in languages} if has_forms else set()
    return [term for term, own in stems.items() if term in names or not own.isdisjoint(wanted)]


def _make_query(
    words: Sequence[NamedWord], queries: WordQueries, query: KeywordQuery, condition: Query | None
) -> Query:
    required = [queries.require(each) for each in query.conditions if not each.is_excluded]
    excluded = [queries.require(each) for each in query.conditions if each.is_excluded]
    if query.min_words and words:
        required.append(queries.require_words(words, query.min_words))
    inner: JsonObject = {"filter": [*required, *([condition] if condition else [])], "must_not": excluded}
    return {"bool": {**inner, **({"must": [queries.make_ranking(words)]} if words else {})}}


def _all_of(queries: list[Query], condition: Query | None) -> Query:
    return {"bool": {"filter": [*queries, *([condition] if condition else [])]}}


def _read_scores(hit: JsonObject) -> dict[int, float]:
    """Return the scores of the words that matched; without scores of older servers, equal shares."""
    names = hit.get("matched_queries") or {}
    if not isinstance(names, dict):
        names = dict.fromkeys(names, (hit.get("_score") or 0.0) / len(names))
    return {int(name): float(score) for name, score in names.items() if name.isdecimal()}


def _find_root(document: Document) -> str:
    root = document.meta.get(ROOT)
    return root if isinstance(root, str) else document.id
