"""Fast copies and comparison of metadata values."""

from typing import Any

from spaniel._engine import copy_value

__all__ = ["copy_value", "same_value"]


def same_value(first: Any, second: Any) -> bool:
    """Return if two metadata values are equal; they may contain arrays.

    >>> import numpy
    >>> same_value({"sizes": numpy.array([1, 2])}, {"sizes": numpy.array([1, 2])})
    True
    """
    try:
        return bool(first == second)
    except ValueError:  # the truth value of an array
        pass
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same_value(item, second[key]) for key, item in first.items())
    if isinstance(first, (list, tuple)) and type(first) is type(second):
        return len(first) == len(second) and all(map(same_value, first, second))
    return type(first) is type(second) and bool(first.tolist() == second.tolist())
