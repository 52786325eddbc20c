"""The reference evaluator, and the three things in which a server differs from it
(docs/opensearch.md, Filters).
"""

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
        return _positive(node, operator, value) is not operator.negated
    return LOGIC[node.operator](passes(each, document) for each in node.conditions)


def _positive(node, operator, value):
    if value == [] and not (node.operator in EQUALITY and [] in _given(node)):
        value = None  # an empty list counts as missing
    if node.operator in EQUALITY | ORDER and isinstance(value, list):
        if node.operator in EQUALITY and any(_same_elements(value, each) for each in _given(node)):
            return True
        return any(_positive(node, operator, element) for element in value)  # an element matches
    if node.operator in ORDER or value is None:
        return operator.test(value, node.prepared, False)
    flags = isinstance(value[0] if isinstance(value, list) else value, bool)
    return operator.test(value, _of_one_kind(node, operator, flags), False)


def _given(node):
    return node.value if node.operator in ("in", "not in") else [node.value]


def _same_elements(value, other):
    return isinstance(other, list) and all(each in other for each in value) and all(each in value for each in other)


def _of_one_kind(node, operator, flags):
    """Return the operator's value without numbers, for True and False, or without True and False
    for all else.
    """

    def kept(value):
        return _NOTHING if isinstance(value, bool) is not flags and isinstance(value, int | float) else value

    if node.operator in ("in", "not in", "contains any", "contains all"):
        return operator.prepare([kept(each) for each in node.value])
    return operator.prepare(kept(node.value))


class _Nothing:
    def __eq__(self, other):
        return False

    __hash__ = object.__hash__


_NOTHING = _Nothing()
