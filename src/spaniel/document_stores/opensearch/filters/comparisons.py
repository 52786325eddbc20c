"""One comparison of a filter as a query: tables of what each operator asks of each kind of field."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Bounds,
    all_of,
    any_of,
    exact,
    joined,
    script,
)
from spaniel.document_stores.opensearch.filters.date_conditions import (
    equal_server_dates,
    ordered_dates,
    ordered_server_dates,
)
from spaniel.document_stores.opensearch.filters.number_conditions import (
    equal_booleans,
    equal_numbers,
    number,
    ordered_booleans,
    ordered_numbers,
)
from spaniel.document_stores.opensearch.filters.string_conditions import (
    containing,
    equal_strings,
    equal_text,
    like,
    starting_with,
)
from spaniel.document_stores.opensearch.schema.field import Field, Kind
from spaniel.filters.dates import instant, iso_instant
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import Comparison

_SAME_ELEMENTS = """
for (def element : doc[params.field]) {
  if (!params.elements.contains(element instanceof Number ? element.doubleValue() : element)) return false;
}
return true;
"""

_LACKS = {
    "text": "it is mapped as text, so only its words can be searched. Map it with a sub-field of type keyword",
    "other": "values of its type can't be compared on the server. Map it as a keyword, number, boolean or date",
    "object": "it holds objects, which can't be compared as a whole on the server. Compare a field inside",
    "date": "it is mapped as a date, and the server doesn't keep its spelling. Map it as a keyword with a date beside it",
    "values": "no script can read its strings, which lists need. Map it as a keyword",
    "list": "lists in lists can't be compared on the server. Use 'contains' with one element",
}


def condition(field: Field, comparison: Comparison) -> Bounds:
    """Return what to ask for one comparison.

    :param field: the comparison's field, as the index has it.
    :param comparison: as the filter has it.
    """
    operator = OPERATORS[comparison.operator]
    if field.kind == "missing":
        found = exact(ALL if operator.test(None, comparison.prepared, False) else NONE)
        if field.marked and _asks_for_empty_list(comparison):
            found = joined([found, exact(field.is_list())], any_of)  # the mapping has no field for empty lists
        return ~found if operator.negated else found
    name = "==" if comparison.operator == "!=" else comparison.operator.removeprefix("not ")
    bounds = _OPERATORS[name](field, comparison.operator, comparison.value)
    return ~bounds if operator.negated else bounds


def _asks_for_empty_list(comparison: Comparison) -> bool:
    values = comparison.value if comparison.operator in ("in", "not in") else [comparison.value]
    return comparison.operator in ("==", "!=", "in", "not in") and [] in values


def unanswerable(field: Field, reason: str) -> Bounds:
    """Return the bounds of what a server can't tell for any document that has the field."""
    return Bounds(NONE, field.has_value().may, f"'{field.path}': {_LACKS[reason]}")


def _is_one(field: Field, values: Sequence[Any]) -> Bounds:
    parts = []
    if any(value is None for value in values):
        parts.append(~field.has_value())
    if objects := [value for value in values if isinstance(value, dict)]:
        parts.append(_is_object(field, objects))
    parts += [_is_list(field, value) for value in values if isinstance(value, list)]
    scalars = [value for value in values if value is not None and not isinstance(value, list | dict | tuple)]
    if scalars:
        parts.append(_EQUAL[field.kind](field, scalars))
    return joined(parts, any_of)


def _is_object(field: Field, objects: Sequence[dict[str, Any]]) -> Bounds:
    """Return the condition that a value equals one of some objects, which are compared when they are fetched."""
    if field.kind == "object" and all(map(_holds_value, objects)) and all(map(_is_shown, field.leaves)):
        return Bounds(NONE, field.found(), f"'{field.path}': {_LACKS['object']}")
    if field.kind in ("object", "other") or field.presence == "partly":
        return Bounds(NONE, field.has_value().may, f"'{field.path}': {_LACKS['object']}")
    return exact(NONE)


def _holds_value(value: Any) -> bool:
    """Return whether there is any value in an object, so that an index may show it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    return value is not None if inner is None else any(map(_holds_value, inner))


def _is_shown(leaf: Field) -> bool:
    return leaf.presence == "shown" or (leaf.kind == "object" and all(map(_is_shown, leaf.leaves)))


def _is_list(field: Field, elements: list[Any]) -> Bounds:
    """Return the condition that the values of a field are these, in any order and number."""
    if field.kind in ("object", "text", "other", "date") or any(
        isinstance(each, list | dict | tuple) for each in elements
    ):
        return unanswerable(field, "list" if field.kind not in _LACKS else field.kind)
    listed = field.is_list() if field.marked else ALL
    if not elements:
        return joined([exact(listed), ~field.has_value()], all_of) if field.marked else exact(NONE)
    values = [each for each in elements if each is not None]
    each = joined([_element(field, value) for value in values], all_of)
    if not field.values:
        return Bounds(NONE, all_of([listed, each.may]), f"'{field.path}': {_LACKS['values']}")
    path = field.keyword or (field.reals or field.integers or field).path
    held = [float(value) if field.kind == "number" else value for value in values if _fits(field, value)]
    only = script(_SAME_ELEMENTS, field=path, elements=held)
    return joined([exact(listed), each, exact(only)], all_of)


def _fits(field: Field, value: Any) -> bool:
    if field.kind == "number":
        return number(value) is not None and abs(number(value) or 0) < 2**1023
    return isinstance(value, bool if field.kind == "boolean" else str)


def _element(field: Field, value: Any) -> Bounds:
    # Within lists, dates are equal only in one spelling.
    if field.kind == "string":
        return exact(equal_text(field, value) if isinstance(value, str) else NONE)
    return _EQUAL[field.kind](field, [value])


def _ordered(field: Field, operator: str, value: Any) -> Bounds:
    if value is None:
        return exact(NONE)
    return _ORDERED[field.kind](field, operator, value)


def _ordered_strings(field: Field, operator: str, value: Any) -> Bounds:
    when = instant(value)
    if when is None:
        return exact(NONE)
    found = ordered_dates(field, operator, when)
    return joined([found, Bounds(NONE, field.unseen())], any_of) if field.hides_dates else found


def _ordered_server_dates(field: Field, operator: str, value: Any) -> Bounds:
    when = instant(value)
    return exact(NONE) if when is None else ordered_server_dates(field, operator, when)


def _contains(field: Field, value: Any) -> Bounds:
    if value is None:
        return exact(NONE)  # a server keeps no None in lists
    if field.kind in ("text", "other", "object") or (field.kind == "date" and isinstance(value, str)):
        return unanswerable(field, field.kind)
    listed = exact(field.is_list() if field.marked else ALL)
    if isinstance(value, list | dict | tuple):
        may = all_of([listed.may, field.has_value().may])
        return Bounds(NONE, may, f"'{field.path}': {_LACKS['list']}")
    element = joined([listed, _is_one(field, [value])], all_of)
    if field.kind == "string" and isinstance(value, str):
        return _part_or_element(field, value, element)
    return element


def _part_or_element(field: Field, value: str, element: Bounds) -> Bounds:
    part = containing(field, value)
    if not field.marked:
        return part if iso_instant(value) is None else joined([element, part], any_of)
    return joined([element, exact(equal_text(field, value)), joined([~exact(field.is_list()), part], all_of)], any_of)


def _contains_all(field: Field, values: Sequence[Any]) -> Bounds:
    if values:
        return joined([_contains(field, value) for value in values], all_of)
    if field.kind == "other":
        return unanswerable(field, "other")
    if field.kind in ("string", "text"):
        return field.has_value()
    return joined([exact(field.is_list()), field.has_value()], all_of) if field.marked else exact(NONE)


def _on_strings(ask: Callable[[Field, str], Bounds]) -> Callable[[Field, str, Any], Bounds]:
    def asked(field: Field, _operator: str, value: Any) -> Bounds:
        if not isinstance(value, str) or field.kind in ("number", "boolean", "object"):
            return exact(NONE)
        return ask(field, value) if field.kind == "string" else unanswerable(field, field.kind)

    return asked


def _moments(values: Iterable[Any]) -> list[Any]:
    return [when for when in map(iso_instant, values) if when is not None]


_EQUAL: dict[Kind, Callable[[Field, Sequence[Any]], Bounds]] = {
    "string": equal_strings,
    "number": equal_numbers,
    "boolean": equal_booleans,
    "date": lambda field, values: equal_server_dates(field, _moments(values)),
    "text": lambda field, _values: unanswerable(field, "text"),
    "other": lambda field, _values: unanswerable(field, "other"),
    "object": lambda _field, _values: exact(NONE),
}

_ORDERED: dict[Kind, Callable[[Field, str, Any], Bounds]] = {
    "string": _ordered_strings,
    "number": ordered_numbers,
    "boolean": ordered_booleans,
    "date": _ordered_server_dates,
    "text": lambda field, _operator, _value: unanswerable(field, "text"),
    "other": lambda field, _operator, _value: unanswerable(field, "other"),
    "object": lambda _field, _operator, _value: exact(NONE),
}

_OPERATORS: dict[str, Callable[[Field, str, Any], Bounds]] = {
    "==": lambda field, _operator, value: _is_one(field, [value]),
    "in": lambda field, _operator, value: _is_one(field, value),
    ">": _ordered,
    ">=": _ordered,
    "<": _ordered,
    "<=": _ordered,
    "contains": lambda field, _operator, value: _contains(field, value),
    "contains any": lambda field, _operator, value: joined([_contains(field, each) for each in value], any_of),
    "contains all": lambda field, _operator, value: _contains_all(field, value),
    "starts with": _on_strings(starting_with),
    "like": _on_strings(like),
}
