"""The file of a saved in-memory store: JSON with encoded dates, arrays, bytes and tuples."""

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.json_codec import decode, encode
from spaniel.errors import StoreFileError
from spaniel.json_types import Json, JsonObject

_ERRORS = "surrogatepass"  # text may contain lone surrogates


def write_file(path: str | os.PathLike[str], data: Mapping[str, Json]) -> None:
    """Write settings and documents to a file atomically: after a failure, the old file is intact."""
    target = Path(path).resolve()
    new = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        text = json.dumps(encode(data), ensure_ascii=False)
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


def read_file(path: str | os.PathLike[str]) -> JsonObject:
    """Return the data that `write_file` wrote."""
    target = Path(path)
    if not target.exists():
        raise FileNotFoundError(f"File {target} not found.")
    try:
        data = decode(json.loads(target.read_text(encoding="utf-8", errors=_ERRORS)))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreFileError(f"{target} can't be read as a saved store: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("documents"), list):
        raise StoreFileError(f"{target} is not a saved store: it has no list of 'documents'.")
    return data


def document_to_fields(document: Document) -> JsonObject:
    """Return the fields of a document for `write_file`, as `Document.from_dict` reads them."""
    blob, sparse = document.blob, document.sparse_embedding
    return {
        **document.__dict__,
        "blob": None if blob is None else {"data": blob.data, "meta": blob.meta, "mime_type": blob.mime_type},
        "sparse_embedding": None if sparse is None else sparse.to_dict(),
    }
