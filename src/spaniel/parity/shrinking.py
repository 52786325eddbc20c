"""An input made smaller while it still shows what it shows."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

_MOST_TRIES = 400


def shrunk(given: dict[str, Any], shows_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the input with items of lists and mappings, and ends of texts, left out as long as it shows the same.

    :param given: its own top-level keys all stay.
    :param shows_it: whether a smaller input still does.

    >>> shrunk({"numbers": [1, 2, 3]}, lambda given: 2 in given["numbers"])
    {'numbers': [2]}
    """
    tries, found_smaller = 0, True
    while found_smaller:
        found_smaller = False
        for smaller in _smaller(given):
            tries += 1
            if tries > _MOST_TRIES:
                return given
            if shows_it(copy.deepcopy(smaller)):
                given, found_smaller = smaller, True
                break
    return given


def _smaller(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, value in given.items():
        for less in _less(value):
            yield {**given, key: less}


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield value[:place] + value[place + 1 :]
            yield from ([*value[:place], less, *value[place + 1 :]] for less in _less(item))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: less} for less in _less(item))
    elif isinstance(value, str) and value:
        yield value[: len(value) // 2]
        yield value[1:]
