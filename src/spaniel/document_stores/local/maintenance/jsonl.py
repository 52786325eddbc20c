"""Documents as lines of JSON, to move them between stores and to other programs."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import orjson

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.embedded.json_codec import decode
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.errors import StoreFileError
from spaniel.json_types import Json, JsonObject


def write_lines(path: str | os.PathLike[str], documents: Iterable[Document], progress: Callable[[int], None]) -> int:
    """Replace a file atomically by a JSON object per document; return their number."""
    target = Path(path)
    new = target.with_name(f".{target.name}.{os.getpid()}")
    count = 0
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                file.write(_encode_line(document) + "\n")
                count += 1
                progress(count)
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    return count


def read_lines(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the documents of a file that `write_lines` wrote."""
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _make_document(_parse_line(line.decode()))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise StoreFileError(f"{path}, line {number}, is not a document: {error}") from error


def _encode_line(document: Document) -> str:
    """Return a document as JSON; ``id`` and ``content`` are strings, even with lone surrogates."""
    texts = {"id": document.id} | ({} if document.content is None else {"content": document.content})
    fields = _collect_fields(document)
    try:
        start = orjson.dumps(texts).decode()
    except orjson.JSONEncodeError:  # lone surrogates
        start = json.dumps(texts)
        if json.loads(start) != texts:  # readers of JSON join two of them to one character
            fields["exact"] = texts
    rest = to_json(fields, f"document '{document.id}'")
    return f"{start[:-1]},{rest[1:]}" if fields else start


def _parse_line(line: str) -> Json:
    try:
        return from_json(line)
    except orjson.JSONDecodeError:  # orjson rejects escapes of lone surrogates
        if "\\ud" not in line.lower():
            raise
        return decode(json.loads(line))


def _collect_fields(document: Document) -> JsonObject:
    """Return the fields that are set, except the texts."""
    blob, sparse = document.blob, document.sparse_embedding
    fields = {
        "meta": document.meta or None,
        "score": document.score,
        "embedding": document.embedding,
        "sparse_embedding": None if sparse is None else sparse.to_dict(),
        "blob": None if blob is None else {"data": blob.data, "meta": blob.meta, "mime_type": blob.mime_type},
    }
    return {name: value for name, value in fields.items() if value is not None}


def _make_document(fields: JsonObject) -> Document:
    if sparse := fields.get("sparse_embedding"):
        fields["sparse_embedding"] = SparseEmbedding.from_dict(sparse)
    if blob := fields.get("blob"):
        fields["blob"] = ByteStream(blob["data"], blob["meta"], blob["mime_type"])
    if not isinstance(fields.get("meta", {}), dict):
        raise TypeError(f"its meta is {fields['meta']!r:.100}")
    return Document(**(fields | fields.pop("exact", {})))
