"""Conversion of type annotations, so that sockets have the types that a pipeline compares."""

import types
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Union, get_args, get_origin

from haystack.core.component.types import HAYSTACK_GREEDY_VARIADIC_ANNOTATION, HAYSTACK_VARIADIC_ANNOTATION

from spaniel.core.component import sockets
from spaniel.interop.haystack.conversion import CLASSES

_BOTH_WAYS: Mapping[Any, Any] = {
    **CLASSES,
    sockets.LAZY: HAYSTACK_VARIADIC_ANNOTATION,
    sockets.GREEDY: HAYSTACK_GREEDY_VARIADIC_ANNOTATION,
}
# Haystack's pipelines do not connect a list to a Sequence; its components are declared with lists.
_OUTWARD: Mapping[Any, Any] = {**_BOTH_WAYS, Sequence: list, Mapping: dict}
_INWARD: Mapping[Any, Any] = {theirs: ours for ours, theirs in _BOTH_WAYS.items()}


def type_to_haystack(annotation: Any) -> Any:
    """Convert an annotation to Haystack's classes, and sequences to lists.

    >>> type_to_haystack(Sequence[float] | None)
    list[float] | None
    """
    return _substitute(annotation, _OUTWARD)


def type_from_haystack(annotation: Any) -> Any:
    """Convert an annotation to our classes.

    >>> from haystack import Document
    >>> type_from_haystack(list[Document] | None)
    list[spaniel.dataclasses.document.Document] | None
    """
    return _substitute(annotation, _INWARD)


def _substitute(annotation: Any, names: Mapping[Any, Any]) -> Any:
    if isinstance(annotation, list):  # the parameters of a Callable
        return [_substitute(each, names) for each in annotation]
    if isinstance(annotation, (str, type)) and get_origin(annotation) is None:
        return names.get(annotation, annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    substituted = tuple(_substitute(each, names) for each in arguments)
    if substituted == arguments and origin not in names:
        return annotation
    rebuild = _REBUILT.get(origin)
    return rebuild(substituted) if rebuild else names.get(origin, origin)[substituted]


_REBUILT: Mapping[Any, Callable[[tuple[Any, ...]], Any]] = {
    Annotated: lambda parts: Annotated[parts],
    Union: lambda parts: reduce(or_, parts),
    types.UnionType: lambda parts: reduce(or_, parts),
}
