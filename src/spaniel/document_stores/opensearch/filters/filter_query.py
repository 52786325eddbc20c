"""A filter as query bounds, after a rewrite that needs fewer clauses."""

from collections.abc import Iterable

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Query,
    QueryBounds,
    all_of,
    any_of,
    exact,
    join_bounds,
    none_of,
)
from spaniel.document_stores.opensearch.filters.comparisons import comparison_bounds
from spaniel.document_stores.opensearch.filters.verification import WITHOUT_METADATA, group_by_nested
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.filters.evaluate import matches
from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import Comparison, Filter, Logic

# In an OR, an operator becomes that of a list; in an AND or NOT likewise.
_COLLAPSED = {"OR": {"==": "in", "in": "in"}, "AND": {"!=": "not in", "not in": "not in"}}
_COLLAPSED["NOT"] = _COLLAPSED["AND"]
_FLATTENED = {("AND", "AND"), ("OR", "OR"), ("NOT", "AND")}


def filter_bounds(node: Filter | None, fields: Fields) -> QueryBounds:
    """Return the bounds of a filter; None matches every document.

    >>> from spaniel.filters import parse_filter
    >>> english = parse_filter({"field": "meta.lang", "operator": "==", "value": "en"})
    >>> filter_bounds(english, Fields({"lang": {"type": "keyword"}})).lower
    {'term': {'lang': {'value': 'en'}}}
    """
    return exact(ALL) if node is None else _bounds(compact(node), fields)


def _bounds(node: Filter, fields: Fields) -> QueryBounds:
    if isinstance(node, Comparison):
        field = fields.find(node.path)
        if field.nested_path is None:
            return comparison_bounds(field, node)
        return _same_object_bounds(field.nested_path, "AND", [node], fields)
    others, objects = group_by_nested(node, fields)
    parts = [_bounds(each, fields) for each in others]
    parts += [_same_object_bounds(path, node.operator, nodes, fields) for path, nodes in objects.items()]
    return _join(node.operator, parts)


def _join(operator: str, parts: list[QueryBounds]) -> QueryBounds:
    if operator == "OR":
        return join_bounds(parts, any_of)
    bounds = join_bounds(parts, all_of)
    return ~bounds if operator == "NOT" else bounds


def _same_object_bounds(path: str, operator: str, nodes: list[Filter], fields: Fields) -> QueryBounds:
    """Return the bounds of conditions on the same object of a list, or without objects."""
    join, quantifier = (any_of, any) if operator == "OR" else (all_of, all)
    inner = join_bounds([_object_bounds(node, fields) for node in nodes], join)
    matches_empty = quantifier(matches(node, WITHOUT_METADATA) for node in nodes)
    empty = none_of(_in_nested(path, ALL)) if matches_empty else NONE
    lower = any_of([_in_nested(path, inner.lower), empty])
    return exact(lower) if inner.exact else QueryBounds(lower, any_of([_in_nested(path, inner.upper), empty]))


def _object_bounds(node: Filter, fields: Fields) -> QueryBounds:
    if isinstance(node, Comparison):
        return comparison_bounds(fields.find(node.path), node)
    return _join(node.operator, [_object_bounds(each, fields) for each in node.conditions])


def _in_nested(path: str, query: Query) -> Query:
    return NONE if query == NONE else {"nested": {"path": path, "query": query}}


def compact(node: Filter) -> Filter:
    """Return an equivalent filter with flattened conditions and a list per field for its values.

    >>> from spaniel.filters import parse_filter
    >>> either = [{"field": "meta.lang", "operator": "==", "value": value} for value in ("en", "de")]
    >>> compact(parse_filter({"operator": "OR", "conditions": either}))
    Comparison(field='meta.lang', operator='in', value=['en', 'de'])
    """
    if isinstance(node, Comparison):
        return node
    collapsed = _COLLAPSED[node.operator]
    conditions: list[Filter | FieldPath] = []  # a path: of the comparisons of this field
    by_field = dict[FieldPath, list[Comparison]]()
    for each in _flatten(node):
        if not isinstance(each, Comparison) or each.operator not in collapsed:
            conditions.append(each)
            continue
        if each.path not in by_field:
            conditions.append(each.path)
        by_field.setdefault(each.path, []).append(each)
    compacted = [_merge(by_field[each], collapsed) if isinstance(each, tuple) else each for each in conditions]
    if len(compacted) == 1 and node.operator != "NOT":
        return compacted[0]
    return Logic(node.operator, tuple(compacted))


def _flatten(node: Logic) -> Iterable[Filter]:
    for each in map(compact, node.conditions):
        if isinstance(each, Logic) and (node.operator, each.operator) in _FLATTENED:
            yield from each.conditions
        else:
            yield each


def _merge(comparisons: list[Comparison], collapsed: dict[str, str]) -> Comparison:
    first, *others = comparisons
    if not others:
        return first
    operator = collapsed[first.operator]
    values: list[object] = []
    for each in comparisons:
        values += each.value if each.operator in ("in", "not in") else [each.value]
    return Comparison(first.field, operator, values, first.path, OPERATORS[operator].prepare(values))
