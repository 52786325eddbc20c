"""Each type of event: its sentence, and a retrieval that records it."""

from typing import Any

import pytest

import spaniel
from spaniel import Document
from spaniel.components.retrievers import AutoMergingRetriever, RecursiveRetriever, SentenceWindowRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.tracing import Event
from spaniel.tracing.events import (
    EVENT_TYPES,
    BudgetSpent,
    Chosen,
    Dropped,
    Folded,
    Followed,
    Fused,
    GaveWay,
    HopsEnded,
    HubCut,
    KeptApart,
    LedBack,
    LinkUnmet,
    Matched,
    Merged,
    Neighbour,
    NotWidened,
    ParentMissing,
    Repeated,
    Segmented,
    SharesWindow,
    TermMatch,
    United,
    Widened,
    WindowEnded,
    short_id,
)
from tests.components.retrievers.trees import balanced, hit, leaves_of, nodes

HASH = "93deb8df5441b2ca" * 4
TREE = nodes([["One. ", "Two. ", "Three. "], ["Four. ", "Five. ", "Six. "]])
CHUNKS = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in range(6)]

SENTENCES: list[tuple[Any, str]] = [
    (Matched("a", 1, 2.5), "matched at rank 1 with score 2.500"),
    (Matched("a", 2, None), "matched at rank 2"),
    (Matched("a", 2, None, by="bm25"), "matched by bm25 at rank 2"),
    (Matched("a", 1, 2.5, (TermMatch("sky", 2, 9, 2.5),)), "matched at rank 1 with score 2.500: sky ×2 (2.50)"),
    (Fused("a", (2, None, 1), 0.5), "fused from rank 2 of list 1, rank 1 of list 3 with score 0.500"),
    (Merged("a", ("b", "c"), 3, 0.5, 1.0), "merged from 2 of its 3 children (0.67 > 0.5)"),
    (GaveWay("a", HASH), "gave way to 93deb8df, which holds it"),
    (Folded("a", HASH), "folded into 93deb8df, which has its text"),
    (United("a", ("a", "b"), 40), "one text of 40 tokens with what it touches: a, b"),
    (KeptApart("a", "p", 1, 3, 0.5), "kept apart: 1 of 3 children of its parent (0.33 <= 0.5)"),
    (ParentMissing("a", "chapter"), "kept: its parent chapter is not in the store"),
    (Repeated("a"), "came more than once; counted once"),
    (Widened("b", ("a", "b", "c"), 1, 1), "widened by 1 before and 1 after to 3 chunks"),
    (Widened("b", ("a",), 1, 0), "widened to 1 stored chunks, of which it is none"),
    (Neighbour("a", "b", -2), "stands 2 before the hit b"),
    (Neighbour("c", "b", 1), "stands 1 after the hit b"),
    (NotWidened("a", ("split_id", "source_id")), "not widened: no split_id, source_id in its metadata"),
    (Followed("b", "a", "links", "x", 1, 0), "followed links = 'x' from a (hop 1)"),
    (LedBack("b", HASH, "links", 5, 2), "linked again by links = 5 from 93deb8df (hop 2)"),
    (LinkUnmet("a", "links", "x", 1), "its link links = 'x' leads to no document here (hop 1)"),
    (HubCut("", 1, 5000, 1000), "hop 1 found 5,000 documents and kept 1,000 (max_targets)"),
    (Dropped("a", "score 0.1 is below min_score 0.5"), "dropped: score 0.1 is below min_score 0.5"),
    (WindowEnded("a", "after", "section changes"), "its window ends early after it: section changes"),
    (SharesWindow("a", ("b", HASH)), "shares its window with b, 93deb8df"),
    (Followed("b", "a", "links", "x", 1, 0, inward=True), "links to a by links = 'x' (hop 1)"),
    (LedBack("b", "a", "links", "x", 2, inward=True), "links again to a by links = 'x' (hop 2)"),
    (HopsEnded("", 2, "max_requests is 1"), "ended before hop 2: max_requests is 1"),
    (Segmented("s", ("a", "b"), ("b",), 0.6), "a segment of 2 leaves with 1 hits, worth 0.60"),
    (Chosen("s", "section", ("a",), 1200, 2.5), "chosen as section for 1 hits: 1,200 tokens for a value of 2.5"),
    (BudgetSpent("", 1200, 2000, 3), "1,200 of 2,000 tokens are spent on 3 documents"),
]


@pytest.mark.parametrize(("event", "sentence"), SENTENCES, ids=lambda value: type(value).__name__)
def test_an_event_says_itself_in_one_line(event: Event, sentence: str):
    assert str(event) == sentence


def test_every_kind_of_event_is_among_them():
    assert {type(event) for event, _ in SENTENCES} == set(EVENT_TYPES.values())


@pytest.mark.parametrize(
    ("id", "shown"),
    [(HASH, "93deb8df"), ("chapter-1-section-2", "chapter-1-section-2"), ("x" * 50, "x" * 40 + "..."), ("", "")],
)
def test_a_hash_is_shown_short_and_a_name_whole(id: str, shown: str):
    assert short_id(id) == shown


# --- where they come from -------------------------------------------------------------------------


def stored(documents: list[Document]) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents(documents)
    return store


def traced(retriever: Any, *args: Any, **kwargs: Any) -> list[Event]:
    with spaniel.trace() as t:
        retriever.run(*args, **kwargs)
    return t.events


def test_a_keyword_match_has_the_terms_and_their_scores():
    store = stored([Document(id="a", content="sky sky apple"), Document(id="b", content="sea")])
    [match] = traced(InMemoryBM25Retriever(store), "apple sky moon")
    assert isinstance(match, Matched)
    assert [(term.term, term.frequency, term.documents) for term in match.terms] == [("apple", 1, 1), ("sky", 2, 1)]
    assert match.score == pytest.approx(sum(term.score for term in match.terms))


def test_a_vector_match_has_a_rank_and_a_score():
    store = stored([Document(id="a", embedding=[1.0, 0.0]), Document(id="b", embedding=[0.0, 1.0])])
    assert traced(InMemoryEmbeddingRetriever(store), [0.0, 2.0]) == [Matched("b", 1, 2.0), Matched("a", 2, 0.0)]


def test_a_match_below_min_score_is_dropped_and_says_so():
    store = stored([Document(id="a", embedding=[1.0]), Document(id="b", embedding=[3.0])])
    events = traced(InMemoryEmbeddingRetriever(store, min_score=2), [1.0])
    assert events == [
        Matched("b", 1, 3.0),
        Matched("a", 2, 1.0),
        Dropped("a", "score 1 is below min_score 2", "min_score"),
    ]


def test_a_merge_is_an_event_of_the_parent_and_of_each_hit():
    hits = [hit(TREE[2], 0.5), hit(TREE[3], 0.25), hit(TREE[6], 0.1)]
    assert traced(AutoMergingRetriever(stored(TREE)), hits) == [
        Merged("r.0", ("r.0.0", "r.0.1"), 3, 0.5, 0.5),
        GaveWay("r.0.0", "r.0"),
        GaveWay("r.0.1", "r.0"),
        KeptApart("r.1.0", "r.1", 1, 3, 0.5),
        KeptApart("r.0", "r", 1, 2, 0.5),
    ]


def test_a_hit_inside_another_result_says_to_which_it_gave_way():
    assert GaveWay("r.0.0", "r.0") in traced(AutoMergingRetriever(stored(TREE)), [TREE[2], TREE[1]])


def test_a_missing_parent_and_a_repeated_hit_are_events():
    retriever = AutoMergingRetriever(stored([]), raise_on_missing_parent=False)
    assert traced(retriever, [TREE[2], TREE[2]]) == [Repeated("r.0.0"), ParentMissing("r.0.0", "r.0")]


def test_a_merged_parent_below_min_score_is_dropped_and_says_so():
    hits = [hit(TREE[2], 0.5), hit(TREE[3], 0.25)]
    events = traced(AutoMergingRetriever(stored(TREE), min_score=0.6), hits)
    assert events[-1] == Dropped("r.0", "score 0.5 is below min_score 0.6", "min_score")


def test_a_window_is_an_event_of_the_hit_and_of_each_neighbour():
    events = traced(SentenceWindowRetriever(stored(CHUNKS), 1), [CHUNKS[0], CHUNKS[3]])
    assert events == [
        Widened("0", ("0", "1"), 0, 1),
        Neighbour("1", "0", 1),
        Widened("3", ("2", "3", "4"), 1, 1),
        Neighbour("2", "3", -1),
        Neighbour("4", "3", 1),
    ]


def test_in_merged_windows_a_neighbour_names_the_nearest_hit():
    events = traced(SentenceWindowRetriever(stored(CHUNKS), 2, merge_overlapping=True), [CHUNKS[1], CHUNKS[5]])
    assert [event for event in events if isinstance(event, Neighbour)] == [
        Neighbour("0", "1", -1),
        Neighbour("2", "1", 1),
        Neighbour("3", "1", 2),
        Neighbour("4", "5", -1),
    ]


def test_a_hit_that_is_not_stored_says_that_its_window_lacks_it():
    absent = Document(id="new", content="x", meta={"source_id": "s", "split_id": 9})
    [event] = traced(SentenceWindowRetriever(stored(CHUNKS), 1), [absent])
    assert str(event) == "widened to 0 stored chunks, of which it is none"


def test_a_hit_without_a_position_has_an_event():
    retriever = SentenceWindowRetriever(stored(CHUNKS), raise_on_missing_meta_fields=False)
    assert traced(retriever, [Document(id="a", content="x")]) == [NotWidened("a", ("split_id", "source_id"))]


def linked(id: str, *links: str) -> Document:
    return Document(id=id, meta={"name": id, "links": list(links)})


def test_links_that_lead_on_back_and_nowhere_are_events():
    docs = [linked("a", "b", "x"), linked("b", "a")]
    events = traced(RecursiveRetriever(stored(docs), "name", ["links"], depth=2), docs[:1])
    assert events == [
        LinkUnmet("a", "links", "x", 1),
        Followed("b", "a", "links", "b", 1, 0),
        LedBack("a", "b", "links", "a", 2),
    ]


def test_a_link_to_itself_is_not_an_event():
    docs = [linked("a", "a")]
    assert traced(RecursiveRetriever(stored(docs), "name", ["links"]), docs) == []


def test_a_hub_with_many_links_to_many_targets_has_one_event_per_target():
    hub = [Document(id=f"h{n}", meta={"name": "hub"}) for n in range(50)]
    docs = [linked(f"o{n}", "hub") for n in range(50)]
    events = traced(RecursiveRetriever(stored([*docs, *hub]), "name", ["links"], top_k=1000), docs)
    assert len(events) == 50


def test_whatever_was_a_hit_and_is_not_in_the_result_has_an_event():
    tree = nodes(balanced(3, 3))
    hits = [hit(leaf, 1 / (1 + place)) for place, leaf in enumerate(leaves_of(tree)[::2])]
    with spaniel.trace() as t:
        merged = AutoMergingRetriever(stored(tree), 0.4, min_score=0.1).run(hits)["documents"]
        found = RecursiveRetriever(stored([]), "name", ["links"], top_k=2).run(merged)["documents"]
    stayed = {document.id for document in found}
    gone = [each.id for each in [*hits, *merged] if each.id not in stayed]
    assert gone
    assert [id for id in gone if not any(isinstance(event, GaveWay | Dropped) for event in t.about(id))] == []
