"""The terms of a query as the index analyzes them, and their share in the scores of documents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from spaniel.document_stores.opensearch.index import Index
from spaniel.json_types import JsonObject
from spaniel.runtime import Program
from spaniel.tracing.events import TermMatch

# The words of a text according to the standard analyzer.
_WORD = re.compile(r"\w+(?:(?<=[^\W\d_])['.:\u00b7\u2019](?=[^\W\d_])\w+|(?<=\d)['.,;](?=\d)\w+)*")


class Term(NamedTuple):
    """A term of a query; terms at the same position, that of a word, are alternatives."""

    text: str
    position: int


class QueryTerms:
    """The terms of the last query, and the terms by which its documents were found."""

    def __init__(self) -> None:
        self._query: str | None = None
        self._terms: list[Term] = []
        self._explained_query: str | None = None
        self._explanations: Mapping[str, tuple[TermMatch, ...]] = {}

    def knows(self, query: str) -> bool:
        """Return True if the terms of a query are known without a request."""
        return self._query == query

    def analyze(self, index: Index, path: str, query: str) -> Program[list[Term]]:
        """Return the terms of a query as the analyzer of a field produces them."""
        if self._query == query:
            return self._terms
        answer = yield from index.send("POST", "_analyze", {"field": path, "text": query})
        terms = [Term(token["token"], token["position"]) for token in answer["tokens"]]
        self._query, self._terms = query, terms
        return terms

    def store_explanations(self, query: str, explanations: Mapping[str, tuple[TermMatch, ...]]) -> None:
        """Store the terms by which the documents of a query were found."""
        self._explained_query, self._explanations = query, explanations

    def explanations(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]] | None:
        """Return the stored terms once: a caller that asks again wants the full explanation."""
        if self._explained_query != query or not all(id in self._explanations for id in document_ids):
            return None
        explanations = {id: self._explanations[id] for id in document_ids}
        self._explained_query, self._explanations = None, {}
        return explanations


def terms_by_rarity(index: Index, path: str, query: str) -> Program[list[tuple[str, int]]]:
    """Return the terms of a query that occur in documents, rarest first, with their counts."""
    unused = dict.fromkeys(("field_statistics", "positions", "offsets", "payloads"), False)
    body = {"doc": {index.content_field: query}, "fields": [path], "term_statistics": True, **unused}
    answer = yield from index.send("POST", "_termvectors", body)
    terms = answer.get("term_vectors", {}).get(path, {}).get("terms", {})
    counted = [(each.get("doc_freq", 0), term, each["term_freq"]) for term, each in terms.items()]
    return [(term, frequency) for documents, term, frequency in sorted(counted) if documents]


def terms_of_names(scores: Mapping[str, float], text: str) -> tuple[TermMatch, ...]:
    """Return the terms that matched, by score, with frequencies from the text and 0 documents.

    >>> terms_of_names({"0 apple": 1.5}, "An Apple is an apple.")
    (TermMatch(term='apple', frequency=2, documents=0, score=1.5, forms=(), whole=0.0),)
    """
    sums: dict[str, float] = defaultdict(float)
    for name, score in scores.items():
        sums[name.partition(" ")[2]] += score
    frequencies = Counter(_WORD.findall(text.lower()))
    ordered = sorted(sums.items(), key=lambda each: -each[1])
    return tuple(TermMatch(term, frequencies[term] or 1, 0, score) for term, score in ordered)


def terms_of_explanation(explanation: JsonObject, path: str = "content") -> tuple[TermMatch, ...]:
    """Return the terms in the ``_explanation`` of a hit: a tree of values and details."""
    name = re.escape(path)
    weight = re.compile(rf"weight\({name}:(?P<a>.+) in \d+\)|ConstantScore\({name}:(?P<b>.+)\)", re.DOTALL)
    return tuple(_matches(explanation, weight))


def _matches(node: JsonObject, weight: re.Pattern[str]) -> Iterator[TermMatch]:
    if match := weight.match(node["description"]):
        frequency = int(_value(node, "freq,") or _value(node, "freq") or 1)
        yield TermMatch(match["a"] or match["b"], frequency, int(_value(node, "n,") or 0), node["value"])
        return
    for detail in node.get("details", ()):
        yield from _matches(detail, weight)


def _value(node: JsonObject, start: str) -> float | None:
    if node["description"].startswith(start):
        return float(node["value"])
    values = (_value(detail, start) for detail in node.get("details", ()))
    return next((value for value in values if value is not None), None)
