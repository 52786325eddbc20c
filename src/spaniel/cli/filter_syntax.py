"""Filters as people type them: ``year >= 2020``, ``path starts with guide/``, or JSON."""

import json
import re
from collections.abc import Sequence
from typing import Any

from spaniel.errors import FilterError
from spaniel.filters.operators import OPERATORS

_WORDS = sorted((name for name in OPERATORS if name[0].isalpha()), key=len, reverse=True)
_SIGNS = sorted((name for name in OPERATORS if not name[0].isalpha()), key=len, reverse=True)
_COMPARISON = re.compile(
    rf"\s*(?P<field>[^\s=!<>]+)(?:\s*(?P<sign>{'|'.join(map(re.escape, _SIGNS))})|\s+(?P<word>{'|'.join(_WORDS)})(?=[\s\[\"]))"
    r"\s*(?P<value>.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_TAKE_LISTS = ("in", "not in", "contains any", "contains all")


def parse_filters(texts: Sequence[str]) -> dict[str, Any] | None:
    """Return the filter that texts stand for, all of them to hold; None for no text.

    :raises FilterError: a text is no filter.

    >>> parse_filters(["year >= 2020"])
    {'field': 'year', 'operator': '>=', 'value': 2020}
    >>> parse_filters(["year >= 2020", 'path starts with guide/'])["operator"]
    'AND'
    """
    filters = [parse_filter_text(text) for text in texts]
    if len(filters) > 1:
        return {"operator": "AND", "conditions": filters}
    return filters[0] if filters else None


def parse_filter_text(text: str) -> dict[str, Any]:
    """Return the filter that one text stands for: JSON, or FIELD OPERATOR VALUE.

    A value is JSON where it can be read so (``2020``, ``true``, ``null``, ``"2020"``, ``["a", "b"]``), else plain text;
    operators that take a list also take ``a, b``.

    >>> parse_filter_text("tags contains any a, b")
    {'field': 'tags', 'operator': 'contains any', 'value': ['a', 'b']}
    """
    if text.lstrip().startswith("{"):
        return _json_filter(text)
    match = _COMPARISON.fullmatch(text)
    if match is None:
        operators = ", ".join([*_SIGNS, *sorted(_WORDS)])
        raise FilterError(
            f"'{text}' is no filter. Write FIELD OPERATOR VALUE, such as 'year >= 2020', or JSON. Operators: {operators}."
        )
    operator = match["sign"] or " ".join(match["word"].lower().split())
    value = _value(match["value"])
    if operator in _TAKE_LISTS and not isinstance(value, list):
        value = [_value(part.strip()) for part in match["value"].split(",")]
    return {"field": match["field"], "operator": operator, "value": value}


def _json_filter(text: str) -> dict[str, Any]:
    try:
        filter = json.loads(text)
    except ValueError as error:
        raise FilterError(f"'{text}' is no JSON: {error}.") from error
    if not isinstance(filter, dict):
        raise FilterError(f"'{text}' is no JSON object.")
    return filter


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
