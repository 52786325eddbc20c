"""A filter as one query, and what is certain of it."""

from collections.abc import Iterable, Mapping
from typing import Any

from spaniel.document_stores.opensearch.filters.clauses import (
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
from spaniel.document_stores.opensearch.filters.comparisons import condition
from spaniel.document_stores.opensearch.filters.verification import NOBODY, nested_place
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.errors import FilterError
from spaniel.filters.evaluate import matches
from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import Comparison, Filter, Logic, parse_filter


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


# In an OR, each operator of the first pair becomes the second of it; in an AND or NOT likewise.
_COLLAPSED = {"OR": {"==": "in", "in": "in"}, "AND": {"!=": "not in", "not in": "not in"}}
_COLLAPSED["NOT"] = _COLLAPSED["AND"]
_MERGED = {("AND", "AND"), ("OR", "OR"), ("NOT", "AND")}


def compact(node: Filter) -> Filter:
    """Return a filter with its inner lists joined to the outer ones, and its values for one field in one list.

    >>> from spaniel.filters import parse_filter
    >>> either = [{"field": "meta.lang", "operator": "==", "value": value} for value in ("en", "de")]
    >>> compact(parse_filter({"operator": "OR", "conditions": either}))
    Comparison(field='meta.lang', operator='in', value=['en', 'de'])
    """
    if isinstance(node, Comparison):
        return node
    conditions = list(_conditions(node))
    kept: list[Filter] = []
    lists = dict[FieldPath, list[Comparison]]()
    collapsed = _COLLAPSED[node.operator]
    for each in conditions:
        if isinstance(each, Comparison) and each.operator in collapsed:
            if each.path not in lists:
                kept.append(each)
            lists.setdefault(each.path, []).append(each)
        else:
            kept.append(each)
    conditions = [
        _listed(lists[each.path], collapsed[each.operator])
        if isinstance(each, Comparison) and each.operator in collapsed and len(lists[each.path]) > 1
        else each
        for each in kept
    ]
    if len(conditions) == 1 and node.operator != "NOT":
        return conditions[0]
    return Logic(node.operator, tuple(conditions))


def _conditions(node: Logic) -> Iterable[Filter]:
    for each in map(compact, node.conditions):
        if isinstance(each, Logic) and (node.operator, each.operator) in _MERGED:
            yield from each.conditions
        else:
            yield each


def _listed(comparisons: list[Comparison], operator: str) -> Comparison:
    values: list[Any] = []
    for each in comparisons:
        values += each.value if each.operator in ("in", "not in") else [each.value]
    first = comparisons[0]
    return Comparison(first.field, operator, values, first.path, OPERATORS[operator].prepare(values))
