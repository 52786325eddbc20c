"""Recursive retrieval against an independent reading of its definition."""

import asyncio
from itertools import permutations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.retrievers import RecursiveRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.testing import CountingStore
from spaniel.tracing.events import Followed
from tests.components.retrievers.conftest import ids

KEYS = ["cites", "sees", "uses"]
ORDERS = list(permutations(["rank", "source", "depth"]))
VALUES = st.sampled_from(["a", "b", "c", "d", "e", "f", 1, "1", "nowhere"])
SCALAR_OR_LIST = st.one_of(VALUES, st.lists(VALUES, unique_by=lambda value: (type(value), value), max_size=4))
OK = {"field": "meta.ok", "operator": "==", "value": True}


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    documents = []
    for number in range(draw(st.integers(1, 9))):
        meta = {"name": draw(SCALAR_OR_LIST), "ok": draw(st.integers(0, 4)) > 0}
        meta |= {key: draw(SCALAR_OR_LIST) for key in KEYS if draw(st.booleans())}
        documents.append(Document(id=f"d{number}", meta=meta))
    return documents


def values(document: Document, key: str) -> list[Any]:
    value = document.meta.get(key)
    return [] if value is None else value if isinstance(value, list) else [value]


def cells(
    store: list[Document], originals: list[Document], depth: int, filtered: bool
) -> dict[str, tuple[int, int, int]]:
    """Return (rank, source, depth) of every document, read off the definition: by minima, not by a
    walk.
    """
    placed = {document.id: (rank, 0, 0) for rank, document in enumerate(originals)}
    linking = originals
    for hop in range(1, depth + 1):
        # Of all links to a document: its lowest source, then the place of the link, the linking
        # document, the store.
        best: dict[str, tuple[int, int, int, int]] = {}
        for at, target in enumerate(store):
            if target.id in placed or (filtered and not target.meta["ok"]):
                continue
            ways = [
                (source, place, row, at)
                for row, origin in enumerate(linking)
                for source, key in enumerate(KEYS)
                for place, value in enumerate(values(origin, key))
                if value in values(target, "name")
            ]
            if ways:
                best[target.id] = min(ways)
        for source in range(len(KEYS)):
            row = sorted(id for id in best if best[id][0] == source)
            row.sort(key=best.__getitem__)
            placed |= {id: (rank, source, hop) for rank, id in enumerate(row)}
        by_id = {document.id: document for document in store}
        linking = [by_id[id] for id in sorted(best, key=lambda each: (placed[each][1], placed[each][0]))]
    return placed


def sampled(placed: dict[str, tuple[int, int, int]], order: tuple[str, ...], top_k: int, keep: bool) -> list[str]:
    names = ("rank", "source", "depth")
    everything = sorted(placed, key=lambda each: [placed[each][names.index(name)] for name in order])
    if not keep or top_k == 0:
        return everything[:top_k]
    result = list(everything)
    while len(result) > top_k:
        linked = [id for id in result if placed[id][2] > 0]
        if not linked:
            break
        result.remove(linked[-1])
    return result


@settings(max_examples=150, deadline=None)
@given(
    corpora(), st.data(), st.integers(0, 4), st.integers(0, 12), st.sampled_from(ORDERS), st.booleans(), st.booleans()
)
def test_the_result_equals_the_definition(
    store: list[Document],
    data: st.DataObject,
    depth: int,
    top_k: int,
    order: tuple[str, ...],
    keep: bool,
    filtered: bool,
):
    originals = data.draw(st.lists(st.sampled_from(store), unique_by=lambda document: document.id, max_size=4))
    kept = InMemoryDocumentStore()
    kept.write_documents(store)
    retriever = RecursiveRetriever(
        kept,
        "name",
        KEYS,
        sampling_strategy=list(order),
        force_keep_original_documents=keep,
        filters=OK if filtered else None,
    )

    found = retriever.run(originals, top_k=top_k, depth=depth)["documents"]

    assert ids(found) == sampled(cells(store, originals, depth, filtered), order, top_k, keep)
    assert found == asyncio.run(retriever.run_async(originals, top_k=top_k, depth=depth))["documents"]


@settings(max_examples=60, deadline=None)
@given(corpora(), st.integers(1, 3), st.integers(1, 5))
def test_no_hop_adds_more_than_max_targets(store: list[Document], depth: int, most: int):
    kept = InMemoryDocumentStore()
    kept.write_documents(store)
    retriever = RecursiveRetriever(kept, "name", KEYS, top_k=100, depth=depth, max_targets=most)
    found = retriever.run(store[:1])["documents"]
    assert len(found) <= 1 + depth * most
    assert len(set(ids(found))) == len(found)


@settings(max_examples=100, deadline=None)
@given(
    corpora(),
    st.sampled_from(["out", "in", "both"]),
    st.integers(0, 40),
    st.none() | st.integers(0, 6),
    st.none() | st.integers(0, 6),
    st.none() | st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)),
)
def test_any_graph_comes_to_an_end_within_its_budgets(
    store: list[Document],
    direction: str,
    depth: int,
    documents: int | None,
    requests: int | None,
    quotas: dict[str, int] | None,
):
    kept = InMemoryDocumentStore()
    kept.write_documents(store)
    counting = CountingStore(kept)
    retriever = RecursiveRetriever(
        counting,
        "name",
        KEYS,
        top_k=100,
        depth=depth,
        direction=direction,
        max_documents=documents,
        max_requests=requests,
        key_quotas=quotas,
    )

    with spaniel.trace() as t:
        found = retriever.run(store[:2])["documents"]

    assert len(set(ids(found))) == len(found)
    linked = [event for event in t.events if isinstance(event, Followed)]
    assert len(found) == len(linked) + len(store[:2])
    assert documents is None or len(linked) <= documents
    assert requests is None or counting.calls.total() <= requests
    assert counting.calls.total() <= depth
    for key, quota in (quotas or {}).items():
        assert sum(event.key == key for event in linked) <= quota
    assert found == asyncio.run(retriever.run_async(store[:2]))["documents"]


@settings(max_examples=60, deadline=None)
@given(corpora(), st.integers(1, 3))
def test_inward_links_are_the_outward_ones_turned_round(store: list[Document], depth: int):
    """A document reached inward from another reaches that one outward."""
    kept = InMemoryDocumentStore()
    kept.write_documents(store)

    def reached(start: Document, direction: str) -> set[str]:
        chosen = RecursiveRetriever(kept, "name", KEYS, top_k=100, depth=depth, direction=direction)
        return set(ids(chosen.run([start])["documents"]))

    by_id = {document.id: document for document in store}
    for id in reached(store[0], "in"):
        assert store[0].id in reached(by_id[id], "out")
