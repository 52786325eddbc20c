"""Shrinking: the smallest input that still shows a difference."""

import copy
from collections.abc import Callable, Iterator

from spaniel.json_types import Json, JsonObject

_MAX_TRIES = 400


def shrink(given: JsonObject, still_fails: Callable[[JsonObject], bool]) -> JsonObject:
    """Remove items of lists and mappings, and parts of texts, while the input still fails.

    >>> shrink({"numbers": [1, 2, 3]}, lambda given: 2 in given["numbers"])
    {'numbers': [2]}
    """
    tries, found_smaller = 0, True
    while found_smaller:
        found_smaller = False
        for smaller in _smaller(given):
            tries += 1
            if tries > _MAX_TRIES:
                return given
            if still_fails(copy.deepcopy(smaller)):
                given, found_smaller = smaller, True
                break
    return given


def _smaller(given: JsonObject) -> Iterator[JsonObject]:
    for key, value in given.items():
        for less in _less(value):
            yield {**given, key: less}


def _less(value: Json) -> Iterator[Json]:
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
