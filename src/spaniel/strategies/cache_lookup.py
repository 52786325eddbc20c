"""The look-up of documents by many values, with a single request for all hashable values."""

from collections.abc import Iterator, Mapping, Sequence

from spaniel.filters.dates import parse_iso_instant
from spaniel.filters.equality import SCALARS, Operand, equal, operand, plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json, JsonObject
from spaniel.runtime.requests import UnboundRequest
from spaniel.strategies.store_requests import FetchByFilter, FetchByKeys, StrategyRun
from spaniel.tracing import Recorder


def find_cached(
    items: Sequence[Json],
    *,
    cache_field: str,
    record: Recorder | None = None,  # noqa: ARG001 (a strategy's signature; there is no event)
) -> StrategyRun[JsonObject]:
    """Return ``hits``, the documents of each item in order, and ``misses``, the items without any.

    Makes a request for all text and numbers, and another per other item, such as None or a list.
    The store's notion of equality does not count: a hit equals its item as in the filter ``==``.
    """
    values = [plain(item) for item in items]
    hits: list[list[Json]] = [[] for _ in values]
    path = field_path(cache_field)
    for positions, request in _make_requests(values, cache_field):
        index = _ItemIndex({at: values[at] for at in positions})
        for document in (yield request):
            for at in index.find(plain(field_value(document, path))):
                hits[at].append(document)
    return {
        "hits": [document for found in hits for document in found],
        "misses": [item for item, found in zip(items, hits, strict=True) if not found],
    }


def _make_requests(values: Sequence[Json], cache_field: str) -> Iterator[tuple[Sequence[int], UnboundRequest]]:
    hashable = [at for at, value in enumerate(values) if _is_hashable(value)]
    distinct = list(dict.fromkeys(values[at] for at in hashable))
    if len(distinct) > 1:
        yield hashable, FetchByKeys({cache_field: distinct})
    elif distinct:
        yield hashable, _equals(cache_field, distinct[0])
    for at, value in enumerate(values):
        if not _is_hashable(value):
            yield [at], _equals(cache_field, value)


def _equals(cache_field: str, value: Json) -> FetchByFilter:
    return FetchByFilter({"field": cache_field, "operator": "==", "value": value})


def _is_hashable(value: Json) -> bool:
    return value is not None and type(value) in SCALARS and value == value  # noqa: PLR0124 (NaN equals nothing)


class _ItemIndex:  # positions of items, found by a filter's equality
    def __init__(self, values: Mapping[int, Json]) -> None:
        self._by_value: dict[Json, list[int]] = {}
        self._others: dict[int, Operand] = {}
        self._all = {at: operand(value) for at, value in values.items()}
        for at, value in values.items():
            if _is_hashable(value):
                self._by_value.setdefault(value, []).append(at)
            else:
                self._others[at] = self._all[at]

    def find(self, value: Json) -> list[int]:
        if _is_hashable(value) and parse_iso_instant(value) is None:
            return self._by_value.get(value, []) + _find_equal(value, self._others)
        return _find_equal(value, self._all)  # an instant has many spellings


def _find_equal(value: Json, operands: Mapping[int, Operand]) -> list[int]:
    return [at for at, each in operands.items() if equal(value, each, strict=False)]
