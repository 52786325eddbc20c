"""Which of many values does a store have documents for? Asked at once, told apart here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spaniel.filters.dates import iso_instant
from spaniel.filters.equality import SCALARS, Operand, equal, operand, plain
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.store_requests import Fetch, FetchByFilter, FetchByKey, StrategyRun
from spaniel.tracing import Recorder


def find_cached(
    items: Sequence[Any],
    *,
    cache_field: str,
    record: Recorder | None = None,  # noqa: ARG001 (the results tell all)
) -> StrategyRun[dict[str, Any]]:
    """Return ``hits``, the documents of each item in turn, and ``misses``, the items without any.

    Asks once for all text and numbers, and once for every other item, such as None or a list. Whatever the store takes for
    equal, a document is a hit of an item only if their values are equal as in the filter ``==``.

    :param items: the values.
    :param cache_field: the key under which documents hold them, with or without ``meta.``.
    """
    values = [plain(item) for item in items]
    hits: list[list[Any]] = [[] for _ in values]
    path = field_path(cache_field)
    for places, request in _requests(values, cache_field):
        wanted = _Wanted({place: values[place] for place in places})
        for document in (yield request):
            for place in wanted.places(plain(field_value(document, path))):
                hits[place].append(document)
    return {
        "hits": [document for found in hits for document in found],
        "misses": [item for item, found in zip(items, hits, strict=True) if not found],
    }


def _requests(values: Sequence[Any], cache_field: str) -> Iterator[tuple[Sequence[int], Fetch]]:
    together = [place for place, value in enumerate(values) if _is_hashed(value)]
    distinct = list(dict.fromkeys(values[place] for place in together))
    if len(distinct) > 1:
        yield together, FetchByKey(cache_field, distinct)
    elif distinct:
        yield together, _equals(cache_field, distinct[0])
    for place, value in enumerate(values):
        if not _is_hashed(value):
            yield [place], _equals(cache_field, value)


def _equals(cache_field: str, value: Any) -> FetchByFilter:
    return FetchByFilter({"field": cache_field, "operator": "==", "value": value})


def _is_hashed(value: Any) -> bool:
    return value is not None and type(value) in SCALARS and value == value  # noqa: PLR0124 (NaN equals nothing)


class _Wanted:
    """Values by their places in a list, found by equality."""

    def __init__(self, values: Mapping[int, Any]) -> None:
        self._by_value: dict[Any, list[int]] = {}
        self._others: dict[int, Operand] = {}
        self._all = {place: operand(value) for place, value in values.items()}
        for place, value in values.items():
            if _is_hashed(value):
                self._by_value.setdefault(value, []).append(place)
            else:
                self._others[place] = self._all[place]

    def places(self, value: Any) -> list[int]:
        """Return the places of the values that equal this one."""
        if _is_hashed(value) and iso_instant(value) is None:
            return self._by_value.get(value, []) + _equal_places(value, self._others)
        return _equal_places(value, self._all)  # the same moment has many spellings


def _equal_places(value: Any, operands: Mapping[int, Operand]) -> list[int]:
    return [place for place, each in operands.items() if equal(value, each, strict=False)]
