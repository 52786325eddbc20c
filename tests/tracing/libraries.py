"""Small random stores: trees of sections with links, and queries for them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.components.retrievers.trees import nodes

WORDS = ("red", "blue", "green", "apple", "sky", "sea")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
QUERIES = st.lists(st.sampled_from((*WORDS, "moon")), min_size=1, max_size=3).map(" ".join)
FILTERS: st.SearchStrategy[dict[str, Any] | None] = st.one_of(
    st.none(),
    st.sampled_from(
        [
            {"field": "meta.lang", "operator": "==", "value": "en"},
            {"field": "meta.year", "operator": ">", "value": 2001},
            {
                "operator": "AND",
                "conditions": [
                    {"field": "meta.lang", "operator": "!=", "value": "de"},
                    {"field": "meta.year", "operator": "<=", "value": 2002},
                ],
            },
            {"operator": "NOT", "conditions": [{"field": "meta.lang", "operator": "==", "value": "en"}]},
        ]
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    """Draw sections of leaves, with a language, a year, and links from one to another."""
    trees = draw(
        st.lists(st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=3), min_size=1, max_size=3)
    )
    made = [node for place, tree in enumerate(trees) for node in placed(nodes(tree, f"r{place}"))]
    ids = [document.id for document in made]
    return [
        replace(
            document,
            meta=document.meta
            | {
                "anchor": document.id,
                "lang": draw(st.sampled_from(["en", "de", None])),
                "year": draw(st.integers(2000, 2003)),
                "links": draw(st.lists(st.sampled_from([*ids, "nowhere"]), max_size=2)),
                "source_id": document.meta["__parent_id"],
                "split_id": int(document.id.rpartition(".")[2]) if "." in document.id else None,
            },
        )
        for document in made
    ]


def placed(tree: list[Document]) -> list[Document]:
    """Return the nodes of a tree, a parent before its children, with their places in the text of
    the root.
    """
    found, at = [], 0
    for node in tree:
        length = len(node.content or "")
        meta = {"__root_id": tree[0].id, "__start": at, "__end": at + length}
        found.append(replace(node, meta=node.meta | meta))
        at += 0 if node.meta["__children_ids"] else length
    return found


def stored(made: Sequence[Document], **options: Any) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore(shared=False, **options)
    store.write_documents(list(made))
    return store
