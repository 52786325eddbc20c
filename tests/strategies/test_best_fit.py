"""A budget filled with the best passages: within it, best first, touching texts as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.budgeting.best_fit import fill_budget
from spaniel.strategies.lengths import estimate_tokens
from tests.components.retrievers.trees import leaves_of
from tests.strategies.placed import forests_and_hits, placed, ran

TREE = placed([["One one. ", "Two two. ", "Three. "], ["Four. ", "Five. "]])
LEAF = {leaf.id: leaf for leaf in leaves_of(TREE)}


def fill(*ids: str, budget: int = 99, **options: object) -> list[str]:
    hits = [LEAF[f"r.{id}"] for id in ids]
    documents, texts, tokens = ran(fill_budget(hits, budget=budget, length=len, **options), TREE)[0]  # type: ignore[arg-type]
    assert tokens == sum(map(len, texts)) <= budget
    assert [document.id for document in documents] == [
        id for id in (f"r.{each}" for each in ids) if id in {d.id for d in documents}
    ]
    return texts


def test_a_passage_that_does_not_fit_is_passed_over() -> None:
    assert fill("0.0", "1.0", "0.2", budget=16) == ["One one. ", "Four. "]


def test_touching_passages_are_one_text_at_the_place_of_the_best() -> None:
    assert fill("0.2", "1.1", "0.1") == ["Two two. Three. ", "Five. "]
    assert fill("0.0", "0.2") == ["One one. ", "Three. "]


def test_texts_touch_across_sections() -> None:
    assert fill("1.0", "0.2") == ["Three. Four. "]


@given(forests_and_hits(), st.integers(0, 60))
def test_takes_the_hits_that_a_plain_loop_takes(made: tuple[list[Document], list[Document]], budget: int) -> None:
    stored, hits = made
    hits = [hit for hit in {hit.id: hit for hit in hits}.values() if not hit.meta["__children_ids"]]
    documents, texts, tokens = ran(fill_budget(hits, budget=budget, length=len), stored)[0]
    left, wanted = budget, set[tuple[str, int]]()
    for hit in hits:
        if len(hit.content or "") <= left:
            left -= len(hit.content or "")
            wanted |= {(hit.meta["__root_id"], at) for at in range(hit.meta["__start"], hit.meta["__end"])}
    assert tokens == sum(map(len, texts)) == len(wanted)
    roots = {node.id: node.content or "" for node in stored if node.id == node.meta["__root_id"]}
    for document, text in zip(documents, texts, strict=True):
        assert (document.content or "") in text
        assert text in roots[document.meta["__root_id"]]


LONG = placed([["a" * 800, "b" * 800, "c" * 800, "d" * 800]], "long")
for _number, _leaf in enumerate(leaf for leaf in LONG if not leaf.meta["__children_ids"]):
    _leaf.meta.update({"source_id": "s", "split_id": _number, "page": (_leaf.content or "x")[0]})


def fill_beside_b(budget: int, **options: object) -> str:
    hits = [leaf for leaf in LONG if leaf.meta.get("page") == "b"]
    _, [text], tokens = ran(fill_budget(hits, budget=budget, neighbours=1, **options), LONG)[0]  # type: ignore[arg-type]
    assert tokens == estimate_tokens(text)
    return "".join(dict.fromkeys(text))


@pytest.mark.parametrize(("budget", "expected"), [(799, "b"), (800, "abc")])
def test_neighbours_follow_the_best_hit_from_800_tokens_on(budget: int, expected: str) -> None:
    assert fill_beside_b(budget) == expected


def test_a_neighbour_that_does_not_match_the_filter_is_left_out() -> None:
    assert fill_beside_b(800, filters={"field": "meta.page", "operator": "in", "value": ["b", "c"]}) == "bc"


def test_a_tokenizer_that_needs_more_for_the_whole_keeps_passages_apart() -> None:
    hits = [LEAF["r.0.0"], LEAF["r.0.1"]]
    documents, texts, tokens = ran(fill_budget(hits, budget=9, length=lambda text: len(text) ** 2 // 81 + 1), TREE)[0]
    assert (len(documents), texts, tokens) == (2, ["One one. ", "Two two. "], 4)
