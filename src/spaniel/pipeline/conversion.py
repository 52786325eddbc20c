"""Values that change their shape on the way from one component to another."""

import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from spaniel.core.component.annotations import get_type_origin, get_union_members
from spaniel.pipeline.type_compatibility import fits

Conversion = Callable[[Any], Any]


def wrapped(value: Any) -> list[Any]:
    """Return the value as the only element of a list."""
    return [value]


def unwrap(value: list[Any]) -> Any:
    """Return the only element of a list.

    :raises ValueError: it has none, or more than one, which would be lost.
    """
    if len(value) != 1:
        raise ValueError(
            f"Cannot unwrap a list of {len(value)} items for an input of a single value: only a list of one item fits."
        )
    return value[0]


def text_of(message: Any) -> str:
    """Return the text of a chat message.

    :raises ValueError: it has none.
    """
    if message.text is None:
        raise ValueError("A chat message without text can't become a text.")
    return message.text  # type: ignore[no-any-return]  # text, since it is not None


@dataclass(frozen=True)
class Steps:
    """Two conversions, one after the other."""

    first: Conversion
    then: Conversion

    def __call__(self, value: Any) -> Any:
        """Return what the second makes of what the first made of a value."""
        return self.then(self.first(value))


_BY_PREFERENCE = (
    "wrapped",
    "unwrap",
    "text_of",
    "from_user",
    "text_of, wrapped",
    "from_user, wrapped",
    "unwrap, text_of",
    "unwrap, from_user",
)


def name_of(conversion: Conversion) -> str:
    """Return what a conversion is called.

    >>> name_of(Steps(unwrap, text_of))
    'unwrap, text_of'
    """
    if isinstance(conversion, Steps):
        return f"{name_of(conversion.first)}, {name_of(conversion.then)}"
    return getattr(conversion, "__name__", "")


def find_conversion(given: Any, wanted: Any) -> Conversion | None:
    """Return what makes a value of one type fit another, or None if nothing does.

    ``T`` becomes ``list[T]``. ``list[str]`` becomes ``str``; no other list is unwrap, since its length is data. A chat message
    of Haystack becomes text, and text a message of the user, also as the only one of a list.

    :param given: the type of an output, which does not fit as it is.
    :param wanted: the type of an input.

    >>> find_conversion(str, list[str]).__name__, find_conversion(list[int], int)
    ('wrapped', None)
    """
    if get_type_origin(given) is Union:
        ways = {find_conversion(arm, wanted) for arm in get_union_members(given)}
        return ways.pop() if len(ways) == 1 else None
    if get_type_origin(wanted) is Union:
        found = {find_conversion(given, arm) for arm in get_union_members(wanted)} - {None}
        return min((way for way in found if way), key=lambda way: _BY_PREFERENCE.index(name_of(way)), default=None)
    return _into_message_or_text(given, wanted) or _into_list(given, wanted) or _out_of_list(given, wanted)


def _into_message_or_text(given: Any, wanted: Any) -> Conversion | None:
    if given is str and _is_message(wanted):
        return wanted.from_user  # type: ignore[no-any-return]  # a method of the class
    return text_of if _is_message(given) and wanted is str else None


def _into_list(given: Any, wanted: Any) -> Conversion | None:
    element = _element(wanted)
    if element is None:
        return None
    if fits(given, element):
        return wrapped
    ways = (_into_message_or_text(given, arm) for arm in get_union_members(element))
    return next((Steps(way, wrapped) for way in ways if way), None)


def _out_of_list(given: Any, wanted: Any) -> Conversion | None:
    element = _element(given)
    if element is None or get_type_origin(wanted) is list:
        return None
    if (element is str or _is_message(element)) and fits(element, wanted):
        return unwrap
    ways = {_into_message_or_text(arm, wanted) for arm in get_union_members(element)}
    way = ways.pop() if len(ways) == 1 else None
    return Steps(unwrap, way) if way else None


def _element(type_: Any) -> Any:
    elements = typing.get_args(type_)
    return elements[0] if get_type_origin(type_) is list and len(elements) == 1 else None


def _is_message(type_: Any) -> bool:
    """Return whether a type is Haystack's class of chat messages, or one of that kind, without importing it."""
    return isinstance(type_, type) and callable(getattr(type_, "from_user", None)) and hasattr(type_, "text")
