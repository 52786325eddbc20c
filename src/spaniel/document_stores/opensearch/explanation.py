"""What the server says of a score, as the terms that made it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from spaniel.tracing.events import TermMatch

_WEIGHT = re.compile(r"weight\(content:(.+) in \d+\)", re.DOTALL)


def terms_of(explanation: Mapping[str, Any]) -> tuple[TermMatch, ...]:
    """Return the terms of an explanation, each with its frequency in the document, its number of documents, and its score.

    :param explanation: the ``_explanation`` of a hit: a tree of values, descriptions and details.
    """
    return tuple(_terms(explanation))


def _terms(node: Mapping[str, Any]) -> Iterator[TermMatch]:
    if found := _WEIGHT.match(node["description"]):
        yield TermMatch(
            found[1],
            int(_value(node, "freq,") or _value(node, "freq") or 1),
            int(_value(node, "n,") or 0),
            node["value"],
        )
        return
    for detail in node.get("details", ()):
        yield from _terms(detail)


def _value(node: Mapping[str, Any], start: str) -> float | None:
    if node["description"].startswith(start):
        return float(node["value"])
    found = (_value(detail, start) for detail in node.get("details", ()))
    return next((value for value in found if value is not None), None)
