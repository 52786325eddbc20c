"""Writes and deletes documents in the database, and the parts that they share."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from functools import partial

import apsw
import orjson

from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.rows import ATTACHMENT_COLUMNS, NODE_COLUMNS, Rows
from spaniel.document_stores.local.database.schema import EmbeddingType
from spaniel.document_stores.local.database.shapes import Shapes


def _insert_into(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 (names)


_INSERT_NODE = _insert_into("nodes", NODE_COLUMNS)
_INSERT_ATTACHMENT = _insert_into("attachments", ATTACHMENT_COLUMNS)
_INSERT_TREE = _insert_into("trees", ("number", "last_slot", "documents", "shared", "items"))
_TREE = "SELECT slot, tree FROM nodes WHERE slot = ?"
_STRIP = """
UPDATE nodes SET searched = NULL, parent = NULL, shape = NULL, first_piece = NULL, last_piece = NULL, length = NULL,
    updated = NULL, children = NULL, meta = NULL
WHERE slot = ?
"""
_LEAVE = "UPDATE trees SET documents = documents - ? WHERE number = ?"
_EMPTY_TREES = "SELECT number, last_slot FROM trees WHERE number = ? AND documents <= 0"
_DELETE_TREE = "DELETE FROM nodes WHERE slot BETWEEN ?1 AND ?2 AND tree = ?1"
_REDUCED_TREES = """
SELECT number, last_slot FROM trees
WHERE documents < (SELECT count(*) FROM nodes WHERE slot BETWEEN number AND last_slot AND tree = number)
"""
_NODES_OF_TREE = """
SELECT slot, searched, parent, first_piece, last_piece, children FROM nodes
WHERE slot BETWEEN ?1 AND ?2 AND tree = ?1 ORDER BY slot
"""


def insert_nodes(
    connection: apsw.Connection,
    documents: NumberedDocuments,
    searched: Container[int],
    embedding_type: EmbeddingType | None,
    shapes: Shapes,
) -> None:
    """Write documents with their slots.

    :raises ValueError: a document can't be stored.
    """
    rows = Rows(documents, searched, embedding_type, partial(shapes.number, connection=connection))
    connection.executemany(_INSERT_NODE, rows.nodes)
    connection.executemany(_INSERT_TREE, rows.trees)
    connection.executemany(_INSERT_ATTACHMENT, rows.attachments)


def delete_nodes(connection: apsw.Connection, slots: Iterable[int]) -> None:
    """Delete the documents of some slots, each of which has one.

    The rest of a tree may need the id and the text of its node, so they stay as long as a document
    of the tree does.
    """
    places = list(connection.executemany(_TREE, ((slot,) for slot in slots)))
    left = Counter(tree for _, tree in places if tree is not None)
    connection.executemany("DELETE FROM attachments WHERE slot = ?", ((slot,) for slot, _ in places))
    connection.executemany("DELETE FROM nodes WHERE slot = ?", ((slot,) for slot, tree in places if tree is None))
    connection.executemany(_LEAVE, ((count, tree) for tree, count in left.items()))
    ended = dict(connection.executemany(_EMPTY_TREES, ((tree,) for tree in left)))
    connection.executemany(_DELETE_TREE, ended.items())
    connection.executemany("DELETE FROM trees WHERE number = ?", ((tree,) for tree in ended))
    kept = ((slot,) for slot, tree in places if tree is not None and tree not in ended)
    connection.executemany(_STRIP, kept)


def delete_unneeded_nodes(connection: apsw.Connection) -> None:
    """Delete the rest of deleted documents that no other document needs."""
    for tree, last in list(connection.execute(_REDUCED_TREES)):
        nodes = list(connection.execute(_NODES_OF_TREE, (tree, last)))
        needed = {slot for slot, searched, *_ in nodes if searched is not None}
        spans = []
        for slot, searched, parent, first, last_piece, children in nodes:
            if searched is None:
                continue
            needed.add(parent)
            needed.update(slot + distance for distance in orjson.loads(children or "[]"))
            if first is not None:
                spans.append((first, last_piece))
        unneeded = [slot for slot, *_ in nodes if slot not in needed]
        doomed = [(slot,) for slot in unneeded if not any(first <= slot <= end for first, end in spans)]
        connection.executemany("DELETE FROM nodes WHERE slot = ?", doomed)
