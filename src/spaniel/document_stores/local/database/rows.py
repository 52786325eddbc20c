"""Documents as rows of a table, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Literal

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

EmbeddingType = Literal["float32", "float64", "float16"]
Row = tuple[Any, ...]
Text = str | bytes

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
"""Those that make a document, in the order of rows."""

_FORMATS = {"float32": "f", "float64": "d", "float16": "e"}
_LARGEST_HALF = 65504.0


class DamagedRowError(StoreFileError):
    """A row holds what is never written; whoever knows the file names it."""


def text_of(stored: Text) -> str:
    """Return text as it was before `stored_text`."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")


def stored_text(text: str) -> Text:
    """Return text as SQLite takes it: itself, or as bytes where it holds halves of surrogate pairs."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def row_of(document: Document, embedding_type: EmbeddingType | None) -> Row:
    """Return the columns of a document.

    :param embedding_type: what embeddings are rounded to; None: nothing, so it is chosen for each.
    :raises ValueError: something of it can't be stored; the message names the document and the place.
    """
    if type(document.id) is not str:
        raise ValueError(f"The id of a document must be text, but one is {document.id!r:.100}.")
    whose = f"document '{document.id}'"
    embedding, kind = (None, None) if document.embedding is None else _packed(document.embedding, whose, embedding_type)
    blob, sparse = document.blob, document.sparse_embedding
    return (
        stored_text(document.id),
        to_json(document.meta, whose),
        None if document.content is None else stored_text(document.content),
        embedding,
        kind,
        None if sparse is None else to_json(sparse.to_dict(), f"the sparse embedding of {whose}"),
        None if blob is None else bytes(blob.data),
        None if blob is None else blob.mime_type,
        None if blob is None else to_json(blob.meta, f"the blob of {whose}"),
        None if document.score is None else to_json(document.score, f"the score of {whose}"),
    )


def document_of(row: Sequence[Any]) -> Document:
    """Return the document of a row of `COLUMNS`.

    :raises DamagedRowError: a value is none that `row_of` writes.
    """
    id, meta, content, embedding, kind, sparse, blob, mime_type, blob_meta, score = row
    try:
        return Document(
            id=text_of(id),
            content=None if content is None else text_of(content),
            meta=from_json(meta),
            embedding=None if embedding is None else unpacked(embedding, kind),
            sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(from_json(sparse)),
            blob=None if blob is None else ByteStream(blob, from_json(blob_meta), mime_type),
            score=None if score is None else from_json(score),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedRowError(f"The row of document '{id}' is damaged: {error!r}") from error


def unpacked(stored: bytes | str, kind: str) -> list[float]:
    """Return an embedding.

    :param stored: little-endian numbers, or a list as JSON.
    :param kind: of which type: ``float32``, ``float64``, ``float16``, ``json``.
    """
    if isinstance(stored, str):
        numbers: list[float] = from_json(stored)
        return numbers
    format = _FORMATS[kind]
    return list(struct.unpack(f"<{len(stored) // struct.calcsize(format)}{format}", stored))


def vector_of(stored: bytes | str, kind: str) -> NDArray[np.float64]:
    """Return an embedding as the index of vectors takes it; the parameters are those of `unpacked`."""
    import numpy as np

    if isinstance(stored, str):
        return np.array(unpacked(stored, kind), np.float64)
    return np.frombuffer(stored, f"<{_FORMATS[kind]}").astype(np.float64)


def _packed(embedding: Any, whose: str, kind: EmbeddingType | None) -> tuple[bytes | str, str]:
    import numpy as np

    vector = as_vector(embedding, whose)
    if kind == "float16" and float(np.abs(vector).max()) > _LARGEST_HALF:
        raise ValueError(f"The embedding of {whose} holds a number that is too large for float16.")
    if kind is None:
        if embedding != vector.tolist():  # whole numbers beyond 2^53
            return to_json(list(embedding), f"the embedding of {whose}"), "json"
        with np.errstate(over="ignore"):
            kind = "float32" if bool((vector.astype("<f4") == vector).all()) else "float64"
    return vector.astype(f"<{_FORMATS[kind]}").tobytes(), kind
