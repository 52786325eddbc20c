import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.scores import (
    contains,
    deduplicate,
    drop_contained,
    drop_low_scores,
    drop_overlapping_links,
    sort_if_scored,
)
from spaniel.tracing.events import Dropped, Event, Repeated

SPANS = st.lists(
    st.tuples(st.sampled_from(["r", "s"]), st.integers(0, 8), st.integers(1, 4), st.integers(1, 9)), max_size=6
)


def doc(id: str, score: float | None) -> Document:
    return Document(id=id, score=score)


def test_each_document_comes_once_at_its_first_place_with_its_best_score():
    events: list[Event] = []
    found = deduplicate([doc("a", 0.1), doc("b", 0.5), doc("a", 0.9), doc("b", None)], events.append)
    assert [(each.id, each.score) for each in found] == [("a", 0.9), ("b", 0.5)]
    assert events == [Repeated("a"), Repeated("b")]


def test_the_best_come_first_and_equals_stay_as_they_are():
    row = [doc("a", 0.5), doc("b", -1), doc("c", 0.5), doc("d", 2)]
    assert [each.id for each in sort_if_scored(row)] == ["d", "a", "c", "b"]


def test_one_without_a_score_leaves_the_order():
    row = [doc("a", 0.5), doc("b", None), doc("c", 2)]
    assert sort_if_scored(row) == row


@pytest.mark.parametrize(("least", "expected"), [(None, "abc"), (0.5, "bc"), (0.6, "c")])
def test_documents_below_the_least_score_fall_out_those_without_one_stay(least: float | None, expected: str):
    row = [doc("a", 0.4), doc("b", 0.5), doc("c", None)]
    assert "".join(each.id for each in drop_low_scores(row, least, None)) == expected


def test_a_dropped_document_has_an_event():
    events: list[Event] = []
    drop_low_scores([doc("a", 0.4)], 0.5, events.append)
    assert events == [Dropped("a", "score 0.4 is below min_score 0.5", "min_score")]


def piece(root: str, start: int, length: int, score: float | None = 1.0) -> Document:
    meta = {"__root_id": root, "__start": start, "__end": start + length}
    return Document(id=f"{root}{start}-{start + length}", content="", score=score, meta=meta)


def pieces(spans: list[tuple[str, int, int, int]]) -> list[Document]:
    found = [piece(*span) for span in spans]
    return list({document.id: document for document in found}.values())


@given(SPANS)
def test_no_result_holds_another_and_none_is_lost(spans: list[tuple[str, int, int, int]]) -> None:
    documents, events = pieces(spans), list[Event]()
    kept = drop_contained(documents, events.append)
    assert not [(one, other) for one in kept for other in kept if one is not other and contains(one, other)]
    assert all(any(contains(one, document) for one in kept) for document in documents)
    assert {event.about for event in events} == {d.id for d in documents} - {d.id for d in kept}


@given(SPANS)
def test_no_score_is_lost(spans: list[tuple[str, int, int, int]]) -> None:
    documents = pieces(spans)
    kept = drop_contained(documents, lambda _: None)
    for document in documents:
        assert any(contains(whole, document) and whole.score >= document.score for whole in kept)
    assert {document.score for document in kept} <= {document.score for document in documents}


@given(SPANS, SPANS)
def test_originals_stay_and_linked_ones_share_no_text(first: list, second: list) -> None:
    originals = pieces(first)
    ids = {document.id for document in originals}
    documents = [*originals, *(document for document in pieces(second) if document.id not in ids)]
    kept = drop_overlapping_links(documents, originals, lambda _: None)
    linked = [document for document in kept if document.id not in ids]
    assert [document for document in kept if document.id in ids] == originals
    for document in linked:
        others = [other for other in kept if other is not document]
        assert not any(contains(document, other) or contains(other, document) for other in others)


def test_documents_without_a_place_are_left_alone() -> None:
    documents = [Document(id="a", content="x"), Document(id="b", content="x")]
    assert drop_contained(documents, lambda _: None) == documents
    assert drop_overlapping_links(documents, documents[:1], lambda _: None) == documents
