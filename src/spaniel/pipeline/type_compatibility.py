"""Compatibility of the declared types of two sockets."""

import types
import typing
from collections import abc
from typing import Annotated, Any, Literal, Union

from spaniel.core.component.annotations import Annotation, format_type, get_type_origin, get_union_members

_ELEMENT_TYPES = frozenset(
    (
        *(abc.Iterable, abc.Iterator, abc.Collection, abc.Container, abc.Reversible, abc.Sequence, abc.MutableSequence),
        *(abc.Set, abc.MutableSet, abc.AsyncIterable, abc.AsyncIterator),
    )
)
"""Abstract types with one parameter, the type of their elements."""


def is_assignable(source: Annotation, target: Annotation) -> bool:
    """Return True if every value of one type may be passed where another is declared.

    ``Any`` accepts every type, and is accepted by ``Any`` only. A container is assignable to the
    abstract types that its class implements, if its elements are. ``str`` is not a sequence of
    texts.

    >>> is_assignable(list[bool], list[int]), is_assignable(int, int | None), is_assignable(str | None, str)
    (True, True, False)
    >>> is_assignable(list[float], abc.Sequence[float]), is_assignable(tuple[int, str], abc.Sequence[int])
    (True, False)
    >>> is_assignable(str, abc.Sequence[str])
    False
    """
    source, target = _strip_metadata(source), _strip_metadata(target)
    if target is Any or source == target:
        return True
    if source is Any or Union in (source, target):
        return False
    if isinstance(source, type) and _is_subclass(source, target):
        return True
    if get_type_origin(source) is Union or get_type_origin(target) is Union:
        targets = get_union_members(target)
        return all(any(is_assignable(member, other) for other in targets) for member in get_union_members(source))
    return _is_generic_assignable(source, target)


def is_list(annotation: Annotation) -> bool:
    """Return True for a list, an optional list and a union of lists."""
    members = [member for member in get_union_members(annotation) if member is not types.NoneType]
    return bool(members) and all(get_type_origin(member) is list for member in members)


def intersect_types(first: Annotation, second: Annotation) -> Annotation:
    """Return the type of the values that are of both types.

    :raises TypeError: the types have no common values.

    >>> intersect_types(int | None, int | str), intersect_types(Any, str)
    (<class 'int'>, <class 'str'>)
    """
    if first is Any or is_assignable(second, first):
        return second
    if second is Any or is_assignable(first, second):
        return first
    if get_type_origin(first) is Union or get_type_origin(second) is Union:
        return _intersect_members(first, second)
    arguments, others = typing.get_args(first), typing.get_args(second)
    origin: Annotation = typing.get_origin(first)
    if origin is None or origin != typing.get_origin(second) or len(arguments) != len(others):
        raise _no_common_values(first, second)
    return origin[tuple(map(intersect_types, arguments, others))]


def _intersect_members(first: Annotation, second: Annotation) -> Annotation:
    common = []
    for member in get_union_members(first):
        for other in get_union_members(second):
            try:
                common.append(intersect_types(member, other))
            except TypeError:  # other pairs may have common values
                continue
    if not common:
        raise _no_common_values(first, second)
    return Union[tuple(common)]  # noqa: UP007 (the members are known at run time only)


def _no_common_values(first: Annotation, second: Annotation) -> TypeError:
    return TypeError(f"{format_type(first)} and {format_type(second)} have no common values.")


def _strip_metadata(annotation: Annotation) -> Annotation:
    return typing.get_args(annotation)[0] if get_type_origin(annotation) is Annotated else annotation


def _is_subclass(source: type, target: Annotation) -> bool:
    try:
        return issubclass(source, target)
    except TypeError:  # a generic alias, or a protocol without runtime checks
        return False


def _is_generic_assignable(source: Annotation, target: Annotation) -> bool:
    origin, target_origin = get_type_origin(source), get_type_origin(target)
    arguments, target_arguments = typing.get_args(source), typing.get_args(target)
    if origin is Literal and target_origin is Literal:
        return set(arguments) <= set(target_arguments)
    if not (isinstance(origin, type) and _is_subclass(origin, target_origin)):
        return False
    if origin is tuple and target_origin is tuple:
        return _is_tuple_assignable(source, target)
    if origin == target_origin == abc.Callable:
        return _is_callable_assignable(arguments or (..., Any), target_arguments or (..., Any))
    return not target_arguments or _are_arguments_assignable(source, target)


def _are_arguments_assignable(source: Annotation, target: Annotation) -> bool:
    """Compare the type arguments; the class of `source` implements that of `target`."""
    origin, arguments = get_type_origin(source), typing.get_args(source)
    target_arguments = typing.get_args(target)
    if not arguments and hasattr(origin, "__orig_bases__"):
        return any(is_assignable(base, target) for base in origin.__orig_bases__)
    if not hasattr(origin, "__class_getitem__"):
        return False
    if get_type_origin(target) in _ELEMENT_TYPES:
        return all(is_assignable(element, target_arguments[0]) for element in _get_element_types(source))
    arguments = arguments or (Any,) * len(target_arguments)
    return len(arguments) == len(target_arguments) and all(map(is_assignable, arguments, target_arguments))


def _get_element_types(container: Annotation) -> tuple[Annotation, ...]:
    """Return the types of values on iteration: the items of a tuple, the keys of a mapping."""
    origin, arguments = get_type_origin(container), typing.get_args(container)
    if origin is tuple:
        return _split_tuple(container)[0]
    if origin is abc.ItemsView and arguments:
        return (tuple[arguments],)  # type: ignore[valid-type]  # known at run time only
    return arguments[:1] or (Any,)


def _is_tuple_assignable(source: Annotation, target: Annotation) -> bool:
    (items, is_variadic), (target_items, target_is_variadic) = _split_tuple(source), _split_tuple(target)
    if target_is_variadic:
        return all(is_assignable(item, target_items[0]) for item in items)
    return not is_variadic and len(items) == len(target_items) and all(map(is_assignable, items, target_items))


def _split_tuple(annotation: Annotation) -> tuple[tuple[Annotation, ...], bool]:
    """Return the types of the items, and True for a homogeneous tuple of any length."""
    arguments = typing.get_args(annotation)
    if annotation in (tuple, typing.Tuple):  # noqa: UP006 (an old spelling that a component may use)
        return (Any,), True
    return (arguments[:1], True) if Ellipsis in arguments else (arguments, False)


def _is_callable_assignable(source: tuple[Annotation, ...], target: tuple[Annotation, ...]) -> bool:
    """Compare pairs of parameters and result; an Ellipsis is any parameters."""
    (parameters, result), (target_parameters, target_result) = source, target
    if not is_assignable(result, target_result):
        return False
    if parameters is Ellipsis or target_parameters is Ellipsis:
        return True
    return len(parameters) == len(target_parameters) and all(map(is_assignable, parameters, target_parameters))
