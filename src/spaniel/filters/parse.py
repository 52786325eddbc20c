"""The parser of filters: from dicts to frozen nodes."""

import dataclasses
import reprlib
from collections.abc import Mapping
from typing import TypeAlias

from spaniel.errors import FilterError
from spaniel.filters.equality import plain
from spaniel.filters.field import FieldPath, field_path
from spaniel.filters.operators import LOGIC, OPERATORS
from spaniel.json_types import Json

MAX_DEPTH = 100
"""Far below the recursion limit, so that functions that walk a parsed filter are safe."""

_short = reprlib.Repr()
_short.maxlevel = 3
_short.maxstring = _short.maxother = 80


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of a document's field with a value.

    :param field: the name in the filter, such as ``meta.year``.
    :param operator: a key of `OPERATORS`.
    :param value: a copy of the filter's value; arrays are lists.
    :param path: the path of the field: ``("meta", "year")``, or a single name (see `field_path`).
    :param prepared: the value as converted by the operator.
    """

    field: str
    operator: str
    value: Json
    path: FieldPath = dataclasses.field(repr=False, compare=False)
    prepared: Json = dataclasses.field(repr=False, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Logic:
    """Conditions joined by ``AND``, ``OR`` or ``NOT`` (not all of them)."""

    operator: str
    conditions: tuple["Filter", ...]


Filter: TypeAlias = Comparison | Logic


def parse_filter(filters: Mapping[str, Json]) -> Filter:
    """Validate a filter, and return it in the form that `matches` evaluates.

    :param filters: ``{"field": ..., "operator": ..., "value": ...}``, or
        ``{"operator": "AND" | "OR" | "NOT", "conditions": [...]}``.
    :raises FilterError: a key is missing or unknown, or a value can't be compared; the message
        starts with its place, such as ``filters.conditions[2].value``.

    >>> parse_filter({"field": "meta.year", "operator": ">=", "value": 2020})
    Comparison(field='meta.year', operator='>=', value=2020)
    >>> parse_filter({"operator": "AND", "conditions": ["year > 2020"]})
    Traceback (most recent call last):
    spaniel.errors.FilterError: filters.conditions[0]: must be a dict that holds a filter, not 'year > 2020'.
    """
    return _parse(filters, "filters", 1)


def _parse(node: Json, place: str, depth: int) -> Filter:
    if depth > MAX_DEPTH:
        raise FilterError(
            f"filters: nested more than {MAX_DEPTH} levels deep. Put conditions that share an operator into one list."
        )
    if not isinstance(node, Mapping):
        raise FilterError(f"{place}: must be a dict that holds a filter, not {_short.repr(node)}.")
    return _comparison(node, place) if "field" in node else _logic(node, place, depth)


def _comparison(node: Mapping[str, Json], place: str) -> Comparison:
    _require(node, ("operator", "value"), place)
    name = node["field"]
    if not isinstance(name, str):
        raise FilterError(f"{place}.field: must be a string such as 'meta.year', not {_short.repr(name)}.")
    path = field_path(name)
    if len(path) > MAX_DEPTH:
        raise FilterError(f"{place}.field: has {len(path)} steps; a field has {MAX_DEPTH} at most.")
    operator = _validate_operator(node["operator"], OPERATORS, "comparison", place)
    try:
        value = plain(node["value"])
        return Comparison(name, operator, value, path, OPERATORS[operator].prepare(value))
    except FilterError as error:
        raise FilterError(f"{place}.value: {error}") from None
    except RecursionError:
        raise FilterError(f"{place}.value: nested too deeply to be compared.") from None


def _logic(node: Mapping[str, Json], place: str, depth: int) -> Logic:
    _require(node, ("operator", "conditions"), place)
    operator = _validate_operator(node["operator"], LOGIC, "logical", place)
    conditions = node["conditions"]
    if not isinstance(conditions, list | tuple):
        raise FilterError(f"{place}.conditions: must be a list of filters, not {_short.repr(conditions)}.")
    return Logic(
        operator,
        tuple(_parse(each, f"{place}.conditions[{index}]", depth + 1) for index, each in enumerate(conditions)),
    )


def _require(node: Mapping[str, Json], keys: tuple[str, str], place: str) -> None:
    for key in keys:
        if key not in node:
            raise FilterError(
                f"{place}: '{key}' key missing in {_short.repr(node)}. A comparison has 'field', 'operator' and 'value'; "
                "AND, OR and NOT have 'operator' and 'conditions'."
            )


def _validate_operator(operator: object, table: Mapping[str, object], kind: str, place: str) -> str:
    if isinstance(operator, str) and operator in table:
        return operator
    shown = operator if isinstance(operator, str) else _short.repr(operator)
    raise FilterError(f"{place}.operator: Unknown {kind} operator '{shown}'. Valid operators are: {sorted(table)}")
