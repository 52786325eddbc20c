"""Credit to parents and windows for the leaves in them."""

from spaniel.evaluation import Span, credit_leaves, find_all, find_contained_leaves, score_rankings

PAGE = {"page": ["a", "b", "c"]}


def test_a_parent_has_the_rank_of_its_leaf():
    ranking = credit_leaves(["x", "page"], {"b": 1}, PAGE)

    assert score_rankings(["RR"], {"1": {"b": 1}}, {"1": ranking}) == {"RR": {"1": 0.5}}


def test_a_parent_has_credit_for_all_leaves_in_it():
    assert credit_leaves(["page"], ["a", "c"], PAGE) == ["a", "c"]


def test_a_leaf_after_its_parent_has_no_credit_but_takes_a_rank():
    ranking = credit_leaves(["page", "a", "d"], ["a", "d"], PAGE)

    assert ranking == ["a", "a", "d"]


def test_a_parent_after_its_leaf_is_credited_for_the_others_only():
    assert credit_leaves(["a", "page"], ["a", "b"], PAGE) == ["a", "b"]


def test_a_passage_without_a_judged_leaf_takes_a_rank():
    assert credit_leaves(["page", "d"], ["d"], PAGE) == ["page", "d"]


def test_a_leaf_is_contained_if_all_of_it_is():
    leaves = {"1": Span("a", 5, 10), "2": Span("a", 4, 10), "3": Span("a", 5, 11), "4": Span("b", 6, 7)}

    assert find_contained_leaves({"w": Span("a", 5, 10)}, leaves) == {"w": ["1"]}


def test_all_found():
    assert find_all(["c", "a", "b"], {"a": 1, "b": 1}) == 1
    assert find_all(["a", "c"], {"a": 1, "b": 1}) == 0
