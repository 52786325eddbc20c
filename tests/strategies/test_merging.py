"""The options of auto-merging, each by its effect, and HiChunk's rule against a naive reading of
it.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies import FetchByIds, merge_up
from spaniel.strategies.merging.share import count_covered_characters
from spaniel.tracing import Stage
from spaniel.tracing.events import KeptApart, Merged
from tests.components.retrievers.trees import ancestors, balanced, leaves_of
from tests.strategies.placed import forests_and_hits, is_slice, overlap, placed, ran

TREE = placed([["aaaaaaaa", "b", "c"], ["d", "e", "f"]])
NODE = {node.id: node for node in TREE}
FEW = settings(max_examples=80)


def hits(*places: str, score: float | None = 1.0) -> list[Document]:
    return [NODE[f"r.{place}"].independent_copy(score=score) for place in places]


def merged(documents: list[Document], stored: list[Document] = TREE, **options: Any) -> list[str]:
    return [document.id for document in ran(merge_up(documents, **options), stored)[0]]


def test_a_share_of_text_counts_characters():
    assert merged(hits("0.0"), share="text", level_thresholds={0: 1.0}) == ["r.0"]
    assert merged(hits("0.1", "0.2"), share="text") == ["r.0.1", "r.0.2"]
    assert merged(hits("0.1", "0.2")) == ["r.0"]


def test_characters_that_leaves_share_count_once():
    def piece(id: str, start: int, end: int) -> Document:
        meta = {"__root_id": "p", "__parent_id": "p", "__children_ids": [], "__level": 1, "__block_size": 6}
        return Document(id=id, content="x" * (end - start), meta=meta | {"__start": start, "__end": end})

    meta = {"__parent_id": None, "__children_ids": list("abc"), "__level": 0, "__block_size": 12}
    parent = Document(id="p", content="x" * 12, meta=meta | {"__root_id": "p", "__start": 0, "__end": 12})
    overlapping = [piece("a", 0, 6), piece("b", 2, 6)]
    assert merged(overlapping, [parent], share="text", threshold=0.5) == ["a", "b"]
    assert merged(overlapping, [parent], share="text", threshold=0.49) == ["p"]


def test_texts_without_offsets_count_by_their_length():
    bare = [Document(id=node.id, content=node.content, meta=dict(node.meta)) for node in TREE]
    for node in bare:
        del node.meta["__start"]
    assert merged([bare[2]], bare, share="text", level_thresholds={0: 1.0}) == ["r.0"]


def test_min_children_keeps_a_lone_hit_apart():
    two = placed([["a", "b"], ["c"]])
    lone = [node for node in two if node.id in ("r.1.0", "r.0.0")]
    assert merged(lone, two, threshold=0.4) == ["r"]
    assert merged(lone, two, threshold=0.4, min_children=2) == ["r.0.0", "r.1.0"]


def test_a_level_may_have_a_threshold_of_its_own():
    everywhere = hits("0.0", "0.1", "1.0", "1.1")
    assert merged(everywhere) == ["r"]
    assert merged(everywhere, level_thresholds={0: 1.0}) == ["r.0", "r.1"]
    assert merged(everywhere, level_thresholds={1: 0.9}) == ["r.0.0", "r.0.1", "r.1.0", "r.1.1"]
    assert merged(hits("0.0"), level_thresholds={1: 0.0, 0: 0.0}) == ["r"]


@pytest.mark.parametrize(("score", "expected"), [
    ("max", 4.0), ("mean", 7 / 3), ("sum", 7.0), ("top_k_mean", 3.0), (None, None),
])  # fmt: skip
def test_a_parents_score_comes_from_its_children(score: str | None, expected: float | None):
    three = [NODE[f"r.0.{place}"].independent_copy(score=value) for place, value in enumerate([1.0, 4.0, 2.0])]
    [parent] = ran(merge_up(three, score=score, score_k=2, level_thresholds={0: 1.0}), TREE)[0]
    assert parent.score == (None if expected is None else pytest.approx(expected))


def test_a_missing_score_does_not_pull_a_mean_down():
    two = [*hits("0.0", score=2.0), *hits("0.1", score=None)]
    [parent] = ran(merge_up(two, score="top_k_mean", level_thresholds={0: 1.0}), TREE)[0]
    assert parent.score == 2.0


def test_leaves_of_several_hierarchies_merge_in_one_call_each_on_its_own():
    other = placed([["x", "y", "z"]], "s")
    found = merged([*hits("0.0", "0.1"), *leaves_of(other)[:1]], [*TREE, *other])
    assert set(found) == {"r.0", "s.0.0"}


@pytest.mark.parametrize("rule", [{}, {"rule": "hichunk", "budget": 10_000}])
def test_ten_levels_ask_at_most_once_a_level(rule: dict[str, Any]):
    tree = placed(balanced(2, 10))
    found, asked = ran(merge_up(leaves_of(tree), **rule), tree)
    assert [document.id for document in found] == ["r"]
    assert len(asked) == 10
    assert all(isinstance(request, FetchByIds) for request in asked)


@pytest.mark.parametrize("options", [{"rule": "hichunk", "budget": 99}, {"share": "text"}])
def test_a_parent_without_text_takes_no_places_by_text(options: dict[str, Any]):
    meta = {"__level": 1, "__block_size": 1, "__parent_id": "p", "__children_ids": []}
    two = [Document(id=id, content="text", meta=dict(meta)) for id in "ab"]
    above = {"__level": 0, "__block_size": 2, "__parent_id": None, "__children_ids": ["a", "b"]}
    assert merged(two, [Document(id="p", meta=above)], **options) == ["a", "b"]


def test_hichunk_over_thousands_of_overlapping_leaves_looks_at_them_a_few_times(monkeypatch: pytest.MonkeyPatch):
    meta = {"__root_id": "p", "__level": 1, "__block_size": 20}
    leaves = [
        Document(id=str(at), content="x" * 20, score=1.0,
                 meta=meta | {"__parent_id": "p", "__children_ids": [], "__start": 10 * at, "__end": 10 * at + 20})
        for at in range(3000)
    ]  # fmt: skip
    above = {"__parent_id": None, "__level": 0, "__children_ids": [leaf.id for leaf in leaves], "__start": 0}
    parent = Document(id="p", content="x" * 30_010, meta=meta | above | {"__end": 30_010})
    looked: list[int] = []

    def counted(documents: list[Document]) -> int:
        looked.append(len(documents))
        return count_covered_characters(documents)

    monkeypatch.setattr("spaniel.strategies.merging.hichunk.count_covered_characters", counted)
    assert merged(leaves, [parent], rule="hichunk", budget=100_000) == ["p"]
    assert len(looked) < 30


# --- the events -----------------------------------------------------------------------------------


def reasons(documents: list[Document], **options: Any) -> list[str]:
    stage = Stage("merge", {})
    ran(merge_up(documents, record=stage.record, **options), TREE)
    return [str(event) for event in stage.events if isinstance(event, (Merged, KeptApart))]


def test_events_have_the_figures_of_the_text():
    assert reasons(hits("0.0"), share="text", threshold=0.7) == [
        "merged from 1 of its 3 children (8 of 10 characters, 0.80 > 0.7)",
        "merged from 1 of its 2 children (10 of 13 characters, 0.77 > 0.7)",
    ]
    assert reasons(hits("0.1"), share="text") == [
        "kept apart: 1 of 3 children of its parent (1 of 10 characters, 0.10 <= 0.5)"
    ]
    assert reasons(hits("0.0"), min_children=2) == ["kept apart: 1 of 3 children of its parent (min_children is 2)"]


def test_events_have_the_figures_of_hichunk():
    budget = {"rule": "hichunk", "length": len}
    assert reasons(hits("0.0", "0.1"), budget=10, **budget) == [
        "merged from 2 of its 3 children (9 of 10 characters, 0.60 needed)",
        "kept apart: 1 of 2 children of its parent (a child alone)",
    ]
    assert reasons(hits("0.0"), budget=10, **budget) == ["kept apart: 1 of 3 children of its parent (a child alone)"]
    assert reasons(hits("0.0", "0.1"), budget=9, **budget)[0].endswith(
        "(9 of 10 characters, 0.63 needed; it would make 10 of 9 tokens)"
    )


# --- HiChunk --------------------------------------------------------------------------------------


def naive_hichunk(stored: list[Document], documents: list[Document], budget: int) -> set[str]:
    """Return the ids that the rule leaves, by its definition: whole lists at every step."""
    by_id = {node.id: node for node in stored}
    size = {node.id: len(node.content or "") for node in stored}
    taken: list[str] = []

    def used() -> int:
        return sum(size[id] for id in taken)

    for place, hit in enumerate(documents):
        if used() >= budget:
            taken += [late.id for late in documents[place:] if not {*ancestors(late.id)} & {*taken}]
            break
        if {hit.id, *ancestors(hit.id)} & {*taken}:
            continue
        before = used()
        taken = [id for id in taken if hit.id not in ancestors(id)] + [hit.id]
        for parent in ancestors(hit.id):
            parts = [id for id in taken if parent in ancestors(id)]
            children = [id for id in parts if by_id[id].meta["__parent_id"] == parent]
            enough = sum(size[id] for id in children) >= size[parent] / 3 * (1 + before / budget)
            fits = used() - sum(size[id] for id in parts) + size[parent] <= budget
            if len(children) < 2 or not enough or not fits:
                break
            taken = [id for id in taken if id not in parts] + [parent]
            before = used()
    return {id for id in taken if not {*ancestors(id)} & {*taken}}


@FEW
@given(forests_and_hits(only_leaves=False), st.integers(1, 90))
def test_hichunk_equals_its_definition(drawn: tuple[list[Document], list[Document]], budget: int):
    stored, documents = drawn
    found = merged(documents, stored, rule="hichunk", budget=budget, length=len)
    assert set(found) == naive_hichunk(stored, documents, budget)


@FEW
@given(forests_and_hits(only_leaves=False), st.integers(1, 90))
def test_hichunk_makes_nothing_dearer_than_the_budget(drawn: tuple[list[Document], list[Document]], budget: int):
    stored, documents = drawn
    found = ran(merge_up(documents, rule="hichunk", budget=budget, length=len), stored)[0]
    cost = sum(len(document.content or "") for document in found)
    assert cost <= max(budget, sum(len(document.content or "") for document in documents))


OPTIONS = st.one_of(
    st.fixed_dictionaries(
        {
            "threshold": st.sampled_from([0.2, 0.5, 0.8]),
            "share": st.sampled_from(["children", "text"]),
            "min_children": st.integers(1, 3),
            "level_thresholds": st.none() | st.dictionaries(st.integers(0, 3), st.sampled_from([0.0, 0.4, 1.0])),
        }
    ),
    st.fixed_dictionaries({"rule": st.just("hichunk"), "budget": st.integers(1, 90), "length": st.just(len)}),
)


@FEW
@given(forests_and_hits(only_leaves=False), OPTIONS)
def test_no_hit_is_lost_no_text_comes_twice_and_every_result_is_a_slice(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any]
):
    stored, documents = drawn
    found, asked = ran(merge_up(documents, **options), stored)
    ids = {document.id for document in found}
    assert [each.id for each in documents if not {each.id, *ancestors(each.id)} & ids] == []
    assert [(a.id, b.id) for a in found for b in found if a.id != b.id and overlap(a, b)] == []
    assert all(is_slice(document, stored) for document in found)
    assert len(asked) <= max((node.meta["__level"] for node in stored), default=0)


@FEW
@given(forests_and_hits(only_leaves=False), OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_metadata_and_of_the_store_does_not_matter(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any], chance: Any
):
    stored, documents = drawn

    def shuffled(document: Document) -> Document:
        items = list(document.meta.items())
        chance.shuffle(items)
        return document.independent_copy(meta=dict(items))

    first = ran(merge_up(documents, **options), stored)[0]
    again = ran(merge_up([shuffled(each) for each in documents], **options), [shuffled(each) for each in stored][::-1])[
        0
    ]
    assert first == again
