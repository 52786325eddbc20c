"""The operators of a filter, as tables: how each prepares the filter's value, and how it tests a document's."""

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from spaniel.errors import FilterError
from spaniel.filters.dates import align, instant
from spaniel.filters.equality import Members, Operand, equal, is_member, members, operand

Compare = Callable[[Any, Any], Any]


class Operator(NamedTuple):
    """One comparison.

    :param prepare: turns a filter's value, once, into what `test` needs; raises `FilterError` for a value that never fits.
    :param test: tells whether a document's value passes; the flag is strict comparison of dates. It never raises.
    :param negated: the answer is the opposite.
    """

    prepare: Callable[[Any], Any]
    test: Callable[[Any, Any, bool], bool]
    negated: bool = False


def _orderable(value: Any) -> Operand:
    moment = instant(value)
    if isinstance(value, str) and moment is None:
        raise FilterError(
            f"{value!r:.200} can't be ordered with >, >=, <, <=. A string must be a full date: a four-digit year, a month "
            "and a day, such as '2024-01-31' or '2024-01-31T12:00:00Z'."
        )
    if isinstance(value, list | dict | tuple | set | frozenset) or not _has_an_order(value):
        raise FilterError(
            f"a value of type {type(value).__name__} can't be ordered with >, >=, <, <=. "
            "Give a number, a date, a datetime, a string with a full date, or None."
        )
    return Operand(value, moment)


def _has_an_order(value: Any) -> bool:
    try:
        bool(value is None or value < value)  # noqa: PLR0124 (does `<` work at all?)
    except Exception:  # noqa: BLE001 (any object can be given as a value)
        return False
    return True


def _ordered(compare: Compare) -> Callable[[Any, Operand, bool], bool]:
    def test(value: Any, other: Operand, strict: bool) -> bool:
        if value is None or other.value is None:
            return False
        left, right = value, other.value
        if other.instant is not None:
            moment = instant(value)
            pair = None if moment is None else align(moment, other.instant, strict=strict)
            if pair is None:
                return False
            left, right = pair
        try:
            return bool(compare(left, right))
        except Exception:  # noqa: BLE001 (one odd document doesn't end the query for all others)
            return False

    return test


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FilterError(f"must be a list, not {type(value).__name__}.")
    return value


def _members(value: Any) -> Members:
    return members(_listed(value))


def _operands(value: Any) -> tuple[Operand, ...]:
    return tuple(operand(item) for item in _listed(value))


def _contains(value: Any, part: Operand, strict: bool) -> bool:
    if isinstance(value, str):
        return isinstance(part.value, str) and part.value in value
    return isinstance(value, list) and any(equal(item, part, strict) for item in value)


def _contains_each(quantifier: Callable[[Iterable[bool]], bool]) -> Callable[[Any, tuple[Operand, ...], bool], bool]:
    def test(value: Any, parts: tuple[Operand, ...], strict: bool) -> bool:
        return isinstance(value, str | list) and quantifier(_contains(value, part, strict) for part in parts)

    return test


def _any_string(value: Any, test: Callable[[str], object]) -> bool:
    # A string itself, or one element of a list.
    strings = value if isinstance(value, list) else (value,)
    return any(isinstance(item, str) and bool(test(item)) for item in strings)


def _starts_with(value: Any, prefix: Any, _strict: bool) -> bool:
    return isinstance(prefix, str) and _any_string(value, lambda text: text.startswith(prefix))


def _like_pattern(pattern: Any) -> re.Pattern[str] | None:
    if not isinstance(pattern, str):
        return None  # matches nothing
    runs = [""]
    for piece in re.findall(r"\\?.", pattern, re.DOTALL):  # a backslash takes the next character along
        if piece == "%":
            runs.append("")
        else:
            runs[-1] += "." if piece == "_" else re.escape(piece[-1])
    first, *middle, last = runs if len(runs) > 1 else (*runs, "")
    # Each run between two % is taken at its first place, for good (atomic groups): no pattern makes the search explode.
    tail = f".*{last}" if len(runs) > 1 else ""
    return re.compile(first + "".join(f"(?>.*?{run})" for run in middle) + tail, re.DOTALL)


def _like(value: Any, pattern: re.Pattern[str] | None, _strict: bool) -> bool:
    return pattern is not None and _any_string(value, pattern.fullmatch)


def _as_given(value: Any) -> Any:
    return value


OPERATORS: dict[str, Operator] = {
    "==": Operator(operand, equal),
    "!=": Operator(operand, equal, negated=True),
    ">": Operator(_orderable, _ordered(operator.gt)),
    ">=": Operator(_orderable, _ordered(operator.ge)),
    "<": Operator(_orderable, _ordered(operator.lt)),
    "<=": Operator(_orderable, _ordered(operator.le)),
    "in": Operator(_members, is_member),
    "not in": Operator(_members, is_member, negated=True),
    "contains": Operator(operand, _contains),
    "not contains": Operator(operand, _contains, negated=True),
    "contains any": Operator(_operands, _contains_each(any)),
    "contains all": Operator(_operands, _contains_each(all)),
    "starts with": Operator(_as_given, _starts_with),
    "like": Operator(_like_pattern, _like),
    "not like": Operator(_like_pattern, _like, negated=True),
}


def _not_all(answers: Iterable[bool]) -> bool:
    return not all(answers)


LOGIC: dict[str, Callable[[Iterable[bool]], bool]] = {"AND": all, "OR": any, "NOT": _not_all}
