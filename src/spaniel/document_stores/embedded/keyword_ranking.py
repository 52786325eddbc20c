"""The two ways to rank documents by the words of a query: Haystack's BM25, and fields and forms."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from spaniel._engine import KeywordIndex, SlotSet
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.embedded.query_words import MAX_PREFIX_WORDS, read_prefix, read_words
from spaniel.document_stores.embedded.scoring import BM25Algorithm
from spaniel.document_stores.types.keyword_query import KeywordQuery, QueryWord
from spaniel.tracing.events import TermMatch

_WORD_PARAMETERS = ("k1", "k3", "whole", "forms", "near", "names")


class KeywordRanking(Protocol):
    """A query, prepared for the keyword index of a store.

    :param indexing: the settings of that index.
    """

    indexing: IndexSettings

    def search(self, keywords: KeywordIndex, top_k: int, allowed: SlotSet | None) -> list[tuple[int, float]]:
        """Return the slots and scores of the best documents, best first."""
        ...

    def explain(self, keywords: KeywordIndex, slots: Sequence[int]) -> list[tuple[TermMatch, ...]]:
        """Return for each slot the words of the query in its document."""
        ...

    def terms(self, keywords: KeywordIndex) -> list[str]:
        """Return the distinct terms of the query in the order of appearance."""
        ...

    def words(self, keywords: KeywordIndex) -> list[QueryWord]:
        """Return the words of the query with their terms."""
        ...


def prepare_ranking(
    indexing: IndexSettings, algorithm: BM25Algorithm, parameters: Mapping[str, float], query: str | KeywordQuery
) -> KeywordRanking:
    """Return a query, prepared for the indexes of these settings.

    :param algorithm: the variant of BM25, if words are not scored by fields and forms.
    :param parameters: of the formula, if not the defaults.
    """
    query = KeywordQuery(query) if isinstance(query, str) else query
    if indexing.scores_words:
        return _WordRanking(indexing, parameters, query)
    return _TermRanking(indexing, algorithm, parameters, query)


def validate_word_parameters(parameters: Mapping[str, float]) -> None:
    """Raise ValueError unless the parameters of the formula for words are in range."""
    ranking = _WordRanking(IndexSettings("all", fields=(("any", 1.0),)), parameters, KeywordQuery(""))
    ranking.search(KeywordIndex(fields=2), 0, None)


class _TermRanking:
    """A variant of BM25 over the distinct terms of one field; scores equal Haystack's.

    :param algorithm: the variant.
    :param parameters: of its formula.
    :param query: text; each word with one of its prefixes is a term of its own.
    """

    def __init__(
        self, indexing: IndexSettings, algorithm: BM25Algorithm, parameters: Mapping[str, float], query: KeywordQuery
    ) -> None:
        self._query = query
        self._terms = query.text if indexing.tokenizer is None else indexing.tokenizer(query.text)
        self._model: dict[str, Any] = {"variant": algorithm, "parameters": dict(parameters)}
        self.indexing = indexing

    def search(self, keywords: KeywordIndex, top_k: int, allowed: SlotSet | None) -> list[tuple[int, float]]:
        return keywords.search(self._all_terms(keywords), **self._model, top_k=top_k, allowed=allowed)

    def explain(self, keywords: KeywordIndex, slots: Sequence[int]) -> list[tuple[TermMatch, ...]]:
        return [
            tuple(TermMatch(match.term, match.tf, match.df, match.score) for match in matches)
            for matches in keywords.explain(self._all_terms(keywords), slots, **self._model)
        ]

    def terms(self, keywords: KeywordIndex) -> list[str]:
        return [name for word in self.words(keywords) for name, _ in word[0]]

    def words(self, keywords: KeywordIndex) -> list[QueryWord]:
        return [word for _, word in _read_query(self._query, self.indexing, keywords)]

    def _all_terms(self, keywords: KeywordIndex) -> str | list[str]:
        is_plain = not self._query.prefixes and self._query.expansion is None
        return self._terms if is_plain else list(dict.fromkeys(self.terms(keywords)))


class _WordRanking:
    """The fields and forms of words, and the whole document (docs/scores.md).

    :param parameters: ``k1``, ``b``, ``k3``, ``forms``, ``near``, ``names`` and ``whole``, if not
        the defaults.
    :param query: text.
    """

    def __init__(self, indexing: IndexSettings, parameters: Mapping[str, float], query: KeywordQuery) -> None:
        self._query = query
        self.indexing = indexing
        model: dict[str, Any] = {name: parameters[name] for name in _WORD_PARAMETERS if name in parameters}
        if "b" in parameters:
            model["b"] = [parameters["b"]] * len(indexing.weights)
        self._model: dict[str, Any] = {
            "parameters": model | {"weights": indexing.weights},
            "languages": indexing.languages,
        }

    def search(self, keywords: KeywordIndex, top_k: int, allowed: SlotSet | None) -> list[tuple[int, float]]:
        query = self._query
        is_plain = self.indexing.has_words and not query.prefixes and query.expansion is None
        words = query.text if is_plain else self.words(keywords)
        return keywords.search_words(
            words, **self._model, top_k=top_k, allowed=allowed, repeat_share=query.repeat_share
        )

    def explain(self, keywords: KeywordIndex, slots: Sequence[int]) -> list[tuple[TermMatch, ...]]:
        named = _read_query(self._query, self.indexing, keywords)
        names, words = [name for name, _ in named], [word for _, word in named]
        return [
            tuple(
                TermMatch(
                    names[match.word],
                    sum(frequency for _, _, frequency, _, relation in match.terms if relation != "name"),
                    match.df,
                    match.score,
                    tuple(dict.fromkeys(term for term, *_ in match.terms)),
                    match.whole,
                )
                for match in matches
            )
            for matches in keywords.explain_words(words, slots, **self._model)
        ]

    def terms(self, keywords: KeywordIndex) -> list[str]:
        return list(dict.fromkeys(name for name, _ in _read_query(self._query, self.indexing, keywords)))

    def words(self, keywords: KeywordIndex) -> list[QueryWord]:
        return [word for _, word in _read_query(self._query, self.indexing, keywords)]


def _read_query(query: KeywordQuery, indexing: IndexSettings, keywords: KeywordIndex) -> list[tuple[str, QueryWord]]:
    """Return the words of a query with their names; a prefix without words is left out."""
    words = read_words(indexing, keywords, query.text)
    if query.expansion is not None:
        words = query.expansion.widen(words, keywords, indexing.languages)
    named = [(word[0][0][0], word) for word in words]
    for prefix in query.prefixes:
        word = read_prefix(indexing, keywords, prefix, MAX_PREFIX_WORDS)
        if word is None:
            named += [(other[0][0][0], other) for other in read_words(indexing, keywords, prefix)]
        elif word[0]:
            named.append((f"{prefix}*", word))
    return named
