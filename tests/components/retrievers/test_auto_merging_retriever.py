import logging
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spaniel import Document
from spaniel.components.retrievers import AutoMergingRetriever
from spaniel.core.serialization import allow_deserialization_module
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.components.retrievers.conftest import Way, ids
from tests.components.retrievers.trees import balanced, hit, leaves_of, nodes

# The root r has two blocks, r.0 and r.1, of three leaves each.
TREE = nodes([["One. ", "Two. ", "Three. "], ["Four. ", "Five. ", "Six. "]])
NODE = {node.id: node for node in TREE}


def hits(**scores: float | None) -> list[Document]:
    """Return leaves by their places: ``hits(a1=0.5)`` is the leaf r.0.1 with score 0.5, ``b`` the
    second block.
    """
    return [hit(NODE[f"r.{'ab'.index(name[0])}.{name[1]}"], score) for name, score in scores.items()]


# --- when a parent takes over ---------------------------------------------------------------------


def test_two_of_three_hits_give_way_to_their_parent(way: Way):
    assert way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(a0=1, a1=1)) == ["r.0"]


def test_one_of_three_hits_stays(way: Way):
    assert way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(a1=1)) == ["r.0.1"]


def test_a_share_that_equals_the_threshold_does_not_merge(way: Way):
    store = way.store(nodes(["a", "b"]))
    assert way.ids(AutoMergingRetriever(store, threshold=0.5), documents=[nodes(["a", "b"])[1]]) == ["r.0"]


def test_merging_goes_on_level_by_level(way: Way):
    everything = hits(a0=1, a1=1, b1=1, b2=1)
    assert way.ids(AutoMergingRetriever(way.store(TREE)), documents=everything) == ["r"]


def test_the_parent_comes_with_its_text_and_metadata(way: Way):
    [merged] = way.run(AutoMergingRetriever(way.store(TREE)), documents=hits(a0=1, a1=1))["documents"]
    assert merged.content == "One. Two. Three. "
    assert merged.meta == NODE["r.0"].meta


def test_the_children_of_a_parent_may_be_an_array(way: Way):
    parent = replace(
        NODE["r.0"], meta={**NODE["r.0"].meta, "__children_ids": np.array(NODE["r.0"].meta["__children_ids"])}
    )
    assert way.ids(AutoMergingRetriever(way.store([parent])), documents=hits(a0=1, a1=1)) == ["r.0"]


def test_no_hits_give_no_documents(way: Way):
    assert way.ids(AutoMergingRetriever(way.store(TREE)), documents=[]) == []


def test_a_document_that_was_never_split_passes_through(way: Way):
    alone = Document(content="short", meta={"__level": 0, "__block_size": 0, "__parent_id": None, "__children_ids": []})
    assert way.ids(AutoMergingRetriever(way.store()), documents=[alone, *[]]) == [alone.id]


def test_ten_levels_merge_up_to_the_root(way: Way):
    tree = nodes(balanced(2, 10))
    assert way.ids(AutoMergingRetriever(way.store(tree)), documents=leaves_of(tree)) == ["r"]


def test_leaves_of_several_hierarchies_merge_each_in_its_own(way: Way):
    other = nodes([["a", "b"], ["c", "d"]], "s")
    leaves = leaves_of(other)
    found = way.ids(AutoMergingRetriever(way.store([*TREE, *other])), documents=[*hits(a0=None, a1=None), *leaves])
    assert sorted(found) == ["r.0", "s"]


# --- the same document more than once -------------------------------------------------------------


def test_a_leaf_given_three_times_counts_once(way: Way):
    store = way.store(nodes(["a", "b", "c", "d"]))
    leaf = nodes(["a", "b", "c", "d"])[1]
    assert way.ids(AutoMergingRetriever(store, threshold=0.5), documents=[leaf, leaf, leaf]) == ["r.0"]


@pytest.mark.parametrize("scores", [(0.9, 0.1), (0.1, 0.9), (None, 0.9)])
def test_of_two_copies_the_better_one_is_kept(way: Way, scores: tuple[float | None, float | None]):
    copies = [hit(NODE["r.0.0"], score) for score in scores]
    [kept] = way.run(AutoMergingRetriever(way.store(TREE)), documents=copies)["documents"]
    assert kept.score == 0.9


def test_a_leaf_gives_way_to_its_own_parent_among_the_hits(way: Way):
    both = [hit(NODE["r.0.1"], 0.9), hit(NODE["r.0"], 0.4)]
    [parent] = way.run(AutoMergingRetriever(way.store(TREE)), documents=both)["documents"]
    assert (parent.id, parent.score) == ("r.0", 0.9)


def test_a_short_leaf_beside_the_blocks_gives_way_to_the_root_that_they_merge_into(way: Way):
    tree = nodes(["tail", ["a"], ["b"]])
    found = way.run(AutoMergingRetriever(way.store(tree), 0.5), documents=[hit(leaf, 1.0) for leaf in leaves_of(tree)])
    assert ids(found["documents"]) == ["r"]


def test_a_leaf_far_below_gives_way_to_the_root_that_another_hit_merges_into(way: Way):
    tree = nodes([[[["a", "b", "c"]]]])
    deep = {node.id: node for node in tree}
    assert way.ids(AutoMergingRetriever(way.store(tree), 0.6), documents=[deep["r.0"], deep["r.0.0.0.2"]]) == ["r"]


# --- scores and order -----------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "expected"), [("max", 0.5), ("mean", 0.375), ("sum", 0.75), (None, None)])
def test_a_parents_score_comes_from_its_merged_children(way: Way, score: str | None, expected: float | None):
    retriever = AutoMergingRetriever(way.store(TREE), score=score)
    [merged] = way.run(retriever, documents=hits(a0=0.25, a1=0.5))["documents"]
    assert merged.score == expected


def test_a_grandparents_score_comes_from_its_merged_children(way: Way):
    [root] = way.run(AutoMergingRetriever(way.store(TREE)), documents=hits(a0=0.1, a1=0.2, b0=0.9, b1=0.3))["documents"]
    assert (root.id, root.score) == ("r", 0.9)


def test_results_with_scores_come_best_first(way: Way):
    found = way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(b0=0.5, a0=0.9, a1=0.1))
    assert found == ["r.0", "r.1.0"]


def test_equal_scores_stay_in_the_order_of_the_hits(way: Way):
    assert way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(b0=0.5, a0=0.5)) == ["r.1.0", "r.0.0"]


def test_without_scores_kept_leaves_come_before_merged_parents(way: Way):
    found = way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(a0=None, a1=None, b0=None))
    assert found == ["r.1.0", "r.0"]


def test_one_result_without_a_score_keeps_the_order_without_scores(way: Way):
    found = way.ids(AutoMergingRetriever(way.store(TREE)), documents=hits(a0=0.9, a1=0.9, b0=None))
    assert found == ["r.1.0", "r.0"]


def test_min_score_applies_to_results(way: Way):
    retriever = AutoMergingRetriever(way.store(TREE), min_score=0.5)
    assert way.ids(retriever, documents=hits(a0=0.5, a1=0.1, b0=0.4)) == ["r.0"]


def test_the_hits_themselves_are_not_changed(way: Way):
    given = hits(a0=0.5, a1=0.4)
    way.run(AutoMergingRetriever(way.store(TREE)), documents=given)
    assert given == hits(a0=0.5, a1=0.4)


# --- parents that are not stored, and other bad input ---------------------------------------------


def test_a_missing_parent_is_an_error_that_names_it(way: Way):
    with pytest.raises(
        ValueError, match=r"Expected 1 parent document with id r\.0, found 0.*raise_on_missing_parent=False"
    ):
        way.run(AutoMergingRetriever(way.store()), documents=hits(a0=1))


def test_leaves_of_a_missing_parent_can_be_kept_with_a_warning(way: Way, caplog: pytest.LogCaptureFixture):
    retriever = AutoMergingRetriever(way.store(), raise_on_missing_parent=False)
    with caplog.at_level(logging.WARNING):
        assert way.ids(retriever, documents=hits(a0=None, a1=None)) == ["r.0.0", "r.0.1"]
    assert "Parents that are not in the store: 1, such as r.0." in caplog.text


def test_an_ancestor_above_a_merge_that_is_not_stored_ends_the_climb(way: Way, caplog: pytest.LogCaptureFixture):
    store = way.store([NODE["r.0"]])
    assert way.ids(AutoMergingRetriever(store), documents=hits(a0=1, a1=1)) == ["r.0"]
    assert caplog.text == ""


@pytest.mark.parametrize("key", ["__parent_id", "__level", "__block_size"])
def test_a_missing_hierarchy_key_is_an_error_that_names_it(way: Way, key: str):
    leaf = hit(NODE["r.0.0"])
    del leaf.meta[key]
    with pytest.raises(ValueError, match=f"required meta field '{key}'.*r.0.0"):
        way.run(AutoMergingRetriever(way.store(TREE)), documents=[leaf])


def test_a_parent_without_children_is_an_error(way: Way):
    parent = hit(NODE["r.0"])
    parent.meta["__children_ids"] = []
    with pytest.raises(ValueError, match=r"r\.0 does not have any children"):
        way.run(AutoMergingRetriever(way.store([parent])), documents=hits(a0=1))


def test_parents_in_a_circle_end(way: Way):
    def node(id: str, other: str) -> Document:
        meta = {"__level": 1, "__block_size": 1, "__parent_id": other, "__children_ids": [other]}
        return Document(id=id, content=id, meta=meta)

    a, b = node("a", "b"), node("b", "a")
    assert len(way.ids(AutoMergingRetriever(way.store([a, b])), documents=[a])) == 1


@pytest.mark.parametrize("threshold", [0, 1, -0.5, 1.5])
def test_a_threshold_outside_0_and_1_is_an_error(threshold: float, own_way: Way):
    with pytest.raises(ValueError, match="The threshold parameter must be between 0 and 1"):
        AutoMergingRetriever(own_way.store(), threshold=threshold)


def test_an_unknown_score_names_the_known_ones(own_way: Way):
    with pytest.raises(ValueError, match=r"max.*mean.*sum.*'median'"):
        AutoMergingRetriever(own_way.store(), score="median")


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "message"), [
    ({"rule": "best"}, "rule must be one of .*, got 'best'"),
    ({"share": "words"}, "share must be one of .*, got 'words'"),
    ({"rule": "hichunk"}, "budget must be given for rule .hichunk."),
    ({"budget": 5}, "budget must be given for rule .hichunk."),
    ({"rule": "hichunk", "budget": 0}, "budget must be greater than 0"),
    ({"level_thresholds": [0.5]}, "level_thresholds must map levels"),
    ({"level_thresholds": {"root": 0.5}}, "level_thresholds must map levels"),
    ({"level_thresholds": {0: 1.5}}, r"level_thresholds\[0\] must be from 0 to 1, got 1.5"),
    ({"tokenizer": 5}, "A tokenizer must be a callable"),
    ({"tokenizer": "nothing"}, "must be one of"),
])  # fmt: skip
def test_an_option_that_is_out_of_its_range_is_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        AutoMergingRetriever(InMemoryDocumentStore(), **options)


def test_levels_that_json_made_text_are_read():
    retriever = AutoMergingRetriever(InMemoryDocumentStore(), level_thresholds={"0": 0.9})  # type: ignore[dict-item]
    assert retriever.level_thresholds == {0: 0.9}


def test_a_tokenizer_that_is_a_function_is_written_by_its_name():
    retriever = AutoMergingRetriever(InMemoryDocumentStore(), rule="hichunk", budget=9, tokenizer=textwrap.wrap)
    data = retriever.to_dict()
    assert data["init_parameters"]["tokenizer"] == "textwrap.wrap"
    allow_deserialization_module("textwrap")
    assert AutoMergingRetriever.from_dict(data).tokenizer is textwrap.wrap


def test_hichunk_merges_while_there_is_budget(way: Way):
    store = way.store(TREE)
    pairs = hits(a0=4, a1=3, b0=2, b1=1)
    options = {"rule": "hichunk", "tokenizer": len}
    assert way.ids(AutoMergingRetriever(store, budget=40, **options), documents=pairs) == ["r"]
    assert way.ids(AutoMergingRetriever(store, budget=30, **options), documents=pairs) == ["r.0", "r.1.0", "r.1.1"]
    assert way.ids(AutoMergingRetriever(store, budget=10, **options), documents=pairs) == [
        "r.0.0",
        "r.0.1",
        "r.1.0",
        "r.1.1",
    ]
