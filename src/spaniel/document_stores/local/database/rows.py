"""Documents as rows of a table, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Literal

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.document_stores.local.database.schema import EmbeddingType
    from spaniel.json_types import Json

Row = tuple["Json", ...]
StoredText = str | bytes

COLUMNS = (
    "id",
    "meta",
    "content",
    "embedding",
    "embedding_type",
    "sparse_embedding",
    "blob",
    "blob_type",
    "blob_meta",
    "score",
)
"""The columns of a document, in the order of rows."""

_FORMATS = {"float32": "f", "float64": "d", "float16": "e"}
_MAX_FLOAT16 = 65504.0


class DamagedRowError(StoreFileError):
    """A row holds a value that is never written; the caller adds the name of the file."""


def encode_text(text: str) -> StoredText:
    """Return text for SQLite: unchanged, or as bytes if it holds lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(stored: StoredText) -> str:
    """Return the text that `encode_text` was given."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")


def encode_document(document: Document, embedding_type: EmbeddingType | None) -> Row:
    """Return a document as a row of `COLUMNS`."""
    if type(document.id) is not str:
        raise ValueError(f"The id of a document must be text, got {document.id!r:.100}.")
    owner = f"document '{document.id}'"
    embedding, kind = None, None
    if document.embedding is not None:
        embedding, kind = _encode_embedding(document.embedding, owner, embedding_type)
    blob, sparse = document.blob, document.sparse_embedding
    return (
        encode_text(document.id),
        to_json(document.meta, owner),
        None if document.content is None else encode_text(document.content),
        embedding,
        kind,
        None if sparse is None else to_json(sparse.to_dict(), f"the sparse embedding of {owner}"),
        None if blob is None else bytes(blob.data),
        None if blob is None else blob.mime_type,
        None if blob is None else to_json(blob.meta, f"the blob of {owner}"),
        None if document.score is None else to_json(document.score, f"the score of {owner}"),
    )


def decode_document(row: Sequence[Json]) -> Document:
    """Return the document of a row of `COLUMNS`."""
    id, meta, content, embedding, kind, sparse, blob, mime_type, blob_meta, score = row
    try:
        return Document(
            id=decode_text(id),
            content=None if content is None else decode_text(content),
            meta=from_json(meta),
            embedding=None if embedding is None else decode_embedding(embedding, kind),
            sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(from_json(sparse)),
            blob=None if blob is None else ByteStream(blob, from_json(blob_meta), mime_type),
            score=None if score is None else from_json(score),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedRowError(f"The row of document '{id}' is damaged: {error!r}") from error


def decode_embedding(stored: StoredText, kind: str) -> list[float]:
    """Return an embedding, stored as little-endian numbers of a type, or as JSON."""
    if isinstance(stored, str):
        numbers: list[float] = from_json(stored)
        return numbers
    format = _FORMATS[kind]
    return list(struct.unpack(f"<{len(stored) // struct.calcsize(format)}{format}", stored))


def decode_vector(stored: StoredText, kind: str) -> NDArray[np.float64]:
    """Return an embedding for the vector index; parameters as for `decode_embedding`."""
    import numpy as np

    if isinstance(stored, str):
        return np.array(decode_embedding(stored, kind), np.float64)
    return np.frombuffer(stored, f"<{_FORMATS[kind]}").astype(np.float64)


def _encode_embedding(
    embedding: Sequence[float], owner: str, kind: EmbeddingType | None
) -> tuple[StoredText, EmbeddingType | Literal["json"]]:
    import numpy as np

    vector = as_vector(embedding, owner)
    if kind == "float16" and float(np.abs(vector).max()) > _MAX_FLOAT16:
        raise ValueError(f"The embedding of {owner} holds a number that is too large for float16.")
    if kind is None:
        if embedding != vector.tolist():  # integers beyond 2^53
            return to_json(list(embedding), f"the embedding of {owner}"), "json"
        with np.errstate(over="ignore"):
            kind = "float32" if bool((vector.astype("<f4") == vector).all()) else "float64"
    return vector.astype(f"<{_FORMATS[kind]}").tobytes(), kind
