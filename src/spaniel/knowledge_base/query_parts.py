"""The conditions of a query, each as a query of its own."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.types.keyword_query import KeywordQuery

if TYPE_CHECKING:
    from spaniel.json_types import Filters


def list_unmet_conditions(
    view_query: Callable[[KeywordQuery], Any], query: KeywordQuery, document_id: str
) -> list[str]:
    """Return the conditions of a query that a document does not meet, as the query writes them.

    :param view_query: returns the store with the document, so that it answers a query.
    """
    own: Filters = {"field": "id", "operator": "==", "value": document_id}
    parts = {str(each): KeywordQuery("", conditions=(each,)) for each in query.conditions}
    if query.min_words:
        parts[f"at least {format_least(query.min_words)} of its words"] = replace(query, prefixes=(), conditions=())
    return [name for name, part in parts.items() if not view_query(part).bm25_retrieval("", own, 1)]


def format_least(words: float) -> str:
    """Return a minimum number or share of words as text.

    >>> format_least(2), format_least(0.75)
    ('2', '75 %')
    """
    return f"{words * 100:.0f} %" if isinstance(words, float) else str(words)
