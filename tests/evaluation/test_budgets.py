"""Passages within a budget of tokens."""

import pytest

from spaniel.evaluation import fill_budget, score_within_budgets


@pytest.mark.parametrize(
    ("tokens", "budget", "places"),
    [
        ([100, 100, 100], 200, [0, 1]),
        ([100, 100], 99, []),
        ([300, 100, 200, 100], 250, [1, 3]),
        ([], 100, []),
    ],
)
def test_a_passage_that_does_not_fit_is_passed_over(tokens, budget, places):
    assert fill_budget(tokens, budget) == places


def test_a_curve_has_a_score_for_each_budget():
    relevant = {2}

    curve = score_within_budgets([50, 100, 70], [50, 120, 180], lambda places: float(relevant <= set(places)))

    assert curve == [0, 1, 0]  # with more tokens the second passage fits, and the third no longer
