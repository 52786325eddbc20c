"""Sums of rescaled scores, beside a plain computation."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.score_fusion import (
    RESCALINGS,
    add_scores,
    normalize_weights,
    rescale_by_deviation,
    rescale_rankings,
)

numbers = st.floats(-1e6, 1e6)
lists = st.lists(st.tuples(st.sampled_from("abcdef"), numbers), max_size=6, unique_by=lambda pair: pair[0])


def ranked(pairs):
    return [Document(id=id, score=score) for id, score in sorted(pairs, key=lambda pair: -pair[1])]


@given(st.lists(numbers, min_size=2, max_size=9))
def test_the_mean_becomes_a_half_and_three_deviations_the_ends(scores):
    deviation = statistics.pstdev(scores)
    if deviation < 1e-6:
        return
    for score, rescaled in zip(scores, rescale_by_deviation(scores), strict=True):
        expected = 0.5 + (score - statistics.fmean(scores)) / (6 * deviation)
        assert rescaled == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("method", "equal"), [("dbsf", 0.5), ("min_max", 1.0)])
def test_equal_scores_are_rescaled_to_one_number(method, equal):
    assert RESCALINGS[method]([12.0, 12.0]) == [equal, equal]
    assert RESCALINGS[method]([7.0]) == [equal]


@given(lists, lists, st.sampled_from(["dbsf", "min_max", "rrf"]))
def test_a_score_is_the_weighted_sum_of_its_parts(first, second, method):
    rankings = [ranked(first), ranked(second)]
    parts = rescale_rankings(rankings, [3, 1], method=method)
    for document in add_scores(rankings, [3, 1], method=method):
        expected = sum(part.get(document.id, 0.0) for part in parts)
        assert document.score == pytest.approx(expected, abs=1e-12)
    for ranking, part, weight in zip(rankings, parts, (0.75, 0.25), strict=True):
        rescaled = RESCALINGS[method]([document.score for document in ranking]) if ranking else []
        assert [part[document.id] for document in ranking] == pytest.approx([weight * score for score in rescaled])


@given(lists, lists)
def test_documents_come_once_and_best_first(first, second):
    fused = add_scores([ranked(first), ranked(second)])
    assert {document.id for document in fused} == {id for id, _ in [*first, *second]}
    assert [document.score for document in fused] == sorted((document.score for document in fused), reverse=True)


@pytest.mark.parametrize(
    ("weights", "said"),
    [([1], "2 searches but 1 weights"), ([0, 0], "all 0"), ([1, -1], "negative"), ([math.nan, 1], "NaN")],
)
def test_bad_weights_are_an_error(weights, said):
    with pytest.raises(ValueError, match=said):
        normalize_weights(weights, 2)
