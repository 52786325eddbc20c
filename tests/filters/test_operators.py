# ruff: noqa: DTZ001 -- dates without a time zone are under test
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.filters.operators import LOGIC, OPERATORS

from .checks import MISSING, passes

NAN = float("nan")
NEGATED = {"!=": "==", "not in": "in", "not contains": "contains", "not like": "like"}
NAIVE = datetime(2024, 5, 1, 10)
AWARE = datetime(2024, 5, 1, 10, tzinfo=UTC)


class Unfriendly:
    """Refuses every comparison."""

    def __eq__(self, other):
        raise RuntimeError("no")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = None


def test_the_tables_hold_haystacks_operators_and_ours():
    new = {"contains", "not contains", "contains any", "contains all", "starts with", "like", "not like"}
    assert set(OPERATORS) == {"==", "!=", ">", ">=", "<", "<=", "in", "not in"} | new
    assert list(LOGIC) == ["AND", "OR", "NOT"]


@pytest.mark.parametrize(
    ("value", "other", "expected"),
    [
        ("a", "a", True),
        ("a", "A", False),
        (1, 1.0, True),
        (1, True, True),
        (0, False, True),
        ("5", 5, False),
        (Decimal("1.5"), 1.5, True),
        (None, None, True),
        (MISSING, None, True),
        (MISSING, "a", False),
        ("a", None, False),
        (0, None, False),
        ("", None, False),
        (NAN, NAN, False),
        (["a"], "a", False),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["b", "a"], False),
        ([["a"], 1], [["a"], 1], True),
        ([], [], True),
        ([], None, False),
        ({"k": [1]}, {"k": [1]}, True),
        ((1, 2), [1, 2], False),
        (np.array([1, 2]), [1, 2], True),
        (np.array([1, 2]), [1, 3], False),
        (np.array([1, 2]), [1, 2, 3], False),
        (np.array([5]), 5, False),
        (np.array([5, 5]), 5, False),
        (np.array([]), [], True),
        (np.array([[1], [2]]), [[1], [2]], True),
        ([np.array([1, 2])], [[1, 2]], True),
        ({"k": np.array([1, 2])}, {"k": [1, 2]}, True),
        ([1, 2], np.array([1, 2]), True),
        (np.array([1, 2]), np.array([1, 2]), True),
        (np.int64(5), 5, True),
        (5, np.int64(5), True),
        (np.float32(0.5), 0.5, True),
        (np.str_("a"), "a", True),
        (np.bool_(True), True, True),
        (np.array(["a", "b"]), "a", False),
        (Unfriendly(), 1, False),
        (Unfriendly(), None, False),
        ([Unfriendly()], [1], False),
        (np.ndarray, [1], False),
    ],
)
def test_equality(value, other, expected):
    assert passes(value, "==", other) is expected
    assert passes(value, "!=", other) is not expected
    assert passes(value, "in", ["other", other]) is expected
    assert passes(value, "not in", [other]) is not expected


@pytest.mark.parametrize(
    ("value", "other", "expected", "strict"),
    [
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00+00:00", True, True),
        ("2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", True, True),
        ("2024-05-01T10:00:00Z", "2024-05-01 10:00:00.000Z", True, True),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:01Z", False, False),
        ("2024-05-01", "2024-05-01T00:00:00", True, True),
        ("2024-05-01T10:00:00", "2024-05-01T10:00:00Z", True, False),
        ("2024-05-01T10:00:00", "2024-05-01T10:00:00+05:00", True, False),
        (NAIVE, AWARE, True, False),
        (AWARE, NAIVE, True, False),
        (AWARE, AWARE.astimezone(timezone(timedelta(hours=2))), True, True),
        (NAIVE, "2024-05-01T10:00:00", True, True),
        ("2024-05-01T10:00:00Z", AWARE, True, True),
        (AWARE, "2024-05-01T10:00:00", True, False),
        (date(2024, 5, 1), date(2024, 5, 1), True, True),
        (date(2024, 5, 1), "2024-05-01", True, True),
        ("2024-05-01", date(2024, 5, 1), True, True),
        (date(2024, 5, 1), datetime(2024, 5, 1), True, True),
        (date(2024, 5, 1), NAIVE, False, False),
        (np.datetime64("2024-05-01T10:00", "ns"), "2024-05-01T10:00", True, True),
        ("2024", "2024-01-01", False, False),
        ("May 1 2024", "2024-05-01", False, False),
        ("2024-99-99", "2024-99-99", True, True),
        ("2024-99-99", "2024-99-98", False, False),
        (1714557600, AWARE, False, False),
    ],
)
def test_dates_are_equal_if_they_are_the_same_moment(value, other, expected, strict):
    for operator, argument in (("==", other), ("in", ["x", other])):
        assert passes(value, operator, argument) is expected
        assert passes(value, operator, argument, strict=True) is strict
        assert passes(value, {"==": "!=", "in": "not in"}[operator], argument) is not expected
    assert passes([1, value], "contains", other) is expected


@pytest.mark.parametrize(
    ("smaller", "greater"),
    [
        (1, 2),
        (1, 1.5),
        (False, True),
        (False, 1),
        (-1, False),
        (np.int64(1), 2),
        (1, np.float64(1.5)),
        (Decimal(1), 2),
        ("2024-05-01", "2024-05-02"),
        ("2024-05-01T12:00:00+02:00", "2024-05-01T10:00:01Z"),
        ("2024-05-01", datetime(2024, 5, 1, 0, 0, 1)),
        (date(2024, 5, 1), NAIVE),
        (date(2024, 5, 1), date(2024, 5, 2)),
        (date(2024, 5, 1), "2024-05-01T00:00:01Z"),
        ("Jan 5 2024", "2024-01-06"),
        ("2024-01-04", "January 5, 2024"),
        (np.datetime64("2024-05-01"), NAIVE),
    ],
)
def test_order(smaller, greater):
    expected = {">": (False, True), ">=": (False, True), "<": (True, False), "<=": (True, False)}
    for operator, answers in expected.items():
        assert (passes(smaller, operator, greater), passes(greater, operator, smaller)) == answers


@pytest.mark.parametrize("value", [1, 1.5, True, "2024-05-01", "2024-05-01T10:00Z", AWARE, date(2024, 5, 1)])
def test_a_value_is_at_least_and_at_most_itself(value):
    assert [passes(value, operator, value) for operator in (">", ">=", "<", "<=")] == [False, True, False, True]


def test_moments_with_and_without_zone_are_ordered_unless_strict():
    assert passes("2024-05-01T10:00:00", ">=", "2024-05-01T10:00:00+05:00")
    assert not passes("2024-05-01T10:00:00", ">=", "2024-05-01T10:00:00+05:00", strict=True)
    assert not passes(datetime(2030, 1, 1), ">", AWARE, strict=True)
    assert passes(datetime(2030, 1, 1), ">", AWARE)


@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("abc", 5),
        ("5", 5),
        ("2024-05-01", 5),
        (5, "2024-05-01"),
        (5, AWARE),
        (AWARE, 5),
        ("abc", "2024-05-01"),
        ("3", "2024-05-01"),
        ("2024", "2024-05-01"),
        ("2024-05", "2024-05-01"),
        ("5/1/24", "2024-05-01"),
        ("Friday", "2024-05-01"),
        ("x" * 1_000 + "2024-05-01", "2024-05-01"),
        (True, "2024-05-01"),
        ([5], 5),
        ([], 5),
        ({"a": 5}, 5),
        (np.array([5]), 5),
        (np.array([5, 6]), 5),
        (1j, 5),
        (NAN, 5),
        (5, NAN),
        (NAN, NAN),
        (None, 5),
        (MISSING, 5),
        (5, None),
        (None, None),
        (MISSING, None),
        (Unfriendly(), 5),
        (Unfriendly(), "2024-05-01"),
    ],
)
def test_comparisons_of_unorderable_values_are_false(value, operator, other):
    assert passes(value, operator, other) is False


@pytest.mark.parametrize(("value", "values"), [(1, []), (["a"], ["a"]), ("ab", ["a", "b"]), (1, ["1"]), (NAN, [NAN])])
def test_in_finds_only_equal_values(value, values):
    assert passes(value, "in", values) is False
    assert passes(value, "not in", values) is True


@pytest.mark.parametrize("value", [None, MISSING])
def test_none_in_the_list_finds_documents_without_the_field(value):
    assert passes(value, "in", [1, None])


@pytest.mark.parametrize(
    ("value", "part", "expected"),
    [
        ("windows", "dow", True),
        ("windows", "Dow", False),
        ("windows", "", True),
        ("windows", 1, False),
        ("None", None, False),
        ("5", 5, False),
        (["a", "b"], "a", True),
        (["ab"], "a", False),
        (["a"], "A", False),
        ([1, 2], 1, True),
        ([1, 2], "1", False),
        ([1], True, True),
        ([], "", False),
        ([None], None, True),
        ([[1, 2], 3], [1, 2], True),
        ([{"k": 1}], {"k": 1}, True),
        ([NAN], NAN, False),
        ([Unfriendly(), "a"], "a", True),
        (np.array([1, 2]), 2, True),
        (np.array(["a"]), "a", True),
        ([np.array([1, 2])], [1, 2], True),
        (MISSING, "a", False),
        (None, None, False),
        (5, 5, False),
        ({"a": 1}, "a", False),
        (("a",), "a", False),
        ({"a"}, "a", False),
    ],
)
def test_contains(value, part, expected):
    assert passes(value, "contains", part) is expected
    assert passes(value, "not contains", part) is not expected
    assert passes(value, "contains any", [part, "no such part"]) is expected
    assert passes(value, "contains all", [part, part]) is expected


@pytest.mark.parametrize(
    ("value", "parts", "some", "every"),
    [
        ("windows", ["win", "dow"], True, True),
        ("windows", ["win", "door"], True, False),
        ("windows", ["Win", "door"], False, False),
        ("windows", ["win", 5], True, False),
        ("windows", [5], False, False),
        ("windows", [], False, True),
        (["a", "b"], ["b", "a"], True, True),
        (["a", "b"], ["b", "c"], True, False),
        (["a", 1], [1.0, None], True, False),
        ([], ["a"], False, False),
        ([], [], False, True),
        (MISSING, ["a"], False, False),
        (MISSING, [], False, False),
        (None, [None], False, False),
        (5, [5], False, False),
        ({"a": 1}, ["a"], False, False),
    ],
)
def test_contains_any_and_contains_all(value, parts, some, every):
    assert passes(value, "contains any", parts) is some
    assert passes(value, "contains all", parts) is every


@pytest.mark.parametrize(
    ("value", "prefix", "expected"),
    [
        ("windows", "win", True),
        ("windows", "Win", False),
        ("windows", "dow", False),
        ("windows", "", True),
        ("windows", "windows!", False),
        (["x", "windows"], "win", True),
        ([1, None, "windows"], "win", True),
        (["x"], "win", False),
        ([], "", False),
        (["win"], ["win"], False),
        ("5", 5, False),
        (5, 5, False),
        ("None", None, False),
        (MISSING, "", False),
        ({"win": 1}, "win", False),
        (np.array(["windows"]), "win", True),
    ],
)
def test_starts_with(value, prefix, expected):
    assert passes(value, "starts with", prefix) is expected


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [
        ("windows", "windows", True),
        ("windows", "window", False),
        ("windows", "Windows", False),
        ("windows", "win%", True),
        ("windows", "%dow%", True),
        ("windows", "%ows", True),
        ("windows", "w_nd_ws", True),
        ("windows", "w_ndws", False),
        ("windows", "%", True),
        ("", "%", True),
        ("", "", True),
        ("a", "", False),
        ("", "_", False),
        ("a", "a%a", False),
        ("two\nlines", "two%lines", True),
        ("two\nlines", "two_lines", True),
        ("two\n", "two", False),
        ("100%", r"100\%", True),
        ("1000", r"100\%", False),
        ("a_b", r"a\_b", True),
        ("axb", r"a\_b", False),
        ("a\\b", r"a\\b", True),
        ("ab", r"\a\b", True),
        ("a\\", "a\\", True),
        ("a.c", "a.c", True),
        ("abc", "a.c", False),
        ("[x]*", "[x]*", True),
        ("日本語", "日_語", True),
        ("😀", "_", True),
        (["x", "windows"], "win%", True),
        ([1, None], "%", False),
        ([], "%", False),
        ("5", 5, False),
        (5, "5", False),
        (5, "%", False),
        (None, "%", False),
        (MISSING, "%", False),
        ("windows", None, False),
        ({"a": 1}, "%", False),
        (np.array(["windows"]), "win%", True),
    ],
)
def test_like(value, pattern, expected):
    assert passes(value, "like", pattern) is expected
    assert passes(value, "not like", pattern) is not expected


def fits(text, pattern):
    """Every way to read the pattern, tried one character at a time."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(fits(text[start:], pattern[1:]) for start in range(len(text) + 1))
    if pattern[0] == "\\" and len(pattern) > 1:
        return text[:1] == pattern[1] and fits(text[1:], pattern[2:])
    return bool(text) and pattern[0] in ("_", text[0]) and fits(text[1:], pattern[1:])


@given(st.text("ab%_\\\n.", max_size=7), st.text("ab%_\\\n.", max_size=7))
def test_like_agrees_with_a_search_of_all_readings(text, pattern):
    assert passes(text, "like", pattern) is fits(text, pattern)


def test_a_pattern_of_many_runs_ends_soon_on_a_long_text():
    assert passes("a" * 5_000, "like", "%a" * 50 + "%b") is False


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.text("ab2024-", max_size=10)
    | st.dates()
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(ANYTHING, st.sampled_from(sorted(NEGATED)), ANYTHING, st.booleans())
def test_the_negated_form_is_always_the_opposite(value, operator, other, strict):
    if operator == "not in":
        other = [other]
    assert passes(value, operator, other, strict=strict) is not passes(value, NEGATED[operator], other, strict=strict)


@given(st.lists(ANYTHING, max_size=4), ANYTHING)
def test_in_is_equality_with_one_and_contains_is_the_same_from_the_other_side(values, value):
    expected = any(passes(value, "==", each) for each in values)
    assert passes(value, "in", values) is expected
    assert passes(values, "contains", value) is expected
