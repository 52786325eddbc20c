"""Documents as rows of a table, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Literal

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.local.database.ids import decode_id, encode_id
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.document_stores.local.database.text import StoredText, decode_text, encode_text
from spaniel.document_stores.local.database.trees import Node, encode_shape, find_trees, split_meta
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.schema import EmbeddingType
    from spaniel.document_stores.local.database.shapes import Shape
    from spaniel.json_types import Json

Row = tuple["Json", ...]

NODE_COLUMNS = (
    *("slot", "id", "searched", "tree", "parent", "shape", "first_piece", "last_piece", "length"),
    *("children", "shared", "meta", "content"),
)
ATTACHMENT_COLUMNS = (
    *("slot", "score", "embedding_type", "embedding", "sparse_embedding", "blob_type", "blob_meta", "blob"),
)
CONTENT = """
CASE WHEN n.first_piece IS NULL THEN n.content ELSE (
    SELECT group_concat(content, '') FROM (
        SELECT content FROM nodes WHERE slot BETWEEN n.first_piece AND n.last_piece AND tree = n.tree ORDER BY slot
    )
) END
"""
"""The content of a row `n` of nodes: its own text, or those of its descendants, joined."""

_META = "n.meta, n.shape, t.shared, t.items, p.shared, p.id, n.children, n.shared"
_NODES = """
nodes AS n LEFT JOIN trees AS t ON t.number = n.tree LEFT JOIN nodes AS p ON p.slot = n.parent
"""
METAS = f"SELECT n.slot, {_META} FROM {_NODES} WHERE n.searched IS NOT NULL ORDER BY n.slot"  # noqa: S608 (column names)
"""Selects the metadata of all documents, with their slots."""

DOCUMENT = f"""
SELECT n.slot, n.id, {_META}, n.content, n.length, {", ".join(f"a.{name}" for name in ATTACHMENT_COLUMNS[1:])}
FROM {_NODES} LEFT JOIN attachments AS a ON a.slot = n.slot
WHERE n.searched IS NOT NULL"""  # noqa: S608 (column names)
"""Selects documents, with their slots; callers add conditions on `n`."""

RELATIVES = f"""
SELECT (
    SELECT json_group_array(CASE typeof(id) WHEN 'blob' THEN lower(hex(id)) ELSE id END)
    FROM (SELECT c.id FROM json_each(n.children) AS e LEFT JOIN nodes AS c ON c.slot = n.slot + e.value ORDER BY e.key)
), n.shared, {CONTENT}
FROM nodes AS n WHERE n.slot = ?
"""  # noqa: S608 (column names)
"""Selects the ids of the children, and the content, of a parent."""

_FORMATS = {"float32": "f", "float64": "d", "float16": "e"}
_MAX_FLOAT16 = 65504.0


class DamagedRowError(StoreFileError):
    """A row holds a value that is never written; the caller adds the name of the file."""


class Rows:
    """The rows of documents that are written together.

    :param documents: the documents with their slots, in the order of these.
    :param searched: the slots of those that are searched.
    :param embedding_type: of the numbers; None: the smallest that is exact.
    :param number_shape: returns the number of a shape; None if there are too many.
    :raises ValueError: a document can't be stored.
    """

    def __init__(
        self,
        documents: NumberedDocuments,
        searched: Container[int],
        embedding_type: EmbeddingType | None,
        number_shape: Callable[[str], int | None],
    ) -> None:
        self._embedding_type, self._number_shape = embedding_type, number_shape
        self.nodes: list[Row] = []
        self.trees: list[Row] = []
        self.attachments: list[Row] = []
        trees = find_trees(documents)
        for slot, document in documents:
            if type(document.id) is not str:
                raise ValueError(f"The id of a document must be text, got {document.id!r:.100}.")
            node = trees.get(slot) or Node(slot, document)
            self.nodes.append(self._encode_node(node, searched=slot in searched))
            self._add_attachment(node)

    def _encode_node(self, node: Node, *, searched: bool) -> Row:
        document, tree, owner = node.document, node.tree, f"document '{node.document.id}'"
        split, shape = split_meta(node), None
        if split is not None and (text := encode_shape(split.shape)) is not None:
            shape = self._number_shape(text)
        if tree is not None and tree.nodes[0] is node:
            values = to_json(list(tree.values.values()), owner)
            items = to_json(list(tree.items), owner) if tree.items else None
            self.trees.append((node.slot, tree.nodes[-1].slot, len(tree.nodes), values, items))
        content = None if document.content is None or node.pieces is not None else encode_text(document.content)
        first, last = node.pieces or (None, None)
        return (
            node.slot,
            encode_id(document.id),
            searched,
            None if tree is None else tree.nodes[0].slot,
            None if node.parent is None else node.parent.slot,
            shape,
            first,
            last,
            None if node.pieces is None else len(document.content or ""),
            None if split is None or shape is None or split.children is None else to_json(split.children, owner),
            to_json(list(node.shared.values()), owner) if node.shared else None,
            to_json(document.meta, owner)
            if split is None or shape is None
            else _encode_own(split.own, document, owner),
            content,
        )

    def _add_attachment(self, node: Node) -> None:
        document, owner = node.document, f"document '{node.document.id}'"
        embedding, kind = None, None
        if document.embedding is not None:
            embedding, kind = _encode_embedding(document.embedding, owner, self._embedding_type)
        blob, sparse = document.blob, document.sparse_embedding
        row = (
            None if document.score is None else to_json(document.score, f"the score of {owner}"),
            kind,
            embedding,
            None if sparse is None else to_json(sparse.to_dict(), f"the sparse embedding of {owner}"),
            None if blob is None else blob.mime_type,
            None if blob is None else to_json(blob.meta, f"the blob of {owner}"),
            None if blob is None else bytes(blob.data),
        )
        if any(value is not None for value in row):
            self.attachments.append((node.slot, *row))


def _encode_own(own: list[Json], document: Document, owner: str) -> str:
    try:
        return to_json(own, owner)
    except ValueError:
        return to_json(document.meta, owner)  # raises, too, and names the key


def decode_document(row: Sequence[Json], shapes: Mapping[int, Shape]) -> Document:
    """Return the document of a row of `DOCUMENT`, whose children are ids."""
    (
        _, id, own, shape, tree, items, siblings, parent, children, shared, content, length,
        score, kind, embedding, sparse, mime_type, blob_meta, blob,
    ) = row  # fmt: skip
    try:
        id = decode_id(id)
        text = None if content is None else decode_text(content)
        meta: Json = (
            from_json(own)
            if shape is None
            else shapes[shape].join(own, tree, items, siblings, parent, children, shared)
        )
        if length is not None or type(meta) is not dict:
            _check_row(text, length, meta)
        return Document(
            id=id,
            content=text,
            meta=meta,
            embedding=None if embedding is None else decode_embedding(embedding, kind),
            sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(from_json(sparse)),
            blob=None if blob is None else ByteStream(blob, from_json(blob_meta), mime_type),
            score=None if score is None else from_json(score),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise DamagedRowError(f"The row of document '{id}' is damaged: {error!r}") from error


def _check_row(text: str | None, length: int | None, meta: Json) -> None:
    if length is not None and (text is None or len(text) != length):
        raise ValueError("a part of its content is missing")
    if type(meta) is not dict:
        raise ValueError("its metadata is not an object")


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
