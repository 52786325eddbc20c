"""Helpers of the tests of filters."""

from typing import Any

from spaniel import Document
from spaniel.filters import document_matches_filter

MISSING = object()


def comparison(operator: str, value: Any, field: str = "meta.x") -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def passes(document_value: Any, operator: str, filter_value: Any, *, strict: bool = False) -> bool:
    """Return if a document whose ``meta.x`` is `document_value` matches a comparison."""
    document = Document(id="d", meta={} if document_value is MISSING else {"x": document_value})
    return document_matches_filter(comparison(operator, filter_value), document, strict_datetime_comparison=strict)
