"""The tree of a file's documents as plain data. The text is in it once: every node is a piece of the root's."""

from collections.abc import Mapping, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, START


def packed(tree: Sequence[Document]) -> list[dict[str, Any]]:
    """Return the documents of a tree, root first, as plain data.

    >>> root = Document(id="r", content="Dogs bark.", meta={"path": "a.md"})
    >>> leaf = Document(id="l", content="Dogs", meta={"path": "a.md", "__start": 0, "__end": 4})
    >>> packed([root, leaf])[1]
    {'id': 'l', 'meta': {'path': 'a.md', '__start': 0, '__end': 4}}
    >>> unpacked(packed([root, leaf])) == [root, leaf]
    True
    """
    text = tree[0].content or "" if tree else ""
    nodes = []
    for place, document in enumerate(tree):
        node: dict[str, Any] = {"id": document.id, "meta": document.meta}
        if place == 0 or document.content != _piece(text, document.meta):
            node["content"] = document.content
        nodes.append(node)
    return nodes


def unpacked(nodes: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Return the documents that `packed` made plain."""
    text = nodes[0]["content"] or "" if nodes else ""
    return [
        Document(
            id=node["id"],
            content=node["content"] if "content" in node else _piece(text, node["meta"]),
            meta=node["meta"],
        )
        for node in nodes
    ]


def _piece(text: str, meta: Mapping[str, Any]) -> str | None:
    return text[meta[START] : meta[END]] if START in meta and END in meta else None
