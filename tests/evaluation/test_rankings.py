"""Measures of rankings, beside pytrec_eval itself and values computed by hand."""

import math

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from spaniel.evaluation import mean_scores, score_rankings
from spaniel.evaluation.rankings import parse_measure

IDS = st.sampled_from("abcdefghij")
JUDGMENTS = st.dictionaries(st.sampled_from("123"), st.dictionaries(IDS, st.integers(0, 3), min_size=1), min_size=1)
RANKINGS = st.dictionaries(st.sampled_from("123"), st.lists(IDS, unique=True))


@given(JUDGMENTS, RANKINGS)
def test_scores_are_those_of_pytrec_eval(judgments, rankings):
    runs = {id: {doc: 1 / (1 + rank) for rank, doc in enumerate(found)} for id, found in rankings.items()}
    names = {"nDCG@5": "ndcg_cut_5", "R@5": "recall_5", "RR": "recip_rank", "AP": "map"}
    theirs = pytrec_eval.RelevanceEvaluator(judgments, {"ndcg_cut.5", "recall.5", "recip_rank", "map"}).evaluate(runs)

    ours = score_rankings(list(names), judgments, rankings)

    for name, their_name in names.items():
        for query in judgments:
            assert ours[name][query] == pytest.approx(theirs.get(query, {}).get(their_name, 0.0))


def test_ndcg_by_hand():
    scores = score_rankings(["nDCG@10"], {"1": {"a": 1, "b": 1}}, {"1": ["x", "a", "b"]})

    ideal = 1 + 1 / math.log2(3)
    assert scores["nDCG@10"]["1"] == pytest.approx((1 / math.log2(3) + 1 / 2) / ideal)


def test_a_query_without_a_ranking_scores_0():
    assert score_rankings(["RR@10"], {"1": {"a": 1}}, {}) == {"RR@10": {"1": 0.0}}


def test_a_query_without_judgments_is_left_out():
    assert score_rankings(["RR"], {"1": {"a": 1}}, {"1": ["a"], "2": ["a"]}) == {"RR": {"1": 1.0}}


def test_a_repeated_id_counts_once():
    scores = score_rankings(["RR", "R@2"], {"1": {"a": 1, "b": 1}}, {"1": ["a", "a", "b"]})

    assert scores == {"RR": {"1": 1.0}, "R@2": {"1": 1.0}}


@pytest.mark.parametrize(
    "name",
    ["nDCG", "nDCG@10", "R@100", "RR", "P(rel=2)@5", "nDCG(dcg='exp-log2')@20", "AP(rel=2)", "RBP(p=0.8)", "Rprec"],
)
def test_the_notation_is_that_of_ir_measures(name):
    assert parse_measure(name) == ir_measures.parse_measure(name)


@pytest.mark.parametrize(
    "name", ["nDGC@10", "nDCG@", "R@'x'", "", "1 + 1", "R@10@5", "R(x=1)@5", "P(2)@5", "P(rel=[2)@5"]
)
def test_an_unknown_measure_is_refused(name):
    with pytest.raises(ValueError, match="is not a measure"):
        score_rankings([name], {"1": {"a": 1}}, {})


def test_the_mean_of_no_queries_is_0():
    assert mean_scores({"RR": {}}) == {"RR": 0.0}
