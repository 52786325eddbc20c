"""Encoding of metadata as JSON: dates, arrays, bytes, tuples and sets become objects with a tag."""

import base64
from ast import literal_eval
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from math import isfinite

from spaniel.json_types import Json

_TAG = "__spaniel__"
_PLAIN = frozenset({str, bool, int, float, type(None)})
_ARRAY_KINDS = "biufSUmM"
_MAX_NUMBER_BYTES = 8  # Python has no wider numbers
_MAX_INT = 2**63


def encode(value: Json) -> Json:
    """Return a value in JSON types; types that JSON lacks become objects with a tag.

    >>> encode({"n": 1, "day": date(2024, 5, 1)})
    {'n': 1, 'day': {'__spaniel__': 'date', 'value': '2024-05-01'}}
    """
    if type(value) in _PLAIN:
        return value if _is_ordinary(value) else {_TAG: type(value).__name__, "value": repr(value)}
    if isinstance(value, Mapping):
        if _TAG not in value and all(type(key) is str and _is_ordinary(key) for key in value):
            return {key: encode(item) for key, item in value.items()}
        return {_TAG: "dict", "value": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, list):  # the shortcut is for embeddings
        return value if set(map(type, value)) == {float} and all(map(isfinite, value)) else list(map(encode, value))
    for name, (kind, write, _) in _CODECS.items():
        if isinstance(value, kind) and kind not in _PLAIN:  # numpy has subclasses of float and str
            return {_TAG: name, "value": write(value)}
    return _encode_array(value)


def _is_ordinary(value: object) -> bool:
    """Return if every JSON parser preserves a plain value."""
    match value:
        case bool() | None:
            return True
        case str():
            return "\0" not in value and (value.isascii() or _is_unicode(value))
        case int():
            return -_MAX_INT <= value < _MAX_INT
        case float():
            return isfinite(value)
    return False


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _encode_array(value: Json) -> Json:
    dtype, tolist = getattr(value, "dtype", None), getattr(value, "tolist", None)
    if dtype is None or tolist is None or dtype.kind not in _ARRAY_KINDS:
        raise TypeError(f"a value of type {type(value).__name__} can't be written: {value!r:.200}")
    if dtype.kind == "f" and dtype.itemsize > _MAX_NUMBER_BYTES:
        raise TypeError(f"numbers of type {dtype} can't be written: {value!r:.200}")
    if dtype.kind in "Mm":  # the count is exact in any unit
        tolist = value.astype("int64").tolist
    return {_TAG: "array", "dtype": dtype.str, "shape": list(value.shape), "value": encode(tolist())}


def decode(value: Json) -> Json:
    """Return the value that `encode` wrote."""
    if isinstance(value, list):
        return value if _PLAIN.issuperset(map(type, value)) else [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TAG)
    if kind is None:
        return {key: decode(item) for key, item in value.items()}
    if kind == "array":
        return _decode_array(value["dtype"], value["shape"], decode(value["value"]))
    return _CODECS[kind][2](value["value"])


def _decode_array(dtype: str, shape: list[int], value: Json) -> Json:
    import numpy as np

    kind = np.dtype(dtype)
    array = np.array(value, dtype="int64").astype(kind) if kind.kind in "Mm" else np.array(value, dtype=kind)
    return array.reshape(shape)[()]  # a scalar for an empty shape


# Type, encoder and decoder by tag; a datetime is a date, so it comes first.
_CODECS: dict[str, tuple[type, Callable[[Json], Json], Callable[[Json], Json]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "timedelta": (
        timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda value: timedelta(*value),
    ),
    "bytes": (bytes, lambda value: base64.b64encode(value).decode("ascii"), base64.b64decode),
    "tuple": (tuple, lambda value: [encode(item) for item in value], lambda value: tuple(decode(i) for i in value)),
    "set": (set, lambda value: [encode(item) for item in value], lambda value: {decode(i) for i in value}),
    "str": (str, repr, literal_eval),
    "int": (int, repr, int),
    "float": (float, repr, float),
    "dict": (dict, list, lambda value: {decode(key): decode(item) for key, item in value}),
}
