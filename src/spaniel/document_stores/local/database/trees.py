"""The trees among the documents of a write, whose nodes share texts, ids and metadata.

A parent whose content is that of its descendants joined has no text of its own. Metadata is split
by a *shape*, which says for each key where its value is: in the document itself, in its tree, with
its siblings, or in the ids of its relatives. A list of texts that several nodes list, such as the
links of a page and its sections, is stored as their positions in the *items* of the tree; so are
the targets of references.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spaniel.dataclasses import hierarchy
from spaniel.document_stores.local.database.ids import is_plain
from spaniel.document_stores.local.database.text import encode_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.json_types import Json, Meta

_SCALARS = frozenset({str, int, bool, type(None)})
_STRING = frozenset({str})
_REFERENCE = (int, int, str, str)

Place = tuple[str, str, int]
"""A key of the metadata, where its value is, and its position there."""


@dataclass(eq=False)
class Node:
    """A document of a tree, while it is written."""

    slot: int
    document: Document
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    tree: Tree | None = None
    shared: Meta = field(default_factory=dict)
    """Values that all children without children have in common; of a single one, those of the node."""
    pieces: tuple[int, int] | None = None
    """The first and the last slot of the texts that its content consists of, if it is joined."""


@dataclass(eq=False)
class Tree:
    """A root and its descendants, as far as they are in the same write."""

    nodes: list[Node]
    values: Meta
    """Texts that all nodes have in common."""
    items: dict[str, int] = field(default_factory=dict)
    """Texts in lists of several values, with their positions."""


class SharedMeta(NamedTuple):
    """Metadata, split by its shape."""

    shape: tuple[Place, ...]
    own: list[Json]
    """One value at least."""
    children: list[int] | None
    """The slots of the children, if the metadata lists their ids; relative to that of the parent."""


def find_trees(documents: NumberedDocuments) -> dict[int, Node]:
    """Return the nodes of the trees of several documents, by slot."""
    if not any(document.meta.get(hierarchy.PARENT) is not None for _, document in documents):
        return {}
    nodes = {document.id: Node(slot, document) for slot, document in documents}
    for node in nodes.values():
        parent_id = node.document.meta.get(hierarchy.PARENT)
        parent = nodes.get(parent_id) if type(parent_id) is str else None
        if parent is not None and parent.slot < node.slot:
            node.parent = parent
            parent.children.append(node)
            if parent.tree is None:
                parent.tree = Tree([parent], _select_texts(parent.document.meta))
            node.tree = parent.tree
            node.tree.nodes.append(node)
    found = {node.slot: node for node in nodes.values() if node.tree is not None}
    for tree in {id(node.tree): node.tree for node in found.values() if node.tree is not None}.values():
        _share(tree)
    return found


def _select_texts(meta: Meta) -> Meta:
    return {key: value for key, value in meta.items() if type(value) is str}


def _share(tree: Tree) -> None:
    """Find the values and texts that the nodes of a tree have in common."""
    for node in tree.nodes:
        meta = node.document.meta
        tree.values = {key: value for key, value in tree.values.items() if _is_same(meta.get(key), value)}
    for node in tree.nodes:
        leaves = [child.document.meta for child in node.children if not child.children]
        if leaves:
            shared = {key: value for key, value in leaves[0].items() if key not in tree.values and _is_shareable(value)}
            for meta in leaves[1:] or [node.document.meta]:
                shared = {key: value for key, value in shared.items() if key in meta and _is_same(meta[key], value)}
            node.shared = {key: value for key, value in shared.items() if not _is_same(value, node.document.id)}
    listed = Counter(
        text
        for node in tree.nodes
        for key, value in node.document.meta.items()
        if key != hierarchy.CHILDREN and type(value) is list and _STRING.issuperset(map(type, value))
        for text in dict.fromkeys(value)
    )
    tree.items = {text: place for place, text in enumerate(text for text, count in listed.items() if count > 1)}
    _join_contents(tree)


def _is_shareable(value: Json) -> bool:
    return type(value) in _SCALARS or (type(value) is list and _STRING.issuperset(map(type, value)))


def _is_same(value: Json, other: Json) -> bool:
    """Return if a value is the same as a shareable one: equal numbers may differ in their types."""
    return type(value) is type(other) and value == other and (type(value) is not list or _is_shareable(value))


def _join_contents(tree: Tree) -> None:
    """Find the parents whose content is exactly that of their descendants, joined."""
    stored = {node.slot: node.document.content for node in tree.nodes if node.document.content is not None}
    slots = [node.slot for node in tree.nodes]
    ends: dict[int, tuple[int, int]] = {}  # positions of the first and the last text of a node and its descendants
    for position in range(len(slots) - 1, -1, -1):
        node = tree.nodes[position]
        below = [ends[child.slot] for child in node.children if child.slot in ends]
        span = (min(first for first, _ in below), max(last for _, last in below)) if below else None
        content = stored.get(node.slot)
        if content is not None and span is not None and _is_joined(content, slots[span[0] : span[1] + 1], stored):
            node.pieces = slots[span[0]], slots[span[1]]
            del stored[node.slot]
        elif content is not None:
            span = (position, position if span is None else max(position, span[1]))
        if span is not None:
            ends[node.slot] = span


def _is_joined(content: str, slots: Sequence[int], stored: dict[int, str]) -> bool:
    start = 0
    for slot in slots:
        piece = stored.get(slot, "")
        if not content.startswith(piece, start) or type(encode_text(piece)) is bytes:
            return False
        start += len(piece)
    return start == len(content)


def split_meta(node: Node) -> SharedMeta | None:
    """Return the metadata of a node without the shared values; None if it is to be stored whole."""
    meta, parent, tree = node.document.meta, node.parent, node.tree
    if tree is None or not meta or not _STRING.issuperset(map(type, meta)):
        return None
    children = _find_children(node, meta.get(hierarchy.CHILDREN))
    of_children = {} if children is None else {key: place for place, key in enumerate(node.shared)}
    in_tree = {key: place for place, key in enumerate(tree.values)}
    of_siblings = {} if parent is None or node.children else {key: place for place, key in enumerate(parent.shared)}
    parent_id = parent.document.id if parent is not None and is_plain(parent.document.id) else None
    own: list[Json] = []
    shape: list[Place] = []
    for key, value in meta.items():
        if key in in_tree:
            shape.append((key, "tree", in_tree[key]))
        elif parent_id is not None and type(value) is str and value == parent_id:
            shape.append((key, "parent", 0))
        elif key in of_siblings:
            shape.append((key, "siblings", of_siblings[key]))
        elif key in of_children and _is_same(value, node.shared[key]):
            shape.append((key, "shared", of_children[key]))
        elif key == hierarchy.CHILDREN and children is not None:
            shape.append((key, "children", 0))
        elif type(value) is list and value and _STRING.issuperset(map(type, value)) and tree.items.keys() >= set(value):
            shape.append((key, "items", len(own)))
            own.append([tree.items[text] for text in value])
        elif tree.items and _are_references(value):
            shape.append((key, "references", len(own)))
            own.append([[start, end, tree.items.get(target, target), kind] for start, end, target, kind in value])
        else:
            shape.append((key, "own", len(own)))
            own.append(value)
    return SharedMeta(tuple(shape), own or [None], children)


def _are_references(value: Json) -> bool:
    """Return if a value is a list of references: start, end, target and kind of each."""
    return (
        type(value) is list
        and bool(value)
        and all(type(each) is list and tuple(map(type, each)) == _REFERENCE for each in value)
    )


def _find_children(node: Node, ids: Json) -> list[int] | None:
    """Return the slots of the children, relative to the node, if these are their ids."""
    known = [child.document.id for child in node.children]
    if type(ids) is not list or not ids or ids != known or not all(map(is_plain, known)):
        return None
    return [child.slot - node.slot for child in node.children]


def encode_shape(shape: tuple[Place, ...]) -> str | None:
    """Return a shape as JSON; None for keys that other tools could not read."""
    try:
        text = orjson.dumps(shape).decode()
    except orjson.JSONEncodeError:  # lone surrogates
        return None
    return None if "\\u0000" in text else text
