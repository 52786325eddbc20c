"""What the server says of a score, as the terms that made it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from spaniel.tracing.events import TermMatch


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
