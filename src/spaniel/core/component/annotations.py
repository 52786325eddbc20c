"""Type annotations of sockets: origins, union members, display text."""

import types
import typing
from typing import Any, Literal, TypeAlias, Union

Value: TypeAlias = Any
"""A value that a component takes or returns; the type of its socket says more."""

Annotation: TypeAlias = Any
"""A type annotation: a class, a generic alias, a union, a literal."""


def get_type_origin(annotation: Annotation) -> Annotation:
    """Return ``list`` for ``list[int]``, a class for itself, ``Union`` for a union, else None."""
    origin: Annotation = typing.get_origin(annotation) or (annotation if isinstance(annotation, type) else None)
    return Union if origin is types.UnionType else origin


def get_union_members(annotation: Annotation) -> tuple[Annotation, ...]:
    """Return the members of a union; any other type is its only member."""
    return typing.get_args(annotation) if get_type_origin(annotation) is Union else (annotation,)


def format_type(annotation: Annotation) -> str:
    """Return a type as display text, without module names.

    >>> format_type(typing.Optional[list[int]])
    'list[int] | None'
    """
    if annotation is types.NoneType:
        return "None"
    if get_type_origin(annotation) is Union:
        return " | ".join(map(format_type, get_union_members(annotation))) or "Union"
    if get_type_origin(annotation) is Literal:
        return str(annotation).removeprefix("typing.")
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, (list, tuple)):  # the parameters of a Callable
        return f"[{', '.join(map(format_type, annotation))}]"
    name = getattr(annotation, "__name__", str(annotation))
    arguments = typing.get_args(annotation)
    return f"{name}[{', '.join(map(format_type, arguments))}]" if arguments else name
