"""A filter as one query, and what is certain of it."""

from collections.abc import Mapping
from typing import Any

from spaniel.document_stores.opensearch.clauses import (
    ALL,
    NONE,
    Bounds,
    Query,
    all_of,
    any_of,
    exact,
    joined,
    none_of,
)
from spaniel.document_stores.opensearch.conditions import condition
from spaniel.document_stores.opensearch.document_test import NOBODY, nested_place
from spaniel.document_stores.opensearch.fields import Fields
from spaniel.document_stores.opensearch.filter_shape import compact
from spaniel.errors import FilterError
from spaniel.filters.evaluate import matches
from spaniel.filters.parse import Comparison, Filter, parse_filter


def filter_query(filters: Mapping[str, Any] | None, fields: Fields) -> Query:
    """Return one query for the documents that pass a filter, for ``bool.filter`` of a search.

    :param filters: the filter; None or an empty one: all documents.
    :param fields: what the index has.
    :raises FilterError: the filter is malformed, or the index lacks what is needed to answer it on the server.

    >>> fields = Fields({"lang": {"type": "keyword"}})
    >>> filter_query({"field": "meta.lang", "operator": "==", "value": "en"}, fields)
    {'term': {'lang': {'value': 'en'}}}
    """
    bounds = filter_bounds(filters, fields)
    if bounds.lack:
        raise FilterError(
            f"This filter can't be answered inside a search: {bounds.lack}, or ask filter_documents, which compares such "
            "documents itself."
        )
    return bounds.sure


def filter_bounds(filters: Mapping[str, Any] | None, fields: Fields) -> Bounds:
    """Return what is certain of a filter.

    :param filters: the filter; None or an empty one: all documents.
    :param fields: what the index has.
    :raises FilterError: the filter is malformed.
    """
    if not filters and (filters is None or isinstance(filters, Mapping)):
        return exact(ALL)
    return _document(compact(parse_filter(filters)), fields)


def _document(node: Filter, fields: Fields) -> Bounds:
    """Return the bounds of a filter for a document."""
    if isinstance(node, Comparison):
        place = fields.find(node.path).nested
        return condition(fields.find(node.path), node) if place is None else _one_object(place, "AND", [node], fields)
    parts, objects = [], dict[str, list[Filter]]()
    for each in node.conditions:
        if place := nested_place(each, fields):
            objects.setdefault(place, []).append(each)
        else:
            parts.append(_document(each, fields))
    parts += [_one_object(place, node.operator, nodes, fields) for place, nodes in objects.items()]
    return _logic(node.operator, parts)


def _logic(operator: str, parts: list[Bounds]) -> Bounds:
    if operator == "OR":
        return joined(parts, any_of)
    bounds = joined(parts, all_of)
    return ~bounds if operator == "NOT" else bounds


def _one_object(place: str, operator: str, nodes: list[Filter], fields: Fields) -> Bounds:
    """Return the bounds of conditions that must hold for one and the same object of a list, or for none at all."""
    join = any_of if operator == "OR" else all_of
    inner = joined([_object(node, fields) for node in nodes], join)
    quantifier = any if operator == "OR" else all
    bare = none_of(_nested(place, ALL)) if quantifier(matches(node, NOBODY) for node in nodes) else NONE
    sure = any_of([_nested(place, inner.sure), bare])
    return exact(sure) if inner.exact else Bounds(sure, any_of([_nested(place, inner.may), bare]), inner.lack)


def _object(node: Filter, fields: Fields) -> Bounds:
    """Return the bounds of a filter for one object of a list."""
    if isinstance(node, Comparison):
        return condition(fields.find(node.path), node)
    return _logic(node.operator, [_object(each, fields) for each in node.conditions])


def _nested(place: str, query: Query) -> Query:
    return NONE if query == NONE else {"nested": {"path": place, "query": query}}
