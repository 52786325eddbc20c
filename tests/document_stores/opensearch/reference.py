"""The reference evaluator, and the three things in which a server differs from it (docs/opensearch.md, Filters)."""

from spaniel.filters.equality import plain
from spaniel.filters.field import field_value
from spaniel.filters.operators import LOGIC, OPERATORS
from spaniel.filters.parse import Comparison

EQUALITY = {"==", "!=", "in", "not in"}
ORDER = {">", ">=", "<", "<="}


def passes(node, document):
    """Return whether a document passes a parsed filter on a server."""
    if isinstance(node, Comparison):
        operator = OPERATORS[node.operator]
        value = plain(field_value(document, node.path))
        return _positive(node, operator, None if value == [] else value) is not operator.negated
    return LOGIC[node.operator](passes(each, document) for each in node.conditions)


def _positive(node, operator, value):
    if node.operator in EQUALITY | ORDER and isinstance(value, list):
        if node.operator in EQUALITY and any(_same_elements(value, each) for each in _given(node)):
            return True
        return any(_positive(node, operator, element) for element in value)  # an element matches
    if (
        node.operator not in ORDER and any(isinstance(each, bool) for each in value)
        if isinstance(value, list)
        else isinstance(value, bool)
    ):
        return operator.test(
            value, _without(node, operator, lambda each: isinstance(each, bool) or not _is_number(each)), False
        )
    if node.operator not in ORDER:
        return operator.test(value, _without(node, operator, lambda each: not isinstance(each, bool)), False)
    return operator.test(value, node.prepared, False)


def _is_number(value):
    return isinstance(value, int | float)


def _given(node):
    return node.value if node.operator in ("in", "not in") else [node.value]


def _same_elements(value, other):
    return isinstance(other, list) and all(each in other for each in value) and all(each in value for each in other)


def _without(node, operator, keep):
    """Return the operator's value without what is True or False for numbers, or a number for True and False."""
    if node.operator in ("in", "not in", "contains any", "contains all"):
        return operator.prepare([each if keep(each) else _NOTHING for each in node.value])
    return node.prepared if keep(node.value) else operator.prepare(_NOTHING)


class _Nothing:
    def __eq__(self, other):
        return False

    __hash__ = object.__hash__


_NOTHING = _Nothing()
