"""Paired permutation tests, beside scipy's, complete enumeration and values computed by hand."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from spaniel.evaluation import compare_over_sets, compare_scores, correct_holm


def by_query(values):
    return {str(number): float(value) for number, value in enumerate(values)}


def test_few_differences_are_tested_exactly():
    ours, theirs = by_query([1, 1, 1, 0.5]), by_query([0, 0, 0, 0.5])

    assert compare_scores(ours, theirs).p == 2 / 2**3


def test_no_difference_has_p_1():
    result = compare_scores(by_query([0.3, 0.4]), by_query([0.3, 0.4]))

    assert (result.difference, result.p, result.low, result.high) == (0, 1, 0, 0)


def test_many_differences_are_tested_as_scipy_does():
    random = np.random.default_rng(1)
    ours, theirs = random.random(80) + 0.08, random.random(80)

    expected = scipy.stats.permutation_test(
        (ours, theirs), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=9999, rng=2
    )

    result = compare_scores(by_query(ours), by_query(theirs))
    assert result.difference == pytest.approx(expected.statistic)
    assert result.p == pytest.approx(expected.pvalue, abs=0.015)


def test_the_interval_is_scipys_bootstrap():
    random = np.random.default_rng(3)
    ours, theirs = random.random(80), random.random(80)

    expected = scipy.stats.bootstrap(
        (ours - theirs,), np.mean, confidence_level=0.9, method="percentile", rng=4
    ).confidence_interval

    result = compare_scores(by_query(ours), by_query(theirs))
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=0.004)


def test_each_set_weighs_the_same():
    small, large = [0.5, 0.25], [-0.1] * 9

    result = compare_over_sets([(by_query(values), by_query([0] * len(values))) for values in (small, large)])

    weights = [0.5 / 2] * 2 + [0.5 / 9] * 9
    sums = [
        sum(sign * value * weight for sign, value, weight in zip(signs, [*small, *large], weights, strict=True))
        for signs in product((1, -1), repeat=11)
    ]
    assert result.difference == pytest.approx((0.375 - 0.1) / 2)
    assert result.p == np.mean([abs(total) >= abs(sums[0]) - 1e-12 for total in sums])


def test_the_sign_of_the_difference_does_not_change_p():
    ours, theirs = by_query(np.arange(40) % 7 / 7), by_query(np.arange(40) % 5 / 5)

    assert compare_scores(ours, theirs).p == compare_scores(theirs, ours).p


@pytest.mark.parametrize(("ours", "theirs"), [({}, {}), ({"1": 0.0}, {"2": 0.0}), ({"1": 0.0}, {"1": 0.0, "2": 0.0})])
def test_other_queries_are_refused(ours, theirs):
    with pytest.raises(ValueError, match="the same queries"):
        compare_scores(ours, theirs)


def test_no_sets_are_refused():
    with pytest.raises(ValueError, match="nothing to compare"):
        compare_over_sets([])


def test_holms_correction_by_hand():
    # sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, and never below the one before
    assert correct_holm([0.03, 0.005, 0.04, 0.01]) == pytest.approx([0.06, 0.02, 0.06, 0.03])


def test_a_corrected_p_is_at_most_1():
    assert correct_holm([0.9, 0.8]) == [1.0, 1.0]
