"""Contexts within a budget: compared with brute force, and invariants."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies import FetchByIds, FetchByKeys, context_budget
from spaniel.strategies.budgeting.knapsack import Interval, choose_intervals
from spaniel.strategies.budgeting.units import KIND_UTILITIES, find_units
from spaniel.strategies.windows.limits import WindowLimits
from tests.strategies.placed import forests_and_hits, is_slice, overlap, placed, ran

TREE = placed([["One. ", "Two. ", "Three. "], ["Four. ", "Five. "]])
LEAF = {node.id: node for node in TREE}
FEW = settings(max_examples=80)


def hit(id: str, score: float | None = 1.0) -> Document:
    return LEAF[f"r.{id}"].independent_copy(score=score)


def chosen(hits: list[Document], budget: int, stored: list[Document] = TREE, **options: Any) -> list[str | None]:
    documents, tokens = ran(context_budget(hits, budget=budget, length=len, **options), stored)[0]
    assert tokens == sum(len(document.content or "") for document in documents) <= budget
    return [document.content for document in documents]


# --- which text stands for a hit ------------------------------------------------------------------


@pytest.mark.parametrize(("budget", "expected"), [
    (0, []), (6, []), (7, ["Three. "]), (16, ["Three. "]), (17, ["One. Two. Three. "]), (28, ["One. Two. Three. "]),
    (29, ["One. Two. Three. Four. Five. "]),
])  # fmt: skip
def test_the_more_room_the_more_context(budget: int, expected: list[str]):
    assert chosen([hit("0.2")], budget) == expected


def test_a_window_stands_for_its_hit():
    assert chosen([hit("0.2")], 18, worth={"leaf": 1, "window": 1.2}) == ["Two. Three. Four. "]
    assert chosen([hit("0.2")], 17, worth={"leaf": 1, "window": 1.2}) == ["Three. "]


def test_a_unit_with_the_text_of_a_hit_is_the_hit():
    alone = placed([["Only. "], ["More. "]])
    found = ran(context_budget([alone[2].independent_copy(score=1.0)], budget=6, length=len), alone)[0]
    assert [document.id for document in found[0]] == ["r.0.0"]


def test_a_section_stands_for_its_hits():
    assert chosen([hit("0.1")], 18, worth={"leaf": 1, "section": 2}) == ["One. Two. Three. "]


def test_only_kinds_with_a_worth_are_considered():
    assert chosen([hit("0.2")], 99, worth={"leaf": 1}) == ["Three. "]
    assert chosen([hit("0.2")], 16, worth={"section": 1}) == []


def test_two_better_hits_go_before_the_context_of_one():
    three = [hit("0.0", 5.0), hit("0.2", 4.0), hit("1.1", 3.0)]
    assert chosen(three, 18, worth={"leaf": 1, "window": 1.2}) == ["One. ", "Three. ", "Five. "]


def test_one_text_may_stand_for_several_hits():
    [text] = chosen([hit("0.0"), hit("0.2"), hit("1.1")], 29)
    assert text == "One. Two. Three. Four. Five. "


def test_a_hit_that_knows_no_root_stands_for_itself():
    bare = Document(id="bare", content="Bare.", score=2.0)
    assert chosen([bare, hit("0.0")], 10, worth={"leaf": 1}) == ["Bare.", "One. "]


def test_scores_that_are_missing_or_below_0_let_the_ranks_count():
    assert chosen([hit("0.0", -1.0), hit("0.1", -2.0)], 5, worth={"leaf": 1}) == ["One. "]
    assert chosen([hit("0.1", None), hit("0.0", 9.0)], 5, worth={"leaf": 1}) == ["Two. "]


def test_a_document_may_cost_more_than_its_text():
    found, tokens = ran(
        context_budget([hit("0.0"), hit("0.1")], budget=14, length=len, worth={"leaf": 1}, overhead=3), TREE
    )[0]
    assert ([document.id for document in found], tokens) == (["r.0.0"], 8)


def test_the_result_may_be_in_the_order_of_the_text():
    three = [hit("1.1", 5.0), hit("0.0", 4.0), hit("0.2", 3.0)]
    assert chosen(three, 18, worth={"leaf": 1}) == ["Five. ", "One. ", "Three. "]
    assert chosen(three, 18, worth={"leaf": 1}, order="text") == ["One. ", "Three. ", "Five. "]


def test_a_window_keeps_to_its_bounds():
    for node in TREE:
        node.meta["part"] = node.id[:3]
    assert chosen([hit("0.2")], 99, worth={"window": 1}, bounded_by=["part"]) == ["Two. Three. "]


def test_a_window_over_text_that_is_not_stored_is_not_considered():
    stored = [node for node in TREE if node.id != "r.0.1"]
    assert chosen([hit("0.2")], 99, stored, worth={"window": 1}) == ["Three. Four. "]


def test_leaves_that_overlap_come_as_one():
    def piece(id: str, start: int, end: int) -> Document:
        meta = {"__root_id": "p", "__parent_id": "p", "__children_ids": [], "__start": start, "__end": end}
        return Document(id=id, content="abcdefghij"[start:end], meta=meta, score=1.0)

    pieces = [piece("a", 0, 5), piece("b", 3, 8)]
    assert chosen(pieces, 9, pieces, worth={"leaf": 1, "window": 1.2}) == ["abcdefgh"]
    assert chosen(pieces, 7, pieces, worth={"leaf": 1, "window": 1.2}) == ["abcde"]


def test_each_kind_of_expansion_is_one_request_at_most():
    other = placed([["a", "b"], ["c"]], "s")
    hits = [hit("0.0"), hit("1.1"), *other[2:4]]
    asked = ran(context_budget(hits, budget=99), [*TREE, *other])[1]
    assert asked == [FetchByKeys({"__root_id": ["r", "s"]}), FetchByIds(["r.0", "r", "r.1", "s.0", "s"])]
    assert ran(context_budget(hits, budget=99, worth={"leaf": 1}), TREE)[1] == []
    assert ran(context_budget([], budget=99), TREE)[1] == []


def test_events_name_the_chosen_and_the_dropped_documents():
    events: list[Any] = []
    hits = [hit("0.2", 2.0), hit("1.1", 1.0)]
    ran(context_budget(hits, budget=18, length=len, worth={"leaf": 1, "window": 2}, record=events.append), TREE)
    window = events[0].about
    assert [(event.about, str(event)) for event in events] == [
        (window, "chosen as window for 1 hits: 18 tokens for a value of 4"),
        ("r.0.2", f"gave way to {window[:8]}, which holds it"),
        ("r.1.1", "dropped: over budget: it needs 6 tokens, and 18 of 18 are spent for more score"),
        ("", "18 of 18 tokens are spent on 1 documents"),
    ]


# --- the choice -----------------------------------------------------------------------------------

INTERVALS = st.lists(
    st.builds(
        lambda line, start, size, cost, value: Interval(line, start, start + size, cost, float(value)),
        st.integers(0, 1), st.integers(0, 8), st.integers(1, 5), st.integers(0, 9), st.integers(0, 9),
    ),
    max_size=9,
)  # fmt: skip


def apart(some: Sequence[Interval]) -> bool:
    return all(a.line != b.line or a.end <= b.start or b.end <= a.start for a, b in combinations(some, 2))


def best_of_all(intervals: list[Interval], capacity: int) -> tuple[float, int]:
    """Return the most value that any choice brings, and how many intervals it has, by trying all."""
    choices = [some for size in range(len(intervals) + 1) for some in combinations(intervals, size) if apart(some)]
    fitting = [some for some in choices if sum(each.cost for each in some) <= capacity]
    return max((sum(each.value for each in some), -len(some)) for some in fitting)


@settings(max_examples=300)
@given(INTERVALS, st.integers(0, 25))
def test_the_choice_is_the_best_of_all(intervals: list[Interval], capacity: int):
    found = [intervals[at] for at in choose_intervals(intervals, capacity)]
    assert apart(found)
    assert sum(each.cost for each in found) <= capacity
    assert sum(each.value for each in found) == best_of_all(intervals, capacity)[0]


@settings(max_examples=200)
@given(INTERVALS, st.integers(0, 40), st.integers(20, 90))
def test_a_coarse_choice_is_as_good_as_it_says(intervals: list[Interval], capacity: int, cells: int):
    found = [intervals[at] for at in choose_intervals(intervals, capacity, max_cells=cells)]
    assert apart(found)
    assert sum(each.cost for each in found) <= capacity
    step = max(1, -(-((capacity + 1) * (len(intervals) + 1)) // cells))
    for size in range(len(intervals) + 1):
        for some in combinations(intervals, size):
            if apart(some) and sum(each.cost for each in some) <= capacity - size * step:
                assert sum(each.value for each in found) >= sum(each.value for each in some)


@FEW
@given(
    forests_and_hits(only_leaves=False),
    st.integers(0, 70),
    st.integers(0, 2),
    st.integers(0, 3),
    st.sampled_from(["score", "text"]),
    st.sets(st.sampled_from(sorted(KIND_UTILITIES)), min_size=1),
)
def test_a_budget_is_never_exceeded_and_no_text_comes_twice(
    drawn: tuple[list[Document], list[Document]], budget: int, size: int, overhead: int, order: str, kinds: set[str]
):
    stored, hits = drawn
    worth = {kind: KIND_UTILITIES[kind] for kind in sorted(kinds)}
    steps = context_budget(
        hits, budget=budget, length=len, worth=worth, window_size=size, overhead=overhead, order=order
    )
    (found, tokens), asked = ran(steps, stored)
    assert tokens == sum(len(document.content or "") + overhead for document in found) <= budget
    assert [(a.id, b.id) for a, b in combinations(found, 2) if overlap(a, b)] == []
    assert all(is_slice(document, stored) for document in found)
    assert len(asked) <= 2


@FEW
@given(forests_and_hits(most=1), st.integers(0, 60))
def test_the_value_is_the_best_of_all_units(drawn: tuple[list[Document], list[Document]], budget: int):
    stored, hits = drawn
    hits = hits[:3]
    events: list[Any] = []
    ran(context_budget(hits, budget=budget, length=len, record=events.append), stored)
    value = sum(event.value for event in events if type(event).__name__ == "Chosen")
    candidates = [
        Interval(0, unit.start, max(unit.end, unit.start + 1), len(unit.document.content or ""),
                 KIND_UTILITIES[unit.kind] * sum(held.score or 0 for held in unit.hits))
        for unit in ran(find_units(hits, KIND_UTILITIES, WindowLimits(1, 1)), stored)[0]
    ]  # fmt: skip
    assert value == pytest.approx(best_of_all(candidates, budget)[0])


@FEW
@given(forests_and_hits(), st.integers(0, 60), st.randoms(use_true_random=False))
def test_the_order_of_metadata_and_of_the_store_does_not_matter(
    drawn: tuple[list[Document], list[Document]], budget: int, chance: Any
):
    stored, hits = drawn

    def shuffled(document: Document) -> Document:
        items = list(document.meta.items())
        chance.shuffle(items)
        return document.independent_copy(meta=dict(items))

    first = ran(context_budget(hits, budget=budget, length=len), stored)[0]
    again = ran(
        context_budget(list(map(shuffled, hits)), budget=budget, length=len), list(map(shuffled, stored))[::-1]
    )[0]
    assert [document.content for document in first[0]] == [document.content for document in again[0]]
    assert first[1] == again[1]
