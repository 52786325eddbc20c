"""What the server says of a score, as the terms that made it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from spaniel.tracing.events import TermMatch

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
