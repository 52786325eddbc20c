"""Results that repeat each other's text."""

from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.deduplication import contains, drop_contained, drop_overlapping_links
from spaniel.tracing.events import Event

SPANS = st.lists(
    st.tuples(st.sampled_from(["r", "s"]), st.integers(0, 8), st.integers(1, 4), st.integers(1, 9)), max_size=6
)


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
