"""Hierarchies written as nested lists: a leaf is its text, a block a list of its children."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from spaniel import Document

Tree = str | list[Any]


def nodes(tree: Tree, id: str = "r", parent: str | None = None, level: int = 0) -> list[Document]:
    """Return the nodes of a tree, a parent before its children; a child's id is its parent's and
    its place there.
    """
    children = [] if isinstance(tree, str) else tree
    meta = {
        "__level": level,
        "__block_size": 10 - level,
        "__parent_id": parent,
        "__children_ids": [f"{id}.{place}" for place in range(len(children))],
    }
    own = Document(id=id, content=text_of(tree), meta=meta)
    return [
        own,
        *(node for place, child in enumerate(children) for node in nodes(child, f"{id}.{place}", id, level + 1)),
    ]


def text_of(tree: Tree) -> str:
    return tree if isinstance(tree, str) else "".join(text_of(child) for child in tree)


def balanced(fanout: int, levels: int) -> Tree:
    """Return a tree in which every block has `fanout` children, with leaves at level `levels`."""
    return "x " if levels == 0 else [balanced(fanout, levels - 1) for _ in range(fanout)]


def leaves_of(documents: Sequence[Document]) -> list[Document]:
    return [document for document in documents if not document.meta["__children_ids"]]


def hit(document: Document, score: float | None = None) -> Document:
    """Return a document as a search returns it: a copy with a score."""
    return document.independent_copy(score=score)


def ancestors(id: str) -> Iterator[str]:
    while "." in id:
        id = id.rpartition(".")[0]
        yield id


TREES = st.recursive(st.just("x "), lambda children: st.lists(children, min_size=1, max_size=4), max_leaves=14).filter(
    lambda tree: not isinstance(tree, str)
)
"""Trees whose leaves may be at any level, as the hierarchical splitter makes them."""


@st.composite
def trees_and_hits(draw: st.DrawFn, *, only_leaves: bool = False) -> tuple[list[Document], list[Document]]:
    """Draw the nodes of one or two trees, and some of them as hits without scores, in any order."""
    stored = [
        node
        for place, tree in enumerate(draw(st.lists(TREES, min_size=1, max_size=2)))
        for node in nodes(tree, f"r{place}")
    ]
    candidates = leaves_of(stored) if only_leaves else [node for node in stored if node.meta["__parent_id"]]
    return stored, draw(
        st.permutations(candidates).flatmap(lambda row: st.integers(0, len(row)).map(lambda n: row[:n]))
    )
