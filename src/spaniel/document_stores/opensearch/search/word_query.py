"""A query of words as a query of the server: fields and forms of each word (docs/scores.md)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spaniel._engine import KeywordIndex, analyze, query_words
from spaniel.document_stores.embedded.query_words import MAX_PREFIX_WORDS
from spaniel.document_stores.opensearch.filters.clauses import NONE, Query
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.word_analysis import CJK, EXACT
from spaniel.document_stores.opensearch.schema.word_fields import AUTO, WordFields, WordPaths
from spaniel.document_stores.types.keyword_query import Condition, KeywordQuery, QueryWord

if TYPE_CHECKING:
    from spaniel.json_types import JsonObject

K3 = 8.0
"""Saturation of the frequency of a word in the query, as in docs/scores.md."""
_EXACT_SHARE, _STEM_SHARE = 1 / 3, 2 / 3  # a word as it is written counts half of its stem
DEFAULT_LANGUAGE = "english"
"""Of texts whose language is not recognised."""
_HAN = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_PAIR = re.compile(f"[{_HAN}]{{2}}")
_CJK = re.compile(f"[{_HAN}]")
_CLUSTERS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_PREFIX_SCORE = f"top_terms_blended_freqs_{MAX_PREFIX_WORDS}"
_EDGE = "[^0-9A-Za-z\u00aa-\U0010ffff]"
_REGEXP_SIGNS = re.compile(r'([.?+*|{}\[\]()"\\#@&<>~^$-])')


class NamedWord(NamedTuple):
    """A word of a query.

    :param name: its term.
    :param word: its terms with their amounts, count and weight.
    :param place: of its first occurrence in the text; None for a synonym or a prefix.
    :param prefix: the start of the words that it stands for.
    """

    name: str
    word: QueryWord
    place: tuple[int, int] | None = None
    prefix: str | None = None


def read_words(query: KeywordQuery, fields: WordFields) -> list[NamedWord]:
    """Return the words of a query, each once, without stop words of the index's languages.

    >>> [word.name for word in read_words(KeywordQuery("the dogs of war", ("pea",)), WordFields("english", {}, ("english",)))]
    ['dogs', 'war', 'pea*']
    """
    languages = list_languages(fields)
    words = KeywordIndex("words").query_words(query.text, languages)
    places = [(word.start, word.end) for word in query_words(query.text, languages)]
    if query.expansion is not None:
        words = query.expansion.widen(words, KeywordIndex("words"), languages)
    named = [
        NamedWord(word[0][0][0], word, places[number] if number < len(places) else None)
        for number, word in enumerate(words)
    ]
    for prefix in query.prefixes:
        terms = analyze(prefix, AUTO)
        if terms and len(terms[0]) == max(map(len, terms)):
            named.append(NamedWord(f"{prefix}*", ([(terms[0], 1.0)], 1.0, 1.0, False), prefix=terms[0]))
        else:
            named += [NamedWord(word[0][0][0], word) for word in KeywordIndex("words").query_words(prefix, languages)]
    return named


def list_languages(fields: WordFields) -> list[str]:
    """Return the languages of the words of a query; English if there is none yet."""
    return list(fields.languages) or ([DEFAULT_LANGUAGE] if fields.analyzer == AUTO else [])


def list_whole_words(words: Sequence[NamedWord]) -> list[NamedWord]:
    """Return the words without pieces of identifiers and single characters beside their pairs."""
    return [word for word in words if word.word[2] >= 1.0] or list(words)


@dataclass(frozen=True)
class WordQueries:
    """Makes the queries for words of an index.

    :param words: its searched fields.
    :param fields: its other fields.
    :param combines: the server adds up the frequencies in all fields (OpenSearch 3.2); else the
        best field counts.
    """

    words: WordFields
    fields: Fields = field(default_factory=lambda: Fields({}))
    combines: bool = True

    def count_clauses(self, word: NamedWord) -> int:
        """Return the maximum number of terms that a word is for the server."""
        if word.prefix is not None:
            return MAX_PREFIX_WORDS * len(self.words.list_paths())
        return len(word.word[0]) * sum(
            len(self.words.list_paths(each)) for each in [None, *self.words.list_stem_languages()]
        )

    def make_ranking(self, words: Sequence[NamedWord]) -> Query:
        """Return the query for any of the words; each is a clause with its number as its name."""
        clauses: list[Query] = [
            {"bool": {"must": [self.match_word(word)], "_name": str(number)}} for number, word in enumerate(words)
        ]
        return {"bool": {"should": clauses, "minimum_should_match": 1}}

    def match_word(self, word: NamedWord, only: str | None = None) -> Query:
        """Return the query for a word.

        :param only: the searched field in which it counts; None: all.
        """
        terms, count, weight, has_forms = word.word
        boost = weight * (K3 + 1) * count / (K3 + count)
        if word.prefix is not None:
            return self._match_prefix(word.prefix, only, boost)
        clauses = [self._match_term(term, amount * boost, has_forms, only) for term, amount in terms]
        return clauses[0] if len(clauses) == 1 else {"dis_max": {"queries": clauses}}

    def require(self, condition: Condition) -> Query:
        """Return the query for the documents that meet a condition, which may be excluded."""
        name = condition.field
        if name is not None and not self.words.list_paths(field=name):
            return self._match_metadata(condition)
        if condition.kind == "phrase":
            return self._match_phrase(condition.text, self.words.list_paths(field=name))
        query = KeywordQuery("" if condition.kind == "prefix" else condition.text)
        if condition.kind == "prefix":
            query = KeywordQuery("", (condition.text,))
        found = list_whole_words(read_words(query, self.words))
        return {"bool": {"filter": [self.match_word(word, name) for word in found]}} if found else NONE

    def require_words(self, words: Sequence[NamedWord], least: float) -> Query:
        """Return the query for the documents with a number of words, or a share of them."""
        whole = list_whole_words(words)
        count = max(int(least * len(whole)), 1) if isinstance(least, float) else min(int(least), len(whole))
        return {"bool": {"should": [self.match_word(word) for word in whole], "minimum_should_match": count}}

    def _match_term(self, term: str, boost: float, has_forms: bool, only: str | None) -> Query:
        languages = self.words.list_stem_languages()
        if _CLUSTERS.search(term) or (_CJK_PAIR.fullmatch(term) and CJK not in languages):
            return self._match_phrase(term, self.words.list_paths(field=only), boost, analyzer=None)
        if _CJK_PAIR.fullmatch(term):
            return self._match(term, self.words.list_paths(CJK, only), boost)
        inflects = has_forms and not _CJK.search(term)
        stems = [language for language in languages if language != CJK] if inflects else []
        exact = self.words.list_paths(field=only)
        if not stems:
            return self._match(term, exact, boost)
        forms = [self._match(term, self.words.list_paths(each, only), boost * _STEM_SHARE) for each in stems]
        best = forms[0] if len(forms) == 1 else {"dis_max": {"queries": forms}}
        return {"bool": {"should": [self._match(term, exact, boost * _EXACT_SHARE), best]}}

    def _match(self, term: str, paths: WordPaths, boost: float) -> Query:
        """Return the query for a term in fields, as if they were one."""
        match: JsonObject = {"query": term, "fields": _format_paths(paths), "operator": "and", "boost": boost}
        if self.combines:
            return {"combined_fields": match}
        return {"multi_match": {**match, "type": "best_fields"}}

    def _match_phrase(self, text: str, paths: WordPaths, boost: float = 1.0, analyzer: str | None = EXACT) -> Query:
        chosen = {} if analyzer is None else {"analyzer": analyzer}
        match = {"query": text, "fields": _format_paths(paths), "type": "phrase", "boost": boost, **chosen}
        return {"multi_match": match}

    def _match_prefix(self, prefix: str, only: str | None, boost: float) -> Query:
        """Return the query for words with a prefix, which count as one word in each field."""
        return {
            "dis_max": {
                "queries": [
                    {"prefix": {path: {"value": prefix, "rewrite": _PREFIX_SCORE, "boost": boost * weight}}}
                    for path, weight in self.words.list_paths(field=only)
                ]
            }
        }

    def _match_metadata(self, condition: Condition) -> Query:
        """Return the query for texts in a key that is not searched, as they are written there."""
        found = self.fields.get(f"meta.{condition.field}")
        if found.kind == "text":
            kind = {"word": "match", "phrase": "match_phrase", "prefix": "match_phrase_prefix"}[condition.kind]
            query: Query = {kind: {found.path: condition.text}}
        elif found.keyword is not None:
            words = [_REGEXP_SIGNS.sub(r"\\\1", word) for word in re.findall(r"\w+", condition.text)]
            end = "" if condition.kind == "prefix" else f"({_EDGE}.*)?"
            text = f"(.*{_EDGE})?{f'{_EDGE}+'.join(words)}{end or '.*'}"
            query = {"regexp": {found.keyword: {"value": text, "case_insensitive": True}}}
        else:
            return NONE
        return {"nested": {"path": found.nested_path, "query": query}} if found.nested_path else query


def _format_paths(paths: WordPaths) -> list[str]:
    return [path if weight == 1 else f"{path}^{weight:g}" for path, weight in paths]
