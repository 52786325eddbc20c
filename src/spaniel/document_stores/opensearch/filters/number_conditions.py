"""Conditions on numbers and booleans.

A number lies as a double, and an integer also as itself. Below 2 to the 53rd the double says all; beyond, it is the nearest
of several integers, so there the integer is asked for.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Bounds,
    Query,
    any_of,
    between,
    exact,
    term,
    terms,
)
from spaniel.document_stores.opensearch.schema.field import Field, Numbers
from spaniel.filters.equality import operand
from spaniel.filters.operators import OPERATORS

_EXACT = 2**53
_TOP = 2**63
_FROM_TOP = {(">=", _TOP), (">", _TOP - 1)}
_BELOW_TOP = {("<", _TOP), ("<=", _TOP - 1)}
_BEYOND_TOP = {(">", _TOP), ("<=", _TOP)}
_KEYS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def number(value: Any) -> int | float | None:
    """Return a value as a number that JSON can hold; None for what is none. True is no number here.

    >>> number(2.0), number(True), number(float("inf"))
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


def equal_numbers(field: Field, values: Sequence[Any]) -> Bounds:
    """Return the condition that a field's number is one of `values`; what is no number is left out."""
    found = [each for each in map(number, values) if each is not None]
    top = _top(field) if field.reals and field.integers and {_TOP, _TOP - 1} & set(found) else None
    if top is not None:
        found = [each for each in found if each not in (_TOP, _TOP - 1)]
    sure = any_of([*_as_reals(field, found), *_as_integers(field, found)])
    return exact(sure) if top is None else Bounds(sure, any_of([sure, top]))


def ordered_numbers(field: Field, operator: str, value: Any) -> Bounds:
    """Return the condition that a field's number is greater or smaller than `value`; True and False are 1 and 0."""
    limit = number(int(value) if isinstance(value, bool) else value)
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
        sure = between(reals.path, gt=_TOP)
        return Bounds(sure, any_of([sure, _top(field)]))
    if (operator, limit) in _BELOW_TOP:
        sure = any_of([between(reals.path, lt=_TOP), _range(integers, "<", _TOP - 1)])
        return Bounds(sure, any_of([sure, _top(field)]))
    if upward == (limit < 0):  # all fractions pass, and what is beyond the integers on that side
        rest = between(reals.path, gt=-_EXACT) if upward else between(reals.path, lt=_EXACT)
    elif upward:
        rest = between(reals.path, gt=_TOP)
    else:
        rest = between(reals.path, lt=-_TOP)
    return exact(any_of([_range(integers, operator, limit), rest]))


def equal_booleans(field: Field, values: Sequence[Any]) -> Bounds:
    """Return the condition that a field is one of `values`; 1 is not True here."""
    found = [value for value in values if isinstance(value, bool)]
    return exact(terms(field.path, list(dict.fromkeys(found))) if found else NONE)


def ordered_booleans(field: Field, operator: str, value: Any) -> Bounds:
    """Return the condition that a field, as 1 or 0, is greater or smaller than `value`."""
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
    safe += [-0.0] if 0 in safe else []  # which a server tells from 0.0
    return [terms(field.reals.path, [_float(value) for value in safe])] if safe else []


def _top(field: Field) -> Query:
    """Return the query for the last integer, and for the number after it: a server keeps both alike."""
    return NONE if field.integers is None else term(field.integers.path, _TOP - 1)


def _as_integers(field: Field, values: Sequence[int | float]) -> list[Query]:
    if field.integers is None:
        return []
    wanted = [
        value
        for value in values
        if isinstance(value, int) and _within(field.integers, value) and (field.reals is None or abs(value) >= _EXACT)
    ]
    return [terms(field.integers.path, wanted)] if wanted else []


def _range(numbers: Numbers, operator: str, limit: float) -> Query:
    upward = operator.startswith(">")
    if isinstance(limit, float) and math.isfinite(limit) and isinstance(numbers.largest, int):
        # Between two integers: which of the operators it is makes no difference.
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
