"""The file of a saved in-memory store: JSON that also carries dates, arrays, bytes and tuples."""

import base64
import json
import os
import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.errors import StoreFileError

_TAG = "__spaniel__"
_ERRORS = "surrogatepass"  # text may hold halves of surrogate pairs
_PLAIN = frozenset({str, bool, int, float, type(None)})
_ARRAY_KINDS = "biufSUmM"
_WIDEST_NUMBER = 8  # bytes; wider ones have no Python number


def write_file(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write data to a file, whole or not at all: a failure leaves the file that was there as it was.

    :param path: the file; its folder must exist.
    :param data: settings and documents.
    :raises StoreFileError: a value can't be written as JSON.
    """
    target = Path(path).resolve()
    new = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        text = json.dumps(_encode(data), ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise StoreFileError(f"The store can't be saved to {target}: {error}.") from error
    try:
        with new.open("x", encoding="utf-8", errors=_ERRORS) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            new.chmod(target.stat().st_mode)
        new.replace(target)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error  # the caller knows no other path
    finally:
        new.unlink(missing_ok=True)


def read_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the data that `write_file` wrote.

    :raises FileNotFoundError: there is no such file.
    :raises StoreFileError: it is no saved store.
    """
    target = Path(path)
    if not target.exists():
        raise FileNotFoundError(f"File {target} not found.")
    try:
        data = _decode(json.loads(target.read_text(encoding="utf-8", errors=_ERRORS)))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreFileError(f"{target} can't be read as a saved store: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("documents"), list):
        raise StoreFileError(f"{target} is no saved store: it has no list of 'documents'.")
    return data


def fields_of(document: Document) -> dict[str, Any]:
    """Return the fields of a document as `write_file` takes them; `Document.from_dict` reads them."""
    blob, sparse = document.blob, document.sparse_embedding
    return {
        **document.__dict__,
        "blob": None if blob is None else {"data": blob.data, "meta": blob.meta, "mime_type": blob.mime_type},
        "sparse_embedding": None if sparse is None else sparse.to_dict(),
    }


def _encode(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Mapping):
        if _TAG not in value and all(type(key) is str for key in value):
            return {key: _encode(item) for key, item in value.items()}
        return {_TAG: "dict", "value": [[_encode(key), _encode(item)] for key, item in value.items()]}
    if isinstance(value, list):  # embeddings are long
        return value if _PLAIN.issuperset(map(type, value)) else [_encode(item) for item in value]
    for name, (kind, encode, _) in _CODECS.items():
        if isinstance(value, kind):
            return {_TAG: name, "value": encode(value)}
    return _encode_array(value)


def _encode_array(value: Any) -> Any:
    dtype, tolist = getattr(value, "dtype", None), getattr(value, "tolist", None)
    if dtype is None or tolist is None or dtype.kind not in _ARRAY_KINDS:
        raise TypeError(f"a value of type {type(value).__name__} can't be written: {value!r:.200}")
    if dtype.kind == "f" and dtype.itemsize > _WIDEST_NUMBER:
        raise TypeError(f"numbers of type {dtype} can't be written: {value!r:.200}")
    if dtype.kind in "Mm":  # whatever the unit, its count is exact
        tolist = value.astype("int64").tolist
    return {_TAG: "array", "dtype": dtype.str, "shape": list(value.shape), "value": _encode(tolist())}


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return value if _PLAIN.issuperset(map(type, value)) else [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TAG)
    if kind is None:
        return {key: _decode(item) for key, item in value.items()}
    if kind == "array":
        return _decode_array(value["dtype"], value["shape"], _decode(value["value"]))
    return _CODECS[kind][2](value["value"])


def _decode_array(dtype: str, shape: list[int], value: Any) -> Any:
    import numpy as np

    kind = np.dtype(dtype)
    array = np.array(value, dtype="int64").astype(kind) if kind.kind in "Mm" else np.array(value, dtype=kind)
    return array.reshape(shape)[()]  # a scalar where there is no dimension


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
    "dict": (dict, list, lambda value: {_decode(key): _decode(item) for key, item in value}),
}
"""Types that JSON lacks: how they are told (a datetime is a date, so it comes first), written and read."""
