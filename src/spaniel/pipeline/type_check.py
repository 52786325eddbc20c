"""Whether what one component gives is what another one takes, judged by the declared types alone."""

import types
import typing
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, Union

from spaniel.core.component.type_labels import arms_of, origin_of, type_label


def fits(given: Any, wanted: Any) -> bool:
    """Return whether every value of one type may be handed on as another.

    ``Any`` takes everything, and is taken by ``Any`` only: what it holds is not known.

    :param given: the type of an output.
    :param wanted: the type of an input.

    >>> fits(list[bool], list[int]), fits(int, int | None), fits(str | None, str)
    (True, True, False)
    """
    given, wanted = _bare(given), _bare(wanted)
    if wanted is Any or given == wanted:
        return True
    if given is Any:
        return False
    if isinstance(given, type) and _is_subclass(given, wanted):
        return True
    if origin_of(given) is Union or origin_of(wanted) is Union:
        return all(any(fits(arm, other) for other in arms_of(wanted)) for arm in arms_of(given))
    return _generics_fit(given, wanted)


def is_list(type_: Any) -> bool:
    """Return whether a type is a list, an optional list or a union of lists."""
    arms = [arm for arm in arms_of(type_) if arm is not types.NoneType]
    return bool(arms) and all(origin_of(arm) is list for arm in arms)


def common_type(one: Any, other: Any) -> Any:
    """Return the type of the values that are of both types.

    :raises TypeError: there is none.

    >>> common_type(int | None, int | str), common_type(Any, str)
    (<class 'int'>, <class 'str'>)
    """
    if one == other or other is Any:
        return one
    if one is Any:
        return other
    if origin_of(one) is Union or origin_of(other) is Union:
        return _common_arms(one, other)
    parts, other_parts = typing.get_args(one), typing.get_args(other)
    origin = typing.get_origin(one)
    if origin is None or origin != typing.get_origin(other) or len(parts) != len(other_parts):
        raise TypeError(f"No value is both {type_label(one)} and {type_label(other)}.")
    return origin[tuple(common_type(*pair) for pair in zip(parts, other_parts, strict=True))]


def _common_arms(one: Any, other: Any) -> Any:
    common = []
    for arm in arms_of(one):
        for other_arm in arms_of(other):
            try:
                common.append(common_type(arm, other_arm))
            except TypeError:  # these two have nothing in common, others may
                continue
    if not common:
        raise TypeError(f"No value is both {type_label(one)} and {type_label(other)}.")
    return Union[tuple(common)]  # noqa: UP007 (the arms are known at run time only)


def _bare(type_: Any) -> Any:
    return typing.get_args(type_)[0] if typing.get_origin(type_) is Annotated else type_


def _is_subclass(given: type, wanted: Any) -> bool:
    try:
        return issubclass(given, wanted)
    except TypeError:  # a generic, or a protocol that can't be asked
        return False


def _generics_fit(given: Any, wanted: Any) -> bool:
    origin, wanted_origin = origin_of(given), origin_of(wanted)
    parts, wanted_parts = typing.get_args(given), typing.get_args(wanted)
    if origin is Literal and wanted_origin is Literal:
        return set(parts) <= set(wanted_parts)
    list_as_iterable = origin is list and wanted_origin is Iterable
    if origin is None or not (origin == wanted_origin or list_as_iterable):
        return False
    if not wanted_parts:
        return True
    if origin is Callable:
        return _callables_fit(parts or (..., Any), wanted_parts)
    parts = parts or (Any,) * len(wanted_parts)
    return len(parts) == len(wanted_parts) and all(map(fits, parts, wanted_parts))


def _callables_fit(given: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Compare ``(parameters, result)``; an Ellipsis stands for parameters of any number and type."""
    (parameters, result), (wanted_parameters, wanted_result) = given, wanted
    if not fits(result, wanted_result):
        return False
    if parameters is Ellipsis or wanted_parameters is Ellipsis:
        return True
    return len(parameters) == len(wanted_parameters) and all(map(fits, parameters, wanted_parameters))
