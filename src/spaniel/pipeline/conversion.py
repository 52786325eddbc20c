"""Conversions of a value between the types of two connected sockets."""

import typing
from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeGuard, TypeVar, Union

from spaniel.core.component.annotations import Annotation, Value, get_type_origin, get_union_members
from spaniel.pipeline.type_compatibility import is_assignable

Conversion: TypeAlias = tuple[Callable[[Value], Value], ...]
"""Functions that are applied in sequence; empty: there is no conversion."""

T = TypeVar("T")


class ChatMessage(Protocol):
    """The part of Haystack's ``ChatMessage`` that conversions use."""

    text: str | None

    @classmethod
    def from_user(cls, text: str) -> "ChatMessage":
        """Return a message of the user."""


def wrap(value: T) -> list[T]:
    """Return a list of one value."""
    return [value]


def unwrap(value: list[T]) -> T:
    """Return the only element of a list; more elements would be lost, so they are an error."""
    if len(value) != 1:
        raise ValueError(f"Cannot unwrap a list of {len(value)} items for an input of a single value.")
    return value[0]


def extract_text(message: ChatMessage) -> str:
    """Return the text of a chat message."""
    if message.text is None:
        raise ValueError("A chat message without text can't become a text.")
    return message.text


_BY_PREFERENCE = (
    "wrap",
    "unwrap",
    "extract_text",
    "from_user",
    "extract_text, wrap",
    "from_user, wrap",
    "unwrap, extract_text",
    "unwrap, from_user",
)


def get_conversion_name(conversion: Conversion) -> str:
    """Return the names of the functions of a conversion.

    >>> get_conversion_name((unwrap, extract_text))
    'unwrap, extract_text'
    """
    return ", ".join(function.__name__ for function in conversion)


def find_conversion(source: Annotation, target: Annotation) -> Conversion:
    """Return the conversion between two types that are not assignable.

    ``T`` becomes ``list[T]``, ``list[str]`` becomes ``str``; other lists are not unwrapped, since
    their length is data. A chat message of Haystack becomes text, and text a message of the user,
    also as the element of a list.

    >>> get_conversion_name(find_conversion(str, list[str])), find_conversion(list[int], int)
    ('wrap', ())
    """
    if get_type_origin(source) is Union:
        return _sole({find_conversion(member, target) for member in get_union_members(source)})
    if get_type_origin(target) is Union:
        found = filter(None, (find_conversion(source, member) for member in get_union_members(target)))
        return min(found, key=lambda each: _BY_PREFERENCE.index(get_conversion_name(each)), default=())
    return _convert_message(source, target) or _convert_into_list(source, target) or _convert_from_list(source, target)


def _convert_message(source: Annotation, target: Annotation) -> Conversion:
    if source is str and _is_message_class(target):
        return (target.from_user,)
    return (extract_text,) if _is_message_class(source) and target is str else ()


def _convert_into_list(source: Annotation, target: Annotation) -> Conversion:
    element = _get_element_type(target)
    if element is None:
        return ()
    if is_assignable(source, element):
        return (wrap,)
    found = filter(None, (_convert_message(source, member) for member in get_union_members(element)))
    return next(((*each, wrap) for each in found), ())


def _convert_from_list(source: Annotation, target: Annotation) -> Conversion:
    element = _get_element_type(source)
    if element is None or get_type_origin(target) is list:
        return ()
    if (element is str or _is_message_class(element)) and is_assignable(element, target):
        return (unwrap,)
    conversion = _sole({_convert_message(member, target) for member in get_union_members(element)})
    return (unwrap, *conversion) if conversion else ()


def _sole(conversions: set[Conversion]) -> Conversion:
    return conversions.pop() if len(conversions) == 1 else ()


def _get_element_type(annotation: Annotation) -> Annotation:
    elements = typing.get_args(annotation)
    return elements[0] if get_type_origin(annotation) is list and len(elements) == 1 else None


def _is_message_class(cls: Annotation) -> TypeGuard[type[ChatMessage]]:
    """Recognise Haystack's class of chat messages by its attributes, without importing it."""
    return isinstance(cls, type) and callable(getattr(cls, "from_user", None)) and hasattr(cls, "text")
