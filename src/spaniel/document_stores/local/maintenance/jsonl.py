"""Documents as lines of JSON, to be moved between stores and read by other programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.embedded.json_codec import decode
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def write_lines(path: str | os.PathLike[str], documents: Iterable[Document], progress: Callable[[int], None]) -> int:
    """Return how many documents were written to a file, one a line: ``{"id": ..., "content": ..., "meta": ...}``.

    The file appears when it is whole.

    :raises OSError: it can't be written. A file that was there before stays.
    """
    target = Path(path)
    new = target.with_name(f".{target.name}.{os.getpid()}")
    count = 0
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                file.write(_line(document) + "\n")
                count += 1
                progress(count)
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    return count


def read_lines(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the documents of a file that `write_lines` wrote.

    :raises FileNotFoundError: there is no such file.
    :raises StoreFileError: a line is no document; the message tells which.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _document(_parsed(line.decode()))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise StoreFileError(f"{path}, line {number}, is no document: {error}") from error


def _line(document: Document) -> str:
    """Return a document as JSON with ``id`` and ``content`` as strings, whatever characters they hold."""
    texts = {"id": document.id} | ({} if document.content is None else {"content": document.content})
    fields = _fields(document)
    try:
        start = orjson.dumps(texts).decode()
    except orjson.JSONEncodeError:  # lone surrogates
        start = json.dumps(texts)
        if json.loads(start) != texts:  # two that are one character for every reader of JSON
            fields["exact"] = texts
    rest = to_json(fields, f"document '{document.id}'")
    return f"{start[:-1]},{rest[1:]}" if fields else start


def _parsed(line: str) -> Any:
    try:
        return from_json(line)
    except orjson.JSONDecodeError:  # it refuses escapes of lone surrogates
        if "\\ud" not in line.lower():
            raise
        return decode(json.loads(line))


def _fields(document: Document) -> dict[str, Any]:
    """Return all but the texts, without what is not set."""
    blob, sparse = document.blob, document.sparse_embedding
    fields = {
        "meta": document.meta or None,
        "score": document.score,
        "embedding": document.embedding,
        "sparse_embedding": None if sparse is None else sparse.to_dict(),
        "blob": None if blob is None else {"data": blob.data, "meta": blob.meta, "mime_type": blob.mime_type},
    }
    return {name: value for name, value in fields.items() if value is not None}


def _document(fields: dict[str, Any]) -> Document:
    if sparse := fields.get("sparse_embedding"):
        fields["sparse_embedding"] = SparseEmbedding.from_dict(sparse)
    if blob := fields.get("blob"):
        fields["blob"] = ByteStream(blob["data"], blob["meta"], blob["mime_type"])
    if not isinstance(fields.get("meta", {}), dict):
        raise TypeError(f"its meta is {fields['meta']!r:.100}")
    return Document(**(fields | fields.pop("exact", {})))
