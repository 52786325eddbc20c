"""The file of a saved in-memory store: JSON that also carries dates, arrays, bytes and tuples."""

import base64
import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from spaniel.errors import StoreFileError

_TAG = "__spaniel__"


def write_file(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write data to a file, whole or not at all: a failure leaves the file that was there as it was.

    :param path: the file; its folder must exist.
    :param data: settings and documents.
    :raises StoreFileError: a value can't be written as JSON.
    """
    target = Path(path)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(_encode(data), file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644 & ~_umask())
        Path(name).replace(target)
    except TypeError as error:
        raise StoreFileError(f"The store can't be saved to {target}: {error}.") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def read_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the data that `write_file` wrote.

    :raises FileNotFoundError: there is no such file.
    :raises StoreFileError: it is no saved store.
    """
    target = Path(path)
    if not target.exists():
        raise FileNotFoundError(f"File {target} not found.")
    try:
        data = _decode(json.loads(target.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreFileError(f"{target} can't be read as a saved store: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("documents"), list):
        raise StoreFileError(f"{target} is no saved store: it has no list of 'documents'.")
    return data


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _encode(value: Any) -> Any:
    if value is None or (isinstance(value, (str, bool, int, float)) and type(value).__module__ == "builtins"):
        return value
    if isinstance(value, Mapping):
        plain = {_key(key): _encode(item) for key, item in value.items()}
        return {_TAG: "dict", "value": list(plain.items())} if _TAG in plain else plain
    if isinstance(value, list):
        return [_encode(item) for item in value]
    for name, (kind, encode, _) in _CODECS.items():
        if isinstance(value, kind):
            return {_TAG: name, "value": encode(value)}
    return _encode_array(value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"metadata keys must be text, not {key!r}")
    return key


def _encode_array(value: Any) -> Any:
    dtype, tolist = getattr(value, "dtype", None), getattr(value, "tolist", None)
    if dtype is None or tolist is None or dtype.hasobject:
        raise TypeError(f"metadata of type {type(value).__name__} can't be written: {value!r}")
    if dtype.kind in "Mm":  # whatever the unit, its count is exact
        return {_TAG: "array", "dtype": dtype.str, "value": value.astype("int64").tolist()}
    return {_TAG: "array", "dtype": dtype.str, "value": _encode(tolist())}


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TAG)
    if kind is None:
        return {key: _decode(item) for key, item in value.items()}
    if kind == "dict":
        return {key: _decode(item) for key, item in value["value"]}
    if kind == "array":
        return _decode_array(value["dtype"], _decode(value["value"]))
    return _CODECS[kind][2](value["value"])


def _decode_array(dtype: str, value: Any) -> Any:
    import numpy as np

    kind = np.dtype(dtype)
    array = np.array(value, dtype="int64").astype(kind) if kind.kind in "Mm" else np.array(value, dtype=kind)
    return array if isinstance(value, list) else array[()]


_CODECS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "timedelta": (
        timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda value: timedelta(*value),
    ),
    "bytes": (bytes, lambda value: base64.b64encode(value).decode("ascii"), base64.b64decode),
    "tuple": (tuple, lambda value: [_encode(item) for item in value], lambda value: tuple(_decode(i) for i in value)),
    "set": (set, lambda value: [_encode(item) for item in value], lambda value: {_decode(i) for i in value}),
}
"""Types that JSON lacks: how they are told (a datetime is a date, so it comes first), written and read."""
