"""A result is shown beside its limit, if it has one."""

from benchmarks.rows import limited, surplus
from benchmarks.targets import LIMITS, TARGETS

LIMIT = LIMITS[0]


def test_a_result_with_a_limit_is_shown_alone_and_beside_it() -> None:
    alone, beside = limited(LIMIT.size, LIMIT.label, LIMIT.most / 2, "", LIMIT.unit)
    assert (alone["against"], alone["ratio"]) == ("alone", None)
    assert (beside["against"], beside["ratio"], beside["target"]) == ("limit", 2, 1)


def test_a_result_without_a_limit_at_its_size_stands_alone() -> None:
    assert [row["against"] for row in limited(LIMIT.size + 1, LIMIT.label, 1.0, "", LIMIT.unit)] == ["alone"]


def test_a_difference_is_judged_by_how_much_more_it_may_be() -> None:
    assert surplus("more", 1, more=20, most=50, unit="ms", note="")["ratio"] == 2.5


def test_a_negative_surplus_is_within_its_limit() -> None:
    row = surplus("more", 1, more=-3.0, most=50, unit="ms", note="")
    assert row["ratio"] == 1000


def test_no_two_targets_are_for_the_same_row() -> None:
    assert len({target[:3] for target in TARGETS}) == len(TARGETS)
