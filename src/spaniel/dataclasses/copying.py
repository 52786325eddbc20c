"""Metadata values copied, faster than by `copy.deepcopy`, and compared, arrays included."""

import copy
from typing import Any

IMMUTABLE = frozenset({str, int, float, bool, type(None), bytes})
"""Types whose values need no copy."""


def copy_value(value: Any) -> Any:
    """Return a copy of `value` that shares nothing mutable with it.

    :param value: any metadata value: JSON-like, or anything that `copy.deepcopy` takes.

    >>> tags = ["a"]
    >>> copy_value({"tags": tags})["tags"] is tags
    False
    """
    kind = type(value)
    if kind in IMMUTABLE:
        return value
    if kind is dict:
        return {key: item if type(item) in IMMUTABLE else copy_value(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in IMMUTABLE else copy_value(item) for item in value]
    return copy.deepcopy(value)


def same_value(first: Any, second: Any) -> bool:
    """Return whether two metadata values are equal, where they may hold arrays.

    >>> import numpy
    >>> same_value({"sizes": numpy.array([1, 2])}, {"sizes": numpy.array([1, 2])})
    True
    """
    try:
        return bool(first == second)
    except ValueError:  # the truth of an array, somewhere inside
        pass
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same_value(item, second[key]) for key, item in first.items())
    if isinstance(first, (list, tuple)) and type(first) is type(second):
        return len(first) == len(second) and all(map(same_value, first, second))
    return type(first) is type(second) and bool(first.tolist() == second.tolist())
