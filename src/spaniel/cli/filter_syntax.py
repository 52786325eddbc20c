"""Filters as users type them: ``year >= 2020``, ``path starts with guide/``, or JSON."""

import json
import re
from collections.abc import Sequence

from spaniel.errors import FilterError
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Filters, Json

_WORDS = sorted((name for name in OPERATORS if name[0].isalpha()), key=len, reverse=True)
_SIGNS = sorted((name for name in OPERATORS if not name[0].isalpha()), key=len, reverse=True)
_COMPARISON = re.compile(
    rf"\s*(?P<field>[^\s=!<>]+)(?:\s*(?P<sign>{'|'.join(map(re.escape, _SIGNS))})|\s+(?P<word>{'|'.join(_WORDS)})(?=[\s\[\"]))"
    r"\s*(?P<value>.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_LIST_OPERATORS = ("in", "not in", "contains any", "contains all")


def parse_filters(texts: Sequence[str]) -> Filters | None:
    """Return the conjunction of filters; None for no text.

    :raises FilterError: a text is not a filter.

    >>> parse_filters(["year >= 2020"])
    {'field': 'year', 'operator': '>=', 'value': 2020}
    >>> parse_filters(["year >= 2020", 'path starts with guide/'])["operator"]
    'AND'
    """
    filters = [parse_filter_text(text) for text in texts]
    if len(filters) > 1:
        return {"operator": "AND", "conditions": filters}
    return filters[0] if filters else None


def parse_filter_text(text: str) -> Filters:
    """Return the filter of a text: JSON, or FIELD OPERATOR VALUE.

    A value is read as JSON if possible (``2020``, ``true``, ``null``, ``"2020"``, ``["a", "b"]``),
    else as text. Operators on lists also accept ``a, b``.

    >>> parse_filter_text("tags contains any a, b")
    {'field': 'tags', 'operator': 'contains any', 'value': ['a', 'b']}
    """
    if text.lstrip().startswith("{"):
        try:
            filters: Filters = json.loads(text)
        except ValueError as error:
            raise FilterError(f"'{text}' is not valid JSON: {error}.") from error
        return filters
    match = _COMPARISON.fullmatch(text)
    if match is None:
        operators = ", ".join([*_SIGNS, *sorted(_WORDS)])
        raise FilterError(
            f"'{text}' is not a filter. Write FIELD OPERATOR VALUE, such as 'year >= 2020', or JSON. Operators: {operators}."
        )
    operator = match["sign"] or " ".join(match["word"].lower().split())
    value = _parse_value(match["value"])
    if operator in _LIST_OPERATORS and not isinstance(value, list):
        value = [_parse_value(part.strip()) for part in match["value"].split(",")]
    return {"field": match["field"], "operator": operator, "value": value}


def _parse_value(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
