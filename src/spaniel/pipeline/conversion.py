"""Values that change their shape on the way from one component to another."""

import typing
from collections.abc import Callable
from typing import Any, Union

from spaniel.core.component.type_labels import arms_of, origin_of
from spaniel.pipeline.type_check import fits


def wrapped(value: Any) -> list[Any]:
    """Return the value as the only element of a list."""
    return [value]


def unwrapped(value: list[Any]) -> Any:
    """Return the only element of a list.

    :raises ValueError: it has none, or more than one, which would be lost.
    """
    if len(value) != 1:
        raise ValueError(
            f"Cannot unwrap a list of {len(value)} items for an input of a single value: only a list of one item fits."
        )
    return value[0]


Conversion = Callable[[Any], Any]

_BY_PREFERENCE: tuple[Conversion, ...] = (wrapped, unwrapped)


def conversion_between(given: Any, wanted: Any) -> Conversion | None:
    """Return what makes a value of one type fit another, or None if nothing does.

    ``T`` becomes ``list[T]``. ``list[str]`` becomes ``str``; no other list is unwrapped, since its length is data.

    :param given: the type of an output, which does not fit as it is.
    :param wanted: the type of an input.

    >>> conversion_between(str, list[str]).__name__, conversion_between(list[int], int)
    ('wrapped', None)
    """
    if origin_of(given) is Union:
        ways = {conversion_between(arm, wanted) for arm in arms_of(given)}
        return ways.pop() if len(ways) == 1 else None
    if origin_of(wanted) is Union:
        ways = {conversion_between(given, arm) for arm in arms_of(wanted)}
        return next((way for way in _BY_PREFERENCE if way in ways), None)
    if _is_list_of(wanted, lambda element: fits(given, element)):
        return wrapped
    if origin_of(wanted) is not list and _is_list_of(given, lambda element: element is str and fits(str, wanted)):
        return unwrapped
    return None


def _is_list_of(type_: Any, is_right: Callable[[Any], bool]) -> bool:
    elements = typing.get_args(type_)
    return origin_of(type_) is list and len(elements) == 1 and is_right(elements[0])
