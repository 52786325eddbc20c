"""Conditions on numbers and booleans.

A number is indexed as a double, an integer also as a long. Below 2 to the 53rd doubles are exact;
beyond, several integers share a double, so the long is compared.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Query,
    QueryBounds,
    any_of,
    between,
    exact,
    term,
    terms,
)
from spaniel.document_stores.opensearch.schema.field import Field, Numbers
from spaniel.filters.equality import operand
from spaniel.filters.operators import OPERATORS
from spaniel.json_types import Json

_EXACT = 2**53
_TOP = 2**63
_FROM_TOP = {(">=", _TOP), (">", _TOP - 1)}
_BELOW_TOP = {("<", _TOP), ("<=", _TOP - 1)}
_BEYOND_TOP = {(">", _TOP), ("<=", _TOP)}
_KEYS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def to_number(value: Json) -> int | float | None:
    """Return a value as a number that JSON can represent, or None. Booleans are not numbers here.

    >>> to_number(2.0), to_number(True), to_number(float("inf"))
    (2, None, inf)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction):
        return None
    try:
        if value != value:  # noqa: PLR0124 (NaN)
            return None
        if value in (math.inf, -math.inf):
            return float(value)
        whole = int(value)
        return whole if whole == value else float(value)
    except (OverflowError, ValueError, ArithmeticError):
        return None


def equal_numbers(field: Field, values: Sequence[Json]) -> QueryBounds:
    """Return the bounds of numbers equal to a value."""
    numbers = [each for each in map(to_number, values) if each is not None]
    top = _top(field) if field.reals and field.integers and {_TOP, _TOP - 1} & set(numbers) else None
    if top is not None:
        numbers = [each for each in numbers if each not in (_TOP, _TOP - 1)]
    lower = any_of([*_as_reals(field, numbers), *_as_integers(field, numbers)])
    return exact(lower) if top is None else QueryBounds(lower, any_of([lower, top]))


def order_numbers(field: Field, operator: str, value: Json) -> QueryBounds:
    """Return the bounds of numbers above or below a value; True and False are 1 and 0."""
    limit = to_number(int(value) if isinstance(value, bool) else value)
    if limit is None:
        return exact(NONE)
    reals, integers = field.reals, field.integers
    if reals is None or integers is None:
        numbers = reals or integers
        return exact(_range(numbers, operator, limit) if numbers else NONE)
    upward = operator.startswith(">")
    if abs(limit) < _EXACT or limit > _TOP or limit < integers.smallest or (operator, limit) in _BEYOND_TOP:
        return exact(_range(reals, operator, limit))
    if (operator, limit) in _FROM_TOP:
        lower = between(reals.path, gt=_TOP)
        return QueryBounds(lower, any_of([lower, _top(field)]))
    if (operator, limit) in _BELOW_TOP:
        lower = any_of([between(reals.path, lt=_TOP), _range(integers, "<", _TOP - 1)])
        return QueryBounds(lower, any_of([lower, _top(field)]))
    if upward == (limit < 0):  # all fractions pass, and all numbers beyond the integers on that side
        rest = between(reals.path, gt=-_EXACT) if upward else between(reals.path, lt=_EXACT)
    elif upward:
        rest = between(reals.path, gt=_TOP)
    else:
        rest = between(reals.path, lt=-_TOP)
    return exact(any_of([_range(integers, operator, limit), rest]))


def equal_booleans(field: Field, values: Sequence[Json]) -> QueryBounds:
    """Return the bounds of booleans equal to a value; 1 is not True here."""
    booleans = [value for value in values if isinstance(value, bool)]
    return exact(terms(field.path, list(dict.fromkeys(booleans))) if booleans else NONE)


def order_booleans(field: Field, operator: str, value: Json) -> QueryBounds:
    """Return the bounds of booleans, as 1 and 0, above or below a value."""
    test = OPERATORS[operator].test
    passing = [each for each in (True, False) if test(each, operand(value), False)]
    return exact(terms(field.path, passing) if passing else NONE)


def _as_reals(field: Field, values: Sequence[int | float]) -> list[Query]:
    if field.reals is None:
        return []
    safe = [
        value for value in values if _within(field.reals, value) and (field.integers is None or abs(value) < _EXACT)
    ]
    if field.integers:
        # Beyond the integers' range there are only doubles.
        safe += [value for value in values if not _within(field.integers, value) and _within(field.reals, value)]
    safe += [-0.0] if 0 in safe else []  # a server distinguishes it from 0.0
    return [terms(field.reals.path, [_float(value) for value in safe])] if safe else []


def _top(field: Field) -> Query:
    """Return the query for the largest long and its successor, which a server indexes alike."""
    return NONE if field.integers is None else term(field.integers.path, _TOP - 1)


def _as_integers(field: Field, values: Sequence[int | float]) -> list[Query]:
    if field.integers is None:
        return []
    integers = [
        value
        for value in values
        if isinstance(value, int) and _within(field.integers, value) and (field.reals is None or abs(value) >= _EXACT)
    ]
    return [terms(field.integers.path, integers)] if integers else []


def _range(numbers: Numbers, operator: str, limit: float) -> Query:
    upward = operator.startswith(">")
    if isinstance(limit, float) and math.isfinite(limit) and isinstance(numbers.largest, int):
        # Between two integers, strict and inclusive operators are equal.
        limit, operator = (math.ceil(limit), ">=") if upward else (math.floor(limit), "<=")
    if limit > numbers.largest:
        return NONE if upward else _all(numbers)
    if limit < numbers.smallest:
        return _all(numbers) if upward else NONE
    if isinstance(numbers.largest, int):
        return between(numbers.path, **{_KEYS[operator]: limit})
    if limit == 0:  # for a server, -0.0 is smaller than 0.0
        limit = -0.0 if operator in (">=", "<") else 0.0
    return between(numbers.path, **{_KEYS[operator]: _float(limit)})


def _all(numbers: Numbers) -> Query:
    return between(numbers.path, gte=numbers.smallest, lte=numbers.largest)


def _within(numbers: Numbers, value: float) -> bool:
    return numbers.smallest <= value <= numbers.largest


def _float(value: float) -> int | float:
    return value if abs(value) < _EXACT else float(value)
