"""Annotations of one package as the other's, so that sockets have the types that a pipeline compares."""

import types
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Union, get_args, get_origin

from haystack.core.component.types import HAYSTACK_GREEDY_VARIADIC_ANNOTATION, HAYSTACK_VARIADIC_ANNOTATION

from spaniel.core.component import sockets
from spaniel.interop.haystack.documents import CLASSES

_OUTWARD: Mapping[Any, Any] = {
    **CLASSES,
    sockets.LAZY: HAYSTACK_VARIADIC_ANNOTATION,
    sockets.GREEDY: HAYSTACK_GREEDY_VARIADIC_ANNOTATION,
}
_INWARD: Mapping[Any, Any] = {theirs: ours for ours, theirs in _OUTWARD.items()}


def type_to_haystack(annotation: Any) -> Any:
    """Return an annotation with Haystack's classes in the place of ours.

    >>> type_to_haystack(list[dict[str, int]])
    list[dict[str, int]]
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
    arguments = get_args(annotation)
    renamed = tuple(_renamed(each, names) for each in arguments)
    if renamed == arguments:
        return annotation
    rebuild = _REBUILT.get(get_origin(annotation))
    return rebuild(renamed) if rebuild else get_origin(annotation)[renamed]


_REBUILT: Mapping[Any, Callable[[tuple[Any, ...]], Any]] = {
    Annotated: lambda parts: Annotated[parts],
    Union: lambda parts: reduce(or_, parts),
    types.UnionType: lambda parts: reduce(or_, parts),
}
