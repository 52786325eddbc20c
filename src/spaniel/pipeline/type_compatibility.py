"""Whether what one component gives is what another one takes, judged by the declared types alone."""

import types
import typing
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Collection,
    Container,
    ItemsView,
    Iterable,
    Iterator,
    MutableSequence,
    MutableSet,
    Reversible,
    Sequence,
)
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, Union

from spaniel.core.component.annotations import format_type, get_type_origin, get_union_members

_ELEMENT_TYPES = frozenset(
    {
        *(Iterable, Iterator, Collection, Container, Reversible, Sequence, MutableSequence, AbstractSet, MutableSet),
        *(AsyncIterable, AsyncIterator),
    }
)
"""The abstract types whose one parameter is the type of the elements."""


def fits(given: Any, wanted: Any) -> bool:
    """Return whether every value of one type may be handed on as another.

    ``Any`` takes everything, and is taken by ``Any`` only: its values are not known. A container fits the abstract types
    that its class implements, if its elements fit. A text does not fit a sequence of texts.

    :param given: the type of an output.
    :param wanted: the type of an input.

    >>> fits(list[bool], list[int]), fits(int, int | None), fits(str | None, str)
    (True, True, False)
    >>> fits(list[float], Sequence[float]), fits(tuple[int, str], Sequence[int]), fits(str, Sequence[str])
    (True, False, False)
    """
    given, wanted = _bare(given), _bare(wanted)
    if wanted is Any or given == wanted:
        return True
    if given is Any or Union in (given, wanted):
        return False
    if isinstance(given, type) and _is_subclass(given, wanted):
        return True
    if get_type_origin(given) is Union or get_type_origin(wanted) is Union:
        return all(any(fits(arm, other) for other in get_union_members(wanted)) for arm in get_union_members(given))
    return _generics_fit(given, wanted)


def is_list(type_: Any) -> bool:
    """Return whether a type is a list, an optional list or a union of lists."""
    arms = [arm for arm in get_union_members(type_) if arm is not types.NoneType]
    return bool(arms) and all(get_type_origin(arm) is list for arm in arms)


def intersect_types(one: Any, other: Any) -> Any:
    """Return the type of the values that are of both types.

    :raises TypeError: there is none.

    >>> intersect_types(int | None, int | str), intersect_types(Any, str)
    (<class 'int'>, <class 'str'>)
    """
    if one is Any or fits(other, one):
        return other
    if other is Any or fits(one, other):
        return one
    if get_type_origin(one) is Union or get_type_origin(other) is Union:
        return _common_arms(one, other)
    parts, other_parts = typing.get_args(one), typing.get_args(other)
    origin = typing.get_origin(one)
    if origin is None or origin != typing.get_origin(other) or len(parts) != len(other_parts):
        raise TypeError(f"No value is both {format_type(one)} and {format_type(other)}.")
    return origin[tuple(intersect_types(*pair) for pair in zip(parts, other_parts, strict=True))]


def _common_arms(one: Any, other: Any) -> Any:
    common = []
    for arm in get_union_members(one):
        for other_arm in get_union_members(other):
            try:
                common.append(intersect_types(arm, other_arm))
            except TypeError:  # these two have nothing in common, others may
                continue
    if not common:
        raise TypeError(f"No value is both {format_type(one)} and {format_type(other)}.")
    return Union[tuple(common)]  # noqa: UP007 (the arms are known at run time only)


def _bare(type_: Any) -> Any:
    return typing.get_args(type_)[0] if typing.get_origin(type_) is Annotated else type_


def _is_subclass(given: type, wanted: Any) -> bool:
    try:
        return issubclass(given, wanted)
    except TypeError:  # a generic, or a protocol that can't be asked
        return False


def _generics_fit(given: Any, wanted: Any) -> bool:
    origin, wanted_origin = get_type_origin(given), get_type_origin(wanted)
    parts, wanted_parts = typing.get_args(given), typing.get_args(wanted)
    if origin is Literal and wanted_origin is Literal:
        return set(parts) <= set(wanted_parts)
    if not (isinstance(origin, type) and _is_subclass(origin, wanted_origin)):
        return False
    if origin is tuple and wanted_origin is tuple:
        return _tuples_fit(given, wanted)
    if origin == wanted_origin == Callable:
        return _callables_fit(parts or (..., Any), wanted_parts or (..., Any))
    return not wanted_parts or _parts_fit(given, wanted)


def _parts_fit(given: Any, wanted: Any) -> bool:
    """Compare the parameters of two types of which one implements the other."""
    origin, wanted_origin = get_type_origin(given), get_type_origin(wanted)
    parts, wanted_parts = typing.get_args(given), typing.get_args(wanted)
    if not parts and hasattr(origin, "__orig_bases__"):
        return any(fits(base, wanted) for base in origin.__orig_bases__)
    if not hasattr(origin, "__class_getitem__"):
        return False
    if wanted_origin in _ELEMENT_TYPES:
        return all(fits(element, wanted_parts[0]) for element in _elements(given))
    parts = parts or (Any,) * len(wanted_parts)
    return len(parts) == len(wanted_parts) and all(map(fits, parts, wanted_parts))


def _elements(container: Any) -> tuple[Any, ...]:
    """Return the types of the elements of a generic class or alias: those of a tuple, the keys of a mapping."""
    origin, parts = get_type_origin(container), typing.get_args(container)
    if origin is tuple:
        return _items(container)[0]
    if origin is ItemsView and parts:
        return (tuple[parts],)  # type: ignore[valid-type]  # known at run time only
    return parts[:1] or (Any,)


def _tuples_fit(given: Any, wanted: Any) -> bool:
    (items, endless), (wanted_items, wanted_endless) = _items(given), _items(wanted)
    if wanted_endless:
        return all(fits(item, wanted_items[0]) for item in items)
    return not endless and len(items) == len(wanted_items) and all(map(fits, items, wanted_items))


def _items(tuple_: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the types of a tuple's items, and whether one type stands for any number of items."""
    parts = typing.get_args(tuple_)
    if tuple_ in (tuple, typing.Tuple):  # noqa: UP006 (an old spelling that a component may use)
        return (Any,), True
    return (parts[:1], True) if Ellipsis in parts else (parts, False)


def _callables_fit(given: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Compare ``(parameters, result)``; an Ellipsis stands for parameters of any number and type."""
    (parameters, result), (wanted_parameters, wanted_result) = given, wanted
    if not fits(result, wanted_result):
        return False
    if parameters is Ellipsis or wanted_parameters is Ellipsis:
        return True
    return len(parameters) == len(wanted_parameters) and all(map(fits, parameters, wanted_parameters))
