"""The best segments: compared with brute force, and invariants."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies import FetchByKeys, best_segments
from spaniel.strategies.segments import find_best_span
from tests.components.retrievers.trees import leaves_of
from tests.strategies.placed import forests_and_hits, is_slice, overlap, placed, ran

TREE = placed([["a ", "b ", "c ", "d "], ["e ", "f ", "g ", "h "]])
LEAVES = leaves_of(TREE)
FEW = settings(max_examples=80)


def hits(**scores: float) -> list[Document]:
    """Return leaves by their letter, with scores."""
    return [LEAVES["abcdefgh".index(letter)].independent_copy(score=score) for letter, score in scores.items()]


def segments(found: list[Document], stored: list[Document] = TREE, **options: Any) -> list[tuple[str, float]]:
    documents = ran(best_segments(found, **{"length": len} | options), stored)[0]
    return [((document.content or "").strip(), round(document.score or 0, 6)) for document in documents]


def test_leaves_between_two_hits_come_along():
    assert segments(hits(b=1.0, d=1.0)) == [("b c d", 1.4)]


def test_a_segment_crosses_sections():
    assert segments(hits(c=1.0, d=0.5, e=1.0)) == [("c d e", 1.9)]


def test_hits_far_apart_are_two_segments_best_first():
    assert segments(hits(h=1.0, a=0.9)) == [("h", 0.8), ("a", 0.7)]


def test_the_penalty_decides_how_far_apart_is_far():
    assert segments(hits(a=1.0, c=1.0), penalty=0.45) == [("a b c", 0.65)]
    assert segments(hits(a=1.0, c=1.0), penalty=0.6) == [("a", 0.4), ("c", 0.4)]
    assert segments(hits(a=1.0, c=0.5), penalty=0.6) == [("a", 0.4)]


def test_a_hit_that_is_worth_no_penalty_is_left_out():
    assert segments(hits(a=1.0, h=0.1)) == [("a", 0.8)]


def test_a_segment_of_one_leaf_is_that_leaf():
    [leaf] = ran(best_segments(hits(c=2.0)), TREE)[0]
    assert leaf.id == LEAVES[2].id


def test_a_segment_names_its_hits_and_leaves():
    [segment] = ran(best_segments(hits(d=1.0, b=0.9)), TREE)[0]
    assert segment.meta["window_hits"] == ["r.0.3", "r.0.1"]
    assert segment.meta["window_chunks"] == ["r.0.1", "r.0.2", "r.0.3"]


def test_a_merged_section_counts_for_all_its_leaves():
    section = TREE[1].independent_copy(score=1.0)
    assert segments([section, *hits(f=0.9)]) == [("a b c d e f", 3.7)]


def test_bounds_on_number_and_length():
    three = hits(a=1.0, d=0.9, h=0.8)
    options: dict[str, Any] = {"penalty": 0.5}
    assert segments(three, **options) == [("a", 0.5), ("d", 0.4), ("h", 0.3)]
    assert segments(three, max_segments=2, **options) == [("a", 0.5), ("d", 0.4)]
    assert segments(three, per_document=1, **options) == [("a", 0.5)]
    assert segments(three, budget=4, **options) == [("a", 0.5), ("d", 0.4)]
    assert segments(hits(a=1.0, b=1.0, c=1.0), max_length=4) == [("a b", 1.6), ("c", 0.8)]
    assert segments(hits(a=1.0, b=1.0, c=1.0), budget=5) == [("a b", 1.6)]


def test_a_segment_does_not_cross_text_that_is_not_stored():
    stored = [node for node in TREE if node.content != "c "]
    assert segments(hits(b=1.0, d=1.0), stored) == [("b", 0.8), ("d", 0.8)]


def test_a_hit_that_knows_no_root_is_a_segment_by_itself():
    bare = Document(id="bare", content="Bare.", score=1.0)
    assert segments([bare, *hits(a=0.9)]) == [("Bare.", 0.8), ("a", 0.7)]
    assert ran(best_segments([bare]), TREE)[0] == [Document(id="bare", content="Bare.", score=0.8)]


def test_a_hit_that_is_not_stored_is_a_segment_by_itself():
    stored = [node for node in TREE if node.content != "c "]
    assert segments(hits(c=1.0, d=0.9), stored) == [("c", 0.8), ("d", 0.7)]


def test_several_documents_are_one_request():
    other = placed(["x ", "y "], "s")
    asked = ran(best_segments([*hits(a=1.0), other[1].independent_copy(score=1.0)]), [*TREE, *other])[1]
    assert asked == [FetchByKeys({"__root_id": ["r", "s"]})]
    assert ran(best_segments([]), TREE) == ([], [])


def test_a_text_that_is_longer_than_its_leaves_keeps_the_bound():
    def odd(text: str) -> int:
        return len(text) ** 2

    found = ran(best_segments(hits(a=1.0, b=1.0, c=1.0), max_length=17, length=odd), TREE)[0]
    assert [(document.content, odd(document.content or "")) for document in found] == [("a b ", 16), ("c ", 4)]


def test_events_tell_the_segments_and_the_hits_left_out():
    events: list[Any] = []
    ran(best_segments(hits(a=1.0, b=0.5, h=0.1), record=events.append), TREE)
    assert [str(event) for event in events] == [
        "a segment of 2 leaves with 2 hits, worth 1.10",
        f"gave way to {events[0].about[:8]}, which holds it",
        f"gave way to {events[0].about[:8]}, which holds it",
        "dropped: it is worth 0.10 of the best hit, and the penalty of a leaf is 0.2",
    ]


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), max_size=9), st.integers(0, 12), st.data())
def test_the_stretch_is_the_best_of_all(chunks: list[tuple[int, int]], most: int, data: st.DataObject):
    values, lengths = [value for value, _ in chunks], [length for _, length in chunks]
    first = data.draw(st.integers(0, len(chunks)))
    last = data.draw(st.integers(first, len(chunks)))
    every = [
        (sum(values[start:end]), start, end)
        for start, end in combinations(range(first, last + 1), 2)
        if sum(lengths[start:end]) <= most
    ]
    best = max((value for value, _, _ in every), default=0)
    found = find_best_span(values, lengths, first, last, most)
    assert (found is None) == (best <= 0)
    if found is not None:
        assert found[0] == best
        assert found in every


@FEW
@given(
    forests_and_hits(only_leaves=False),
    st.sampled_from([0.0, 0.2, 0.5]),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 3),
)
def test_segments_keep_their_bounds_and_do_not_overlap(
    drawn: tuple[list[Document], list[Document]],
    penalty: float,
    budget: int | None,
    longest: int | None,
    number: int | None,
):
    stored, found = drawn
    steps = best_segments(found, penalty=penalty, budget=budget, max_length=longest, max_segments=number, length=len)
    documents, asked = ran(steps, stored)
    lengths = [len(document.content or "") for document in documents]
    assert budget is None or sum(lengths) <= budget
    assert longest is None or all(length <= longest for length in lengths)
    assert number is None or len(documents) <= number
    assert [(a.id, b.id) for a, b in combinations(documents, 2) if overlap(a, b)] == []
    assert all(is_slice(document, stored) for document in documents)
    scores = [document.score or 0 for document in documents]
    assert all(score > 0 for score in scores)
    assert len(asked) <= 1
    if budget is None and longest is None:
        assert scores == pytest.approx(sorted(scores, reverse=True))
