"""The two ways to rank documents by the words of a query: Haystack's BM25, and fields and forms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from spaniel._engine import KeywordIndex, SlotSet
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.embedded.scoring import BM25Algorithm
from spaniel.tracing.events import TermMatch

_WORD_PARAMETERS = ("k1", "k3", "whole", "forms", "near")


QueryWord = tuple[list[tuple[str, float]], float, float, bool]
"""The terms of a word with their amounts, its count in the query, its weight, and if forms count."""


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


def prepare_ranking(
    indexing: IndexSettings, algorithm: BM25Algorithm, parameters: Mapping[str, float], query: str
) -> KeywordRanking:
    """Return a query, prepared for the indexes of these settings.

    :param algorithm: the variant of BM25, if words are not scored by fields and forms.
    :param parameters: of the formula, if not the defaults.
    """
    if indexing.scores_words:
        return _WordRanking(indexing, parameters, query)
    return _TermRanking(indexing, algorithm, parameters, query)


def validate_word_parameters(parameters: Mapping[str, float]) -> None:
    """Raise ValueError unless the parameters of the formula for words are in range."""
    ranking = _WordRanking(IndexSettings("all", fields=(("any", 1.0),)), parameters, "")
    ranking.search(KeywordIndex(fields=2), 0, None)


class _TermRanking:
    """A variant of BM25 over the distinct terms of one field; scores equal Haystack's.

    :param algorithm: the variant.
    :param parameters: of its formula.
    :param query: text.
    """

    def __init__(
        self, indexing: IndexSettings, algorithm: BM25Algorithm, parameters: Mapping[str, float], query: str
    ) -> None:
        self._terms = query if indexing.tokenizer is None else indexing.tokenizer(query)
        self._model: dict[str, Any] = {"variant": algorithm, "parameters": dict(parameters)}
        self.indexing = indexing

    def search(self, keywords: KeywordIndex, top_k: int, allowed: SlotSet | None) -> list[tuple[int, float]]:
        return keywords.search(self._terms, **self._model, top_k=top_k, allowed=allowed)

    def explain(self, keywords: KeywordIndex, slots: Sequence[int]) -> list[tuple[TermMatch, ...]]:
        return [
            tuple(TermMatch(match.term, match.tf, match.df, match.score) for match in matches)
            for matches in keywords.explain(self._terms, slots, **self._model)
        ]

    def terms(self, keywords: KeywordIndex) -> list[str]:  # noqa: ARG002 (that of the protocol)
        terms = self.indexing.engine_tokenizer(self._terms) if isinstance(self._terms, str) else self._terms
        return list(dict.fromkeys(terms))


class _WordRanking:
    """The fields and forms of words, and the whole document (docs/scores.md).

    :param parameters: ``k1``, ``b``, ``k3``, ``forms`` and ``whole``, if not the defaults.
    :param query: text.
    """

    def __init__(self, indexing: IndexSettings, parameters: Mapping[str, float], query: str) -> None:
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
        words = self._query if self.indexing.has_words else self._words(keywords)
        return keywords.search_words(words, **self._model, top_k=top_k, allowed=allowed)

    def explain(self, keywords: KeywordIndex, slots: Sequence[int]) -> list[tuple[TermMatch, ...]]:
        words = self._words(keywords)
        names = [word[0][0][0] for word in words]
        return [
            tuple(
                TermMatch(
                    names[match.word],
                    sum(frequency for _, _, frequency, _, _ in match.terms),
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
        return list(dict.fromkeys(word[0][0][0] for word in self._words(keywords)))

    def _words(self, keywords: KeywordIndex) -> list[QueryWord]:
        if self.indexing.has_words:
            return keywords.query_words(self._query, self.indexing.languages)
        tokens = (self.indexing.tokenizer or self.indexing.engine_tokenizer)(self._query)
        return [([(token, 1.0)], float(count), 1.0, False) for token, count in Counter(tokens).items()]
