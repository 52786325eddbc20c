"""Types as they are read: ``list[Document]``, ``str | None``."""

import types
import typing
from typing import Any, Literal, Union


def get_type_origin(type_: Any) -> Any:
    """Return what a type is made of: ``list`` for ``list[int]``, ``Union`` for both spellings of a union.

    :param type_: any annotation; a plain class is its own origin, anything else gives None.
    """
    origin = typing.get_origin(type_) or (type_ if isinstance(type_, type) else None)
    return Union if origin is types.UnionType else origin


def get_union_members(type_: Any) -> tuple[Any, ...]:
    """Return the members of a union; any other type is its only member."""
    return typing.get_args(type_) if get_type_origin(type_) is Union else (type_,)


def format_type(type_: Any) -> str:
    """Return a type as it is read: ``list[Document]``, ``str | None``.

    >>> format_type(typing.Optional[list[int]])
    'list[int] | None'
    """
    if type_ is types.NoneType:
        return "None"
    if get_type_origin(type_) is Union:
        return " | ".join(format_type(arm) for arm in get_union_members(type_)) or "Union"
    if typing.get_origin(type_) is Literal:
        return str(type_).removeprefix("typing.")
    if type_ is Ellipsis:
        return "..."
    if isinstance(type_, (list, tuple)):  # the parameters of a Callable
        return f"[{', '.join(format_type(part) for part in type_)}]"
    name = getattr(type_, "__name__", str(type_))
    parts = typing.get_args(type_)
    return f"{name}[{', '.join(format_type(part) for part in parts)}]" if parts else name
