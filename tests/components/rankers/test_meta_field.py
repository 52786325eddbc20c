from datetime import UTC, datetime

import numpy as np
import pytest
from haystack.components.rankers import MetaFieldRanker as ReferenceRanker
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.rankers import MetaFieldRanker
from tests.components.pairs import Spec, documents, ours, shown, theirs

NUMBERS = st.integers(-2, 3) | st.sampled_from([0.5, 1.0, True])
STRINGS = st.sampled_from(["1", "2.5", "-3", "x", "2024-05-01", "1999-12-31T10:00", "Friday", ""])
ANY_VALUES = st.none() | NUMBERS | STRINGS | st.lists(st.integers(0, 2), max_size=2) | st.just({})


def metas(values):
    return st.fixed_dictionaries({}, optional={"rating": values})


DOCUMENTS = st.one_of(*(documents(metas(values)) for values in (st.none() | NUMBERS, st.none() | STRINGS, ANY_VALUES)))
CHOICES = {
    "weight": st.sampled_from([0, 0.3, 0.5, 1, 1.0]),
    "top_k": st.none() | st.integers(1, 4),
    "ranking_mode": st.sampled_from(["reciprocal_rank_fusion", "linear_score"]),
    "sort_order": st.sampled_from(["ascending", "descending"]),
    "missing_meta": st.sampled_from(["drop", "top", "bottom"]),
    "meta_value_type": st.sampled_from([None, "float", "int", "date"]),
}
BAD = {
    "weight": 1.5,
    "top_k": 0,
    "ranking_mode": "sum",
    "sort_order": "up",
    "missing_meta": "keep",
    "meta_value_type": "str",
}
SETTINGS = st.fixed_dictionaries({}, optional=CHOICES)


def outcome(ranker_class, given, init, run):
    try:
        return shown(ranker_class("rating", **init).run(given, **run)["documents"])
    except ValueError:
        return ValueError


def both(specs, init=None, run=None):
    init, run = init or {}, run or {}
    return outcome(ReferenceRanker, theirs(specs), init, run), outcome(MetaFieldRanker, ours(specs), init, run)


@given(DOCUMENTS, SETTINGS, SETTINGS)
def test_it_ranks_as_haystack_does(specs, init, run):
    expected, found = both(specs, init, run)
    assert found == expected


@pytest.mark.parametrize("name", CHOICES)
def test_rejects_the_same_parameters_as_haystack(name):
    specs = [Spec("a", meta={"rating": 1})]
    assert both(specs, init={name: BAD[name]}) == (ValueError, ValueError)
    assert both(specs, run={name: BAD[name]}) == (ValueError, ValueError)
    assert both([], run={name: BAD[name]}) == ([], [])


@pytest.mark.parametrize("missing_meta", ["top", "bottom"])
def test_a_score_of_exactly_zero_is_sorted_by_its_value(missing_meta):
    specs = [
        Spec("zero", score=0.0),
        Spec("low", meta={"rating": 1}, score=0.0),
        Spec("high", meta={"rating": 2}, score=0.4),
    ]
    init = {"ranking_mode": "linear_score", "weight": 0.001, "missing_meta": missing_meta}
    expected, found = both(specs, init=init)
    assert found == expected
    assert [spec.score for spec in found] == sorted((spec.score for spec in found), reverse=True)


class TestCorrected:
    """Both results, side by side."""

    def test_a_score_that_is_no_number_counts_as_0(self):
        specs = [Spec("a", meta={"rating": 1}, score=float("nan")), Spec("b", meta={"rating": 2}, score=0.5)]
        expected, found = both(specs, init={"ranking_mode": "linear_score", "weight": 0.5})
        assert [spec.id for spec in expected] == ["a", "b"]
        assert [(spec.id, spec.score) for spec in found] == [("b", 0.75), ("a", 0.25)]

    def test_arrays_keep_their_order_and_do_not_raise(self):
        specs = [Spec(id, meta={"rating": np.array([1, 2])}) for id in "ab"]
        expected = outcome(ReferenceRanker, theirs(specs), {}, {})
        found = MetaFieldRanker("rating").run(ours(specs))["documents"]
        assert expected is ValueError
        assert [document.id for document in found] == ["a", "b"]

    def test_a_date_beyond_all_dates_is_taken_as_text(self):
        specs = [Spec("a", meta={"rating": "9" * 30}), Spec("b", meta={"rating": "2024-05-01"})]
        with pytest.raises(OverflowError):
            both(specs, init={"meta_value_type": "date"})
        found = outcome(MetaFieldRanker, ours(specs), {"meta_value_type": "date"}, {})
        assert [spec.id for spec in found] == ["a", "b"]


def test_dates_are_ordered_as_moments():
    specs = [Spec(id, meta={"rating": text}) for id, text in [("may", "1 May 2024"), ("june", "2024-06-01")]]
    assert [spec.id for spec in both(specs, init={"meta_value_type": "date"})[1]] == ["june", "may"]


def test_moments_with_and_without_a_zone_keep_their_order_in_both(caplog):
    moments = {"a": datetime(2024, 5, 1, tzinfo=UTC), "b": datetime(2024, 6, 1)}  # noqa: DTZ001 (the point of the test)
    specs = [Spec(id, meta={"rating": moment}) for id, moment in moments.items()]
    expected, found = both(specs)
    assert found == expected == specs
    assert "They keep their order" in caplog.text


@pytest.mark.parametrize(
    ("init", "metas", "message"),
    [
        ({}, [{"rating": 1}, {}], "the Documents with IDs 1 don't have this meta key"),
        ({}, [{}], "none of the provided Documents with IDs 0 have this meta key"),
        ({"meta_value_type": "int"}, [{"rating": 1}, {"rating": "2"}], "not all of meta values"),
        ({"meta_value_type": "int"}, [{"rating": "x"}], "Tried to parse the meta values"),
        ({"ranking_mode": "linear_score", "weight": 0.5}, [{"rating": 1}], "The score wasn't provided"),
    ],
)
def test_values_that_cannot_be_ranked_are_logged(caplog, init, metas, message):
    documents = ours([Spec(str(number), meta=meta) for number, meta in enumerate(metas)])
    MetaFieldRanker("rating", **init).run(documents)
    assert message in caplog.text
