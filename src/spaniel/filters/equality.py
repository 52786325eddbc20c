"""Equality of `plain` values, also as the same moment in time; it never raises."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from spaniel.filters.dates import align, parse_iso_instant
from spaniel.json_types import Json

SCALARS = frozenset({str, int, float, bool, type(None)})


class Operand(NamedTuple):
    """A filter's value, with the moment in time that it represents, if any."""

    value: Json
    instant: datetime | None


class Members(NamedTuple):
    """The values of a filter: hashed scalars, and the rest."""

    scalars: frozenset[Json]
    others: tuple[Operand, ...]


def plain(value: Json) -> Json:
    """Return `value` with arrays as lists and array scalars as Python's, at any depth.

    >>> import numpy
    >>> plain({"sizes": numpy.array([1, 2]), "width": numpy.float64(0.5)})
    {'sizes': [1, 2], 'width': 0.5}
    """
    if type(value) in SCALARS:
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return plain(_unpack(value)) if _is_array(value) else value


def _is_array(value: object) -> bool:
    try:
        return hasattr(value, "tolist")
    except Exception:  # noqa: BLE001 (a foreign `__getattr__` may do anything)
        return False


def _unpack(array: Json) -> Json:
    try:
        if getattr(getattr(array, "dtype", None), "kind", None) == "M":
            array = array.astype("datetime64[us]")  # finer units become integers, not datetimes
        return array.tolist()
    except Exception:  # noqa: BLE001 (a foreign `tolist` may do anything)
        return None


def operand(value: Json) -> Operand:
    """Return a filter's value, prepared for `equal`."""
    return Operand(value, parse_iso_instant(value))


def members(values: Iterable[Json]) -> Members:
    """Return a filter's values, prepared for `is_member`."""
    operands = [operand(value) for value in values]
    return Members(
        # NaN does not equal itself, but a set finds it.
        frozenset(value for value, _ in operands if type(value) in SCALARS and value == value),  # noqa: PLR0124
        tuple(each for each in operands if type(each.value) not in SCALARS or each.instant is not None),
    )


def equal(value: Json, other: Operand, strict: bool) -> bool:
    """Return if a document's value equals a filter's, by ``==`` or as the same moment."""
    return _same(value, other.value) or (
        other.instant is not None and _same_instant(parse_iso_instant(value), other.instant, strict)
    )


def is_member(value: Json, values: Members, strict: bool) -> bool:
    """Return if a document's value equals any of a filter's, as `equal` compares them."""
    if type(value) in SCALARS and value in values.scalars:
        return True
    # A value of another type may equal a scalar of another hash.
    if type(value) not in SCALARS and any(_same(value, scalar) for scalar in values.scalars):
        return True
    moment = parse_iso_instant(value) if values.others else None
    return any(
        _same(value, other.value) or (other.instant is not None and _same_instant(moment, other.instant, strict))
        for other in values.others
    )


def _same(value: Json, other: Json) -> bool:
    try:
        return bool(value == other)
    except Exception:  # noqa: BLE001 (the `==` of any object)
        return False


def _same_instant(first: datetime | None, second: datetime, strict: bool) -> bool:
    pair = None if first is None else align(first, second, strict=strict)
    return pair is not None and _same(*pair)
