"""Random hierarchies of nodes with spans in the text of their root, and hits in them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies import FetchByFilter, FetchByIds, FetchByKeys, FetchInRanges
from tests.components.retrievers.trees import Tree, nodes, text_of

LETTERS = "abcdefghijklmnopqrstuvwxyz "
TEXTS = st.text(LETTERS, min_size=1, max_size=9)
TREES: st.SearchStrategy[Tree] = st.recursive(
    TEXTS, lambda children: st.lists(children, min_size=1, max_size=4), max_leaves=14
).filter(lambda tree: not isinstance(tree, str))


def placed(tree: Tree, id: str = "r") -> list[Document]:
    """Return the nodes of a tree, a parent before its children, with their offsets in the root."""
    found = nodes(tree, id)
    ends: dict[str, int] = {}
    for node in found:
        above = node.meta["__parent_id"]
        start = ends.get(above, 0) if above else 0
        end = start + len(node.content or "")
        ends[node.id] = start
        if above:
            ends[above] = end
        node.meta.update({"__root_id": id, "__start": start, "__end": end})
    return found


def answer(stored: Sequence[Document], request: Any) -> list[Document]:
    """Return the answer of a store with these documents, in store order."""
    if isinstance(request, FetchByIds):
        return [document for document in stored if document.id in request.ids]
    if isinstance(request, FetchByKeys):
        wanted = {key.removeprefix("meta."): values for key, values in request.values.items()}
        return [document for document in stored if any(document.meta.get(key) in wanted[key] for key in wanted)]
    assert isinstance(request, (FetchByFilter, FetchInRanges))
    return list(stored)


def ran(steps: Any, stored: Sequence[Document]) -> tuple[Any, list[Any]]:
    """Return the result of an algorithm over these documents, and its requests."""
    asked, given = [], None
    while True:
        try:
            request = steps.send(given)
        except StopIteration as stop:
            return stop.value, asked
        asked.append(request)
        given = answer(stored, request)


@st.composite
def forests(draw: st.DrawFn, *, most: int = 2) -> list[Document]:
    """Draw the nodes of one or more trees."""
    trees = draw(st.lists(TREES, min_size=1, max_size=most))
    return [node for number, tree in enumerate(trees) for node in placed(tree, f"r{number}")]


@st.composite
def forests_and_hits(
    draw: st.DrawFn, *, only_leaves: bool = True, most: int = 2
) -> tuple[list[Document], list[Document]]:
    """Draw the nodes of one or more trees, and some of them as hits with scores, best first."""
    stored = draw(forests(most=most))
    candidates = [node for node in stored if not (only_leaves and node.meta["__children_ids"])]
    chosen = draw(st.lists(st.sampled_from(candidates), unique_by=lambda node: node.id, max_size=8))
    scores = sorted(draw(st.lists(st.integers(1, 20), min_size=len(chosen), max_size=len(chosen))), reverse=True)
    return stored, [node.independent_copy(score=float(score)) for node, score in zip(chosen, scores, strict=True)]


def is_slice(document: Document, stored: Sequence[Document]) -> bool:
    """Return if the text of a document is that of its span in the root."""
    [root] = [each for each in stored if each.id == document.meta["__root_id"]]
    return document.content == (root.content or "")[document.meta["__start"] : document.meta["__end"]]


def overlap(one: Document, other: Document) -> bool:
    a, b = one.meta, other.meta
    return a["__root_id"] == b["__root_id"] and max(a["__start"], b["__start"]) < min(a["__end"], b["__end"])


__all__ = ["TREES", "answer", "forests", "forests_and_hits", "is_slice", "overlap", "placed", "ran", "text_of"]
