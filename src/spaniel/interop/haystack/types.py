"""Annotations of one package as the other's, so that sockets have the types that a pipeline compares."""

import types
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Union, get_args, get_origin

from haystack.core.component.types import HAYSTACK_GREEDY_VARIADIC_ANNOTATION, HAYSTACK_VARIADIC_ANNOTATION

from spaniel.core.component import sockets
from spaniel.interop.haystack.documents import CLASSES

_BOTH_WAYS: Mapping[Any, Any] = {
    **CLASSES,
    sockets.LAZY: HAYSTACK_VARIADIC_ANNOTATION,
    sockets.GREEDY: HAYSTACK_GREEDY_VARIADIC_ANNOTATION,
}
# Haystack's pipelines do not connect a list to a Sequence; its components are declared with lists.
_OUTWARD: Mapping[Any, Any] = {**_BOTH_WAYS, Sequence: list, Mapping: dict}
_INWARD: Mapping[Any, Any] = {theirs: ours for ours, theirs in _BOTH_WAYS.items()}


def type_to_haystack(annotation: Any) -> Any:
    """Return an annotation with Haystack's classes in the place of ours, and lists in that of sequences.

    >>> type_to_haystack(Sequence[float] | None)
    list[float] | None
    """
    return _renamed(annotation, _OUTWARD)


def type_from_haystack(annotation: Any) -> Any:
    """Return an annotation with our classes in the place of Haystack's.

    >>> from haystack import Document
    >>> type_from_haystack(list[Document] | None)
    list[spaniel.dataclasses.document.Document] | None
    """
    return _renamed(annotation, _INWARD)


def _renamed(annotation: Any, names: Mapping[Any, Any]) -> Any:
    if isinstance(annotation, list):  # the parameters of a Callable
        return [_renamed(each, names) for each in annotation]
    if isinstance(annotation, (str, type)) and get_origin(annotation) is None:
        return names.get(annotation, annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    renamed = tuple(_renamed(each, names) for each in arguments)
    if renamed == arguments and origin not in names:
        return annotation
    rebuild = _REBUILT.get(origin)
    return rebuild(renamed) if rebuild else names.get(origin, origin)[renamed]


_REBUILT: Mapping[Any, Callable[[tuple[Any, ...]], Any]] = {
    Annotated: lambda parts: Annotated[parts],
    Union: lambda parts: reduce(or_, parts),
    types.UnionType: lambda parts: reduce(or_, parts),
}
