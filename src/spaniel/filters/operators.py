"""The operators of filters."""

import operator
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from spaniel.errors import FilterError
from spaniel.filters.dates import align, parse_instant
from spaniel.filters.equality import Operand, equal, is_member, members, operand
from spaniel.json_types import Json

T = TypeVar("T")


class Operator(NamedTuple):
    """A comparison of a document's value with the value of a filter."""

    prepare: Callable[[Json], Json]  # converts the filter's value for `test`, or raises FilterError
    test: Callable[[Json, Json, bool], bool]  # never raises; the flag is strict comparison of dates
    negated: bool = False  # the result is the opposite of `test`


def _orderable(value: Json) -> Operand:
    moment = parse_instant(value)
    if isinstance(value, str) and moment is None:
        raise FilterError(
            f"{value!r:.200} can't be ordered with >, >=, <, <=. A string must be a full date: a four-digit year, a month "
            "and a day, such as '2024-01-31' or '2024-01-31T12:00:00Z'."
        )
    if isinstance(value, list | dict | tuple | set | frozenset) or not _has_order(value):
        raise FilterError(
            f"a value of type {type(value).__name__} can't be ordered with >, >=, <, <=. "
            "Give a number, a date, a datetime, a string with a full date, or None."
        )
    return Operand(value, moment)


def _has_order(value: Json) -> bool:
    try:
        bool(value is None or value < value)  # noqa: PLR0124 (tests if `<` is defined)
    except Exception:  # noqa: BLE001 (any object can be given as a value)
        return False
    return True


def _compare(compare: Callable[[Json, Json], object]) -> Callable[[Json, Operand, bool], bool]:
    def test(value: Json, other: Operand, strict: bool) -> bool:
        if value is None or other.value is None:
            return False
        left, right = value, other.value
        if other.instant is not None:
            moment = parse_instant(value)
            pair = None if moment is None else align(moment, other.instant, strict=strict)
            if pair is None:
                return False
            left, right = pair
        try:
            return bool(compare(left, right))
        except Exception:  # noqa: BLE001 (a document with an odd value must not fail the query)
            return False

    return test


def _list_of(prepare: Callable[[list[Json]], T]) -> Callable[[Json], T]:
    def prepare_list(value: Json) -> T:
        if not isinstance(value, list):
            raise FilterError(f"must be a list, not {type(value).__name__}.")
        return prepare(value)

    return prepare_list


def _operands(values: list[Json]) -> tuple[Operand, ...]:
    return tuple(map(operand, values))


def _contains(value: Json, part: Operand, strict: bool) -> bool:
    if isinstance(value, str):
        return isinstance(part.value, str) and part.value in value
    return isinstance(value, list) and any(equal(item, part, strict) for item in value)


def _contains_each(quantifier: Callable[[Iterable[bool]], bool]) -> Callable[[Json, tuple[Operand, ...], bool], bool]:
    def test(value: Json, parts: tuple[Operand, ...], strict: bool) -> bool:
        return isinstance(value, str | list) and quantifier(_contains(value, part, strict) for part in parts)

    return test


def _any_string(value: Json, test: Callable[[str], object]) -> bool:
    strings = value if isinstance(value, list) else (value,)
    return any(isinstance(item, str) and bool(test(item)) for item in strings)


def _starts_with(value: Json, prefix: Json, _strict: bool) -> bool:
    return isinstance(prefix, str) and _any_string(value, lambda text: text.startswith(prefix))


def _like_pattern(pattern: Json) -> re.Pattern[str] | None:
    if not isinstance(pattern, str):
        return None  # matches nothing
    runs = [""]
    for piece in re.findall(r"\\?.", pattern, re.DOTALL):  # a backslash escapes the next character
        if piece == "%":
            runs.append("")
        else:
            runs[-1] += "." if piece == "_" else re.escape(piece[-1])
    first, *middle, last = runs if len(runs) > 1 else (*runs, "")
    # Atomic groups fix each run between two % at its first match: no exponential backtracking.
    tail = f".*{last}" if len(runs) > 1 else ""
    return re.compile(first + "".join(f"(?>.*?{run})" for run in middle) + tail, re.DOTALL)


def _like(value: Json, pattern: re.Pattern[str] | None, _strict: bool) -> bool:
    return pattern is not None and _any_string(value, pattern.fullmatch)


OPERATORS: dict[str, Operator] = {
    "==": Operator(operand, equal),
    "!=": Operator(operand, equal, negated=True),
    ">": Operator(_orderable, _compare(operator.gt)),
    ">=": Operator(_orderable, _compare(operator.ge)),
    "<": Operator(_orderable, _compare(operator.lt)),
    "<=": Operator(_orderable, _compare(operator.le)),
    "in": Operator(_list_of(members), is_member),
    "not in": Operator(_list_of(members), is_member, negated=True),
    "contains": Operator(operand, _contains),
    "not contains": Operator(operand, _contains, negated=True),
    "contains any": Operator(_list_of(_operands), _contains_each(any)),
    "contains all": Operator(_list_of(_operands), _contains_each(all)),
    "starts with": Operator(lambda value: value, _starts_with),
    "like": Operator(_like_pattern, _like),
    "not like": Operator(_like_pattern, _like, negated=True),
}

LOGIC: dict[str, Callable[[Iterable[bool]], bool]] = {"AND": all, "OR": any, "NOT": lambda results: not all(results)}
