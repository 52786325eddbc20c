"""A filter in a shape that needs few clauses: the same answer, for every document."""

from collections.abc import Iterable
from typing import Any

from spaniel.filters.field import FieldPath
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import Comparison, Filter, Logic

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
