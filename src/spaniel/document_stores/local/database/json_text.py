"""Values as JSON text that SQLite can read too: types that JSON lacks are tagged or rejected."""

import math

import orjson

from spaniel.document_stores.embedded.json_codec import decode, encode
from spaniel.json_types import Json

_SCALARS = frozenset({str, bool, int, type(None)})
_STRING = frozenset({str})
_TAG = "__spaniel__"


def to_json(value: Json, owner: str) -> str:
    """Return a value as JSON; `owner` names it in errors, such as ``document 'a'``.

    >>> to_json({"year": 2020, "size": (1, 2)}, "document 'a'")
    '{"year":2020,"size":{"__spaniel__":"tuple","value":[1,2]}}'
    """
    if _is_simple(value):
        try:
            text = orjson.dumps(value)
        except orjson.JSONEncodeError:  # a lone surrogate or a large number
            pass
        else:
            if b"\\u0000" not in text:
                return text.decode()
    try:
        return orjson.dumps(encode(value)).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{_find_unencodable(value)} of {owner} can't be stored: {error}.") from error


def from_json(text: str) -> Json:
    """Return the value that `to_json` wrote."""
    value = orjson.loads(text)
    if _TAG not in text:
        return value
    try:
        return decode(value)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a tagged value can't be read: {error!r}") from error


def _is_simple(value: Json, depth: int = 8) -> bool:
    """Return if JSON preserves all types in a value; strings and large numbers are not checked."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is dict and _TAG not in value and _STRING.issuperset(map(type, value)):
        items = value.values()
    elif kind is list:
        items = value
    else:
        return False
    return _SCALARS.issuperset(map(type, items)) or (depth > 0 and all(_is_simple(item, depth - 1) for item in items))


def _find_unencodable(value: object) -> str:
    for key, item in value.items() if isinstance(value, dict) else ():
        try:
            orjson.dumps(encode({key: item}))
        except (TypeError, ValueError, RecursionError):
            return f"The value of {key!r:.100}"
    return "Something"
