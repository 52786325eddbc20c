"""Windows over random chunks: against Haystack, and properties for any hits."""

import asyncio
import re
from itertools import pairwise

from haystack import Document as HaystackDocument
from haystack.components.retrievers import SentenceWindowRetriever as HaystackWindowRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.retrievers import SentenceWindowRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.components.retrievers.conftest import ids

FEW = settings(max_examples=60, deadline=None)
ALPHABET = "abcdefghijklmnopqrstuvwxyz"

PLACES = st.tuples(st.sampled_from("st"), st.integers(0, 12))


@st.composite
def stored_and_hits(draw: st.DrawFn) -> tuple[list[Document], list[Document]]:
    places = draw(st.lists(PLACES, unique=True, max_size=20))
    stored = [
        Document(id=f"{source}{number}", content=f"{source}{number} ", meta={"source_id": source, "split_id": number})
        for source, number in places
    ]
    return stored, draw(st.lists(st.sampled_from(stored), max_size=6)) if stored else []


@st.composite
def pieces(draw: st.DrawFn) -> list[Document]:
    """Draw pieces of the alphabet, with their offsets."""
    spans = draw(st.lists(st.tuples(st.integers(0, 25), st.integers(0, 8)), min_size=1, max_size=8))
    return [
        Document(content=ALPHABET[start : start + length], meta={"split_idx_start": start}) for start, length in spans
    ]


def haystacks(document: Document) -> HaystackDocument:
    return HaystackDocument.from_dict(document.to_dict())


def store_of(documents: list[Document]) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents(documents)
    return store


@FEW
@given(stored_and_hits(), st.integers(1, 4))
def test_windows_are_haystacks(drawn: tuple[list[Document], list[Document]], size: int):
    stored, hits = drawn
    haystack_store = HaystackStore()
    haystack_store.write_documents([haystacks(document) for document in stored])
    expected = HaystackWindowRetriever(haystack_store, size).run([haystacks(hit) for hit in hits])

    found = SentenceWindowRetriever(store_of(stored), size).run(hits)

    assert found["context_windows"] == expected["context_windows"]
    assert ids(found["context_documents"]) == [document.id for document in expected["context_documents"]]


@settings(max_examples=300, deadline=None)
@given(pieces())
def test_the_merged_text_is_haystacks_where_no_piece_ends_inside_an_earlier_one(documents: list[Document]):
    in_order = sorted(documents, key=lambda document: document.meta["split_idx_start"])
    ends = [document.meta["split_idx_start"] + len(document.content or "") for document in in_order]
    nested = any(later < earlier for earlier, later in pairwise(ends))
    merged = SentenceWindowRetriever.merge_documents_text(documents)
    if not nested:
        assert merged == HaystackWindowRetriever.merge_documents_text([haystacks(document) for document in documents])
    covered = {
        offset
        for d in documents
        for offset in range(d.meta["split_idx_start"], d.meta["split_idx_start"] + len(d.content or ""))
    }
    assert merged == "".join(ALPHABET[offset] for offset in sorted(covered))


def test_a_piece_inside_an_earlier_one_repeats_text_in_haystack_and_not_here():
    documents = [
        Document(content=text, meta={"split_idx_start": start})
        for text, start in [("abcdefghij", 0), ("cd", 2), ("efgh", 4)]
    ]
    assert (
        HaystackWindowRetriever.merge_documents_text([haystacks(document) for document in documents])
        == "abcdefghijefgh"
    )
    assert SentenceWindowRetriever.merge_documents_text(documents) == "abcdefghij"


@FEW
@given(stored_and_hits(), st.integers(1, 4))
def test_merged_windows_hold_the_same_chunks_each_once(drawn: tuple[list[Document], list[Document]], size: int):
    stored, hits = drawn
    plain = SentenceWindowRetriever(store_of(stored), size).run(hits)["context_documents"]
    united = SentenceWindowRetriever(store_of(stored), size, merge_overlapping=True).run(hits)["context_documents"]
    assert set(ids(united)) == set(ids(plain))
    assert len(set(ids(united))) == len(united)


@FEW
@given(stored_and_hits(), st.integers(1, 4))
def test_merged_windows_of_a_source_neither_overlap_nor_touch(drawn: tuple[list[Document], list[Document]], size: int):
    stored, hits = drawn
    windows = SentenceWindowRetriever(store_of(stored), size, merge_overlapping=True).run(hits)["context_windows"]
    reach = [
        sorted((source, int(number)) for source, number in re.findall(r"([st])(\d+) ", window)) for window in windows
    ]
    for place, first in enumerate(reach):
        for second in reach[place + 1 :]:
            assert not any(a[0] == b[0] and abs(a[1] - b[1]) == 0 for a in first for b in second)


@settings(max_examples=20, deadline=None)
@given(stored_and_hits(), st.booleans())
def test_sync_and_async_agree(drawn: tuple[list[Document], list[Document]], merge: bool):
    stored, hits = drawn
    retriever = SentenceWindowRetriever(store_of(stored), 2, merge_overlapping=merge)
    assert retriever.run(hits) == asyncio.run(retriever.run_async(hits))
