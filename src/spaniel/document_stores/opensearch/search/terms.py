"""The terms of a query, as the analyzer of an index makes them, and the search by terms that says what each of them adds."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.search.hits import Ranking
from spaniel.document_stores.opensearch.search.queries import any_term
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import StoreRequestError
from spaniel.runtime import Program, async_method, sync_method
from spaniel.tracing.events import TermMatch


class Term(NamedTuple):
    """A term of a query.

    :param text: as the index has it.
    :param place: the number of its word; several terms of one place are alternatives.
    """

    text: str
    place: int


class Terms(Ranking):
    """The methods that know the terms of a query."""

    _last_terms: tuple[str | None, list[Term]] = (None, [])
    _explanations: tuple[str | None, Mapping[str, tuple[TermMatch, ...]]] = (None, {})

    @sync_method
    def query_terms(self, query: str) -> Program[list[str]]:
        """Return the distinct terms of a query, as the analyzer of the index makes them, in the order of their appearance."""
        fields = yield from self._index.fields(["content"])
        return list(dict.fromkeys(term.text for term in (yield from self._analyzed(query, fields))))

    query_terms_async = async_method(query_terms)

    def _analyzed(self, query: str, fields: Fields) -> Program[list[Term]]:
        """Return the terms of a query, as the analyzer of the index makes them; those of the last query are kept."""
        analyzed, terms = self._last_terms
        if analyzed != query:
            ask = Ask("POST", self._index.path("_analyze"), {"field": self._text_path(fields), "text": query})
            answer = yield from answered(ask, self._index.patience)
            terms = [Term(token["token"], token["position"]) for token in answer["tokens"]]
            self._last_terms = (query, terms)
        return terms

    def _terms_by_rarity(self, query: str, path: str) -> Program[list[tuple[str, int]]]:
        """Return the terms of a query that documents hold, each with its number in the query, the rarest first."""
        wanted = dict.fromkeys(("field_statistics", "positions", "offsets", "payloads"), False)
        body = {"doc": {self._index.content_field: query}, "fields": [path], "term_statistics": True, **wanted}
        answer = yield from answered(Ask("POST", self._index.path("_termvectors"), body), self._index.patience)
        found = answer.get("term_vectors", {}).get(path, {}).get("terms", {})
        held = [(each.get("doc_freq", 0), term, each["term_freq"]) for term, each in found.items()]
        return [(term, count) for documents, term, count in sorted(held) if documents]

    def _explained_search(
        self, query: str, filters: dict[str, Any] | None, top_k: int, all_terms: bool
    ) -> Program[list[dict[str, Any]] | None]:
        """Return the hits of a search, and keep for `explain_bm25` which terms found them.

        The same scores as without explanation, in the same request. None where the terms of the query are not known yet, can't be
        named one by one, or the server refuses that: what is only for a trace asks nothing and fails no search.
        """
        if self._last_terms[0] != query:  # else the terms are known without a request
            return None
        try:
            return (yield from self._with_named_terms(query, filters, top_k, all_terms))
        except StoreRequestError:
            return None

    def _with_named_terms(
        self, query: str, filters: dict[str, Any] | None, top_k: int, all_terms: bool
    ) -> Program[list[dict[str, Any]] | None]:
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
        if all(isinstance(hit.get("matched_queries"), dict) for hit in hits):
            matched = ((read({**hit, "_source": dict(hit["_source"])}), hit["matched_queries"]) for hit in hits)
            explained = {each.id: named_terms(scores, each.content or "") for each, scores in matched}
            self._explanations = (query, explained)
        return hits


# As the standard analyzer of a server divides a text into words.
_WORD = re.compile(r"\w+(?:(?<=[^\W\d_])['.:\u00b7\u2019](?=[^\W\d_])\w+|(?<=\d)['.,;](?=\d)\w+)*")


def named_terms(scores: Mapping[str, float], text: str) -> tuple[TermMatch, ...]:
    """Return the terms that a document was found by, the one that counts most first.

    How often a term is there is counted in the text; in how many documents it is, is not known (0).

    :param scores: what each named clause of `queries.any_term` adds to the score.
    :param text: of the document.

    >>> named_terms({"0 apple": 1.5}, "An Apple is an apple.")
    (TermMatch(term='apple', frequency=2, documents=0, score=1.5),)
    """
    sums: dict[str, float] = defaultdict(float)
    for name, score in scores.items():
        sums[name.partition(" ")[2]] += score
    found = Counter(_WORD.findall(text.lower()))
    ordered = sorted(sums.items(), key=lambda each: -each[1])
    return tuple(TermMatch(term, found[term] or 1, 0, score) for term, score in ordered)


def terms_of(explanation: Mapping[str, Any], path: str = "content") -> tuple[TermMatch, ...]:
    """Return the terms of an explanation, each with its frequency in the document, its number of documents, and its score.

    :param explanation: the ``_explanation`` of a hit: a tree of values, descriptions and details.
    :param path: of the field with the text.
    """
    name = re.escape(path)
    weight = re.compile(rf"weight\({name}:(?P<a>.+) in \d+\)|ConstantScore\({name}:(?P<b>.+)\)", re.DOTALL)
    return tuple(_terms(explanation, weight))


def _terms(node: Mapping[str, Any], weight: re.Pattern[str]) -> Iterator[TermMatch]:
    if found := weight.match(node["description"]):
        yield TermMatch(
            found["a"] or found["b"],
            int(_value(node, "freq,") or _value(node, "freq") or 1),
            int(_value(node, "n,") or 0),
            node["value"],
        )
        return
    for detail in node.get("details", ()):
        yield from _terms(detail, weight)


def _value(node: Mapping[str, Any], start: str) -> float | None:
    if node["description"].startswith(start):
        return float(node["value"])
    found = (_value(detail, start) for detail in node.get("details", ()))
    return next((value for value in found if value is not None), None)
