"""Metadata as JSON text that every reader reads alike, SQLite too: what JSON lacks is tagged, or refused."""

import math
from typing import Any

import orjson

from spaniel.document_stores.embedded.json_codec import decode, encode

_SCALARS = frozenset({str, bool, int, type(None)})
_TEXT = frozenset({str})
_TAG = "__spaniel__"


def to_json(value: Any, whose: str) -> str:
    """Return a value as JSON.

    :param whose: for the error, such as ``document 'a'``.
    :raises ValueError: there is something in it that can't be written; the message names its key.

    >>> to_json({"year": 2020, "size": (1, 2)}, "document 'a'")
    '{"year":2020,"size":{"__spaniel__":"tuple","value":[1,2]}}'
    """
    if _is_simple(value):
        try:
            text = orjson.dumps(value)
        except orjson.JSONEncodeError:  # half of a surrogate pair, a large number
            pass
        else:
            if b"\\u0000" not in text:
                return text.decode()
    try:
        return orjson.dumps(encode(value)).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{_place(value)} of {whose} can't be stored: {error}.") from error


def from_json(text: str) -> Any:
    """Return the value that `to_json` wrote.

    :raises ValueError: it is no JSON, or holds an unknown tag.
    """
    value = orjson.loads(text)
    if _TAG not in text:
        return value
    try:
        return decode(value)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a tagged value can't be read: {error!r}") from error


def _is_simple(value: Any, depth: int = 8) -> bool:
    """Return whether a value is of types alone that JSON tells apart; texts and the size of numbers are not looked at."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is dict and _TAG not in value and _TEXT.issuperset(map(type, value)):
        items = value.values()
    elif kind is list:
        items = value
    else:
        return False
    return _SCALARS.issuperset(map(type, items)) or (depth > 0 and all(_is_simple(item, depth - 1) for item in items))


def _place(value: Any) -> str:
    """Return which key of a dict can't be written."""
    for key, item in value.items() if isinstance(value, dict) else ():
        try:
            orjson.dumps(encode({key: item}))
        except (TypeError, ValueError, RecursionError):
            return f"The value of {key!r:.100}"
    return "Something"
