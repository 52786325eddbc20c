"""A comparison as query bounds: tables of operators by kind of field."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from spaniel.document_stores.opensearch.filters import date_conditions as dates
from spaniel.document_stores.opensearch.filters import number_conditions as numbers
from spaniel.document_stores.opensearch.filters import string_conditions as strings
from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    QueryBounds,
    all_of,
    any_of,
    exact,
    join_bounds,
    script,
)
from spaniel.document_stores.opensearch.schema.field import Field, Kind
from spaniel.filters.dates import parse_instant, parse_iso_instant
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import Comparison
from spaniel.json_types import Json, JsonObject

Condition: TypeAlias = Callable[[Field, str, Json], QueryBounds]
"""Returns the bounds for a field, an operator and a value."""

_SAME_ELEMENTS = """
for (def element : doc[params.field]) {
  if (!params.elements.contains(element instanceof Number ? element.doubleValue() : element)) return false;
}
return true;
"""


def comparison_bounds(field: Field, comparison: Comparison) -> QueryBounds:
    """Return the bounds of a comparison of a field as the index has it."""
    operator = OPERATORS[comparison.operator]
    if field.kind == "missing":
        bounds = exact(ALL if operator.test(None, comparison.prepared, False) else NONE)
        if field.marked and _compares_with_empty_list(comparison):
            bounds = join_bounds([bounds, exact(field.is_list())], any_of)  # empty lists have no field in the mapping
        return ~bounds if operator.negated else bounds
    name = "==" if comparison.operator == "!=" else comparison.operator.removeprefix("not ")
    bounds = _OPERATORS[name](field, comparison.operator, comparison.value)
    return ~bounds if operator.negated else bounds


def _compares_with_empty_list(comparison: Comparison) -> bool:
    values = comparison.value if comparison.operator in ("in", "not in") else [comparison.value]
    return comparison.operator in ("==", "!=", "in", "not in") and [] in values


def _equals_any(field: Field, values: Sequence[Json]) -> QueryBounds:
    parts = []
    if any(value is None for value in values):
        parts.append(~field.has_value())
    if objects := [value for value in values if isinstance(value, dict)]:
        parts.append(_equals_object(field, objects))
    parts += [_equals_list(field, value) for value in values if isinstance(value, list)]
    scalars = [value for value in values if value is not None and not isinstance(value, list | dict | tuple)]
    if scalars:
        parts.append(_EQUAL[field.kind](field, scalars))
    return join_bounds(parts, any_of)


def _equals_object(field: Field, objects: Sequence[JsonObject]) -> QueryBounds:
    """Return the bounds of equality with an object, which the server can't compare."""
    if field.kind == "object" and all(map(_has_any_value, objects)) and all(map(_is_shown, field.children)):
        return QueryBounds(NONE, field.visible())
    if field.kind in ("object", "other") or field.presence == "partly":
        return field.verify_all()
    return exact(NONE)


def _has_any_value(value: Json) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    return value is not None if inner is None else any(map(_has_any_value, inner))


def _is_shown(child: Field) -> bool:
    return child.presence == "shown" or (child.kind == "object" and all(map(_is_shown, child.children)))


def _equals_list(field: Field, elements: list[Json]) -> QueryBounds:
    """Return the bounds of documents with these values, in any order and number."""
    if field.kind in ("object", "text", "other", "date") or any(
        isinstance(each, list | dict | tuple) for each in elements
    ):
        return field.verify_all()
    listed = field.is_list() if field.marked else ALL
    if not elements:
        return join_bounds([exact(listed), ~field.has_value()], all_of) if field.marked else exact(NONE)
    values = [each for each in elements if each is not None]
    each = join_bounds([_has_element(field, value) for value in values], all_of)
    if not field.readable:
        return QueryBounds(NONE, all_of([listed, each.upper]))
    path = field.keyword or (field.reals or field.integers or field).path
    comparable = [float(value) if field.kind == "number" else value for value in values if _is_of_kind(field, value)]
    only = script(_SAME_ELEMENTS, field=path, elements=comparable)
    return join_bounds([exact(listed), each, exact(only)], all_of)


def _is_of_kind(field: Field, value: Json) -> bool:
    if field.kind == "number":
        return numbers.to_number(value) is not None and abs(numbers.to_number(value) or 0) < 2**1023
    return isinstance(value, bool if field.kind == "boolean" else str)


def _has_element(field: Field, value: Json) -> QueryBounds:
    # Within lists, dates are equal only in the same spelling.
    if field.kind == "string":
        return exact(strings.equal_text(field, value) if isinstance(value, str) else NONE)
    return _EQUAL[field.kind](field, [value])


def _compare_order(field: Field, operator: str, value: Json) -> QueryBounds:
    if value is None:
        return exact(NONE)
    return _ORDERED[field.kind](field, operator, value)


def _compare_strings(field: Field, operator: str, value: Json) -> QueryBounds:
    when = parse_instant(value)
    if when is None:
        return exact(NONE)
    bounds = dates.order_dates(field, operator, when)
    if not field.may_hide_dates:
        return bounds
    return join_bounds([bounds, QueryBounds(NONE, field.query_unindexed_strings())], any_of)


def _compare_date_fields(field: Field, operator: str, value: Json) -> QueryBounds:
    when = parse_instant(value)
    return exact(NONE) if when is None else dates.order_server_dates(field, operator, when)


def _contains(field: Field, value: Json) -> QueryBounds:
    if value is None:
        return exact(NONE)  # a server stores no None in lists
    if field.kind in ("text", "other", "object") or (field.kind == "date" and isinstance(value, str)):
        return field.verify_all()
    listed = exact(field.is_list() if field.marked else ALL)
    if isinstance(value, list | dict | tuple):
        return QueryBounds(NONE, all_of([listed.upper, field.has_value().upper]))
    element = join_bounds([listed, _equals_any(field, [value])], all_of)
    if field.kind == "string" and isinstance(value, str):
        return _contains_part_or_element(field, value, element)
    return element


def _contains_part_or_element(field: Field, value: str, element: QueryBounds) -> QueryBounds:
    part = strings.containing(field, value)
    if not field.marked:
        return part if parse_iso_instant(value) is None else join_bounds([element, part], any_of)
    in_text = join_bounds([~exact(field.is_list()), part], all_of)
    return join_bounds([element, exact(strings.equal_text(field, value)), in_text], any_of)


def _contains_all(field: Field, values: Sequence[Json]) -> QueryBounds:
    if values:
        return join_bounds([_contains(field, value) for value in values], all_of)
    if field.kind == "other":
        return field.verify_all()
    if field.kind in ("string", "text"):
        return field.has_value()
    return join_bounds([exact(field.is_list()), field.has_value()], all_of) if field.marked else exact(NONE)


def _string_condition(condition: Callable[[Field, str], QueryBounds]) -> Condition:
    def apply(field: Field, _operator: str, value: Json) -> QueryBounds:
        if not isinstance(value, str) or field.kind in ("number", "boolean", "object"):
            return exact(NONE)
        return condition(field, value) if field.kind == "string" else field.verify_all()

    return apply


def _equal_dates(field: Field, values: Sequence[Json]) -> QueryBounds:
    return dates.equal_server_dates(field, [when for when in map(parse_iso_instant, values) if when is not None])


_EQUAL: dict[Kind, Callable[[Field, Sequence[Json]], QueryBounds]] = {
    "string": strings.equal_strings,
    "number": numbers.equal_numbers,
    "boolean": numbers.equal_booleans,
    "date": _equal_dates,
    "text": lambda field, _values: field.verify_all(),
    "other": lambda field, _values: field.verify_all(),
    "object": lambda _field, _values: exact(NONE),
}

_ORDERED: dict[Kind, Condition] = {
    "string": _compare_strings,
    "number": numbers.order_numbers,
    "boolean": numbers.order_booleans,
    "date": _compare_date_fields,
    "text": lambda field, _operator, _value: field.verify_all(),
    "other": lambda field, _operator, _value: field.verify_all(),
    "object": lambda _field, _operator, _value: exact(NONE),
}

_OPERATORS: dict[str, Condition] = {
    "==": lambda field, _operator, value: _equals_any(field, [value]),
    "in": lambda field, _operator, value: _equals_any(field, value),
    ">": _compare_order,
    ">=": _compare_order,
    "<": _compare_order,
    "<=": _compare_order,
    "contains": lambda field, _operator, value: _contains(field, value),
    "contains any": lambda field, _operator, value: join_bounds([_contains(field, each) for each in value], any_of),
    "contains all": lambda field, _operator, value: _contains_all(field, value),
    "starts with": _string_condition(strings.starting_with),
    "like": _string_condition(strings.like),
}
