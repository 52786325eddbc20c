# ruff: noqa: DTZ001 -- naive dates are test data
"""Haystack's evaluation is the reference if it returns a result; each exception is listed with both
results.
"""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from haystack import Document as HaystackDocument
from haystack.errors import FilterError as HaystackFilterError
from haystack.utils.filters import document_matches_filter as haystack_matches
from hypothesis import given
from hypothesis import strategies as st

from spaniel.dataclasses import Document
from spaniel.errors import FilterError
from spaniel.filters import document_matches_filter, parse_filter
from spaniel.filters.operators import OPERATORS

from .checks import comparison

ORDERING = [">", ">=", "<", "<="]
OPERATOR_NAMES = ["==", "!=", *ORDERING, "in", "not in"]
FIELDS = [
    "meta.x",
    "x",
    "meta.n.x",
    "meta.n",
    "meta",
    "meta.missing",
    "missing",
    "meta.x.y",
    "id",
    "content",
    "score",
    "meta.id",
]

# Strings that Haystack orders by filling in parts of today's date, or reads with a two-digit year.
PARTIAL_DATES = ["3", "5", "2024", "2024-05", "5/1/24", "Friday", "10:30", "2024-W05"]
ZONES = [None, UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))]
MOMENTS = st.datetimes(datetime(2024, 5, 1), datetime(2024, 5, 2)).map(
    lambda moment: moment.replace(minute=0, second=0, microsecond=0)
)
DATETIMES = st.builds(lambda moment, zone: moment.replace(tzinfo=zone), MOMENTS, st.sampled_from(ZONES))
ISO_STRINGS = st.builds(
    lambda moment, shape: shape(moment),
    DATETIMES,
    st.sampled_from(
        [
            datetime.isoformat,
            lambda moment: moment.isoformat(sep=" "),
            lambda moment: moment.isoformat().replace("+00:00", "Z"),
            lambda moment: moment.date().isoformat(),
            lambda moment: moment.strftime("%Y%m%d"),
            lambda moment: moment.strftime("%d %b %Y"),
        ]
    ),
)
TEXTS = st.text("bcx%", max_size=3) | st.sampled_from(["2024-99-99", "2024-05-01 and more", *PARTIAL_DATES])
NUMBERS = st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, -0.0, float("nan"), float("inf")])
SCALARS = st.none() | NUMBERS | TEXTS | ISO_STRINGS | DATETIMES
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.sampled_from("xk"), SCALARS, max_size=2)
METAS = st.fixed_dictionaries(
    {}, optional={"x": VALUES, "n": st.dictionaries(st.just("x"), VALUES) | VALUES, "id": SCALARS}
)
COMPARISONS = st.builds(
    comparison, st.sampled_from(OPERATOR_NAMES), VALUES | st.lists(SCALARS, max_size=3), st.sampled_from(FIELDS)
)


def haystack_answer(filters: dict[str, Any], meta: dict[str, Any], strict: bool) -> bool | None:
    """Return the result of Haystack; None if it raises."""
    document = HaystackDocument(id="b", content="c", meta=meta)
    try:
        return bool(haystack_matches(filters, document, strict_datetime_comparison=strict))
    except (HaystackFilterError, TypeError, ValueError, OverflowError):
        return None


def is_refused(filters: dict[str, Any]) -> bool:
    """Return if a comparison is invalid for every document."""
    operator, value = filters["operator"], filters["value"]
    if operator in ("in", "not in"):
        return not isinstance(value, list)
    if operator not in ORDERING or isinstance(value, bool | int | float | datetime | None):
        return False
    return (
        not isinstance(value, str)
        or value in PARTIAL_DATES
        or haystack_answer(comparison(">", value), {"x": datetime(2024, 1, 1)}, False) is None
    )


def expected(filters: dict[str, Any], meta: dict[str, Any], strict: bool) -> bool:
    """Haystack's answer to one comparison with the corrections that a document's value calls for."""
    document_value = _read(filters["field"], meta)
    if filters["operator"] in ORDERING and document_value in PARTIAL_DATES:
        return False
    # Where Haystack raises although the filter is in order, the document is odd.
    return bool(haystack_answer(filters, meta, strict))


def _read(field: str, meta: dict[str, Any]) -> Any:
    if field == "meta":
        return None
    found: Any = meta
    for key in field.removeprefix("meta.").split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


@given(COMPARISONS, METAS, st.booleans())
def test_a_comparison_gives_haystacks_answer(filters, meta, strict):
    document = Document(id="b", content="c", meta=meta)
    if is_refused(filters):
        with pytest.raises(FilterError):
            parse_filter(filters)
    else:
        answer = document_matches_filter(filters, document, strict_datetime_comparison=strict)
        assert answer is expected(filters, meta, strict)


FILTERS = st.recursive(
    COMPARISONS.filter(lambda filters: not is_refused(filters)),
    lambda inner: st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)


def leaves(filters: dict[str, Any]) -> list[dict[str, Any]]:
    return [filters] if "field" in filters else [leaf for each in filters["conditions"] for leaf in leaves(each)]


@given(FILTERS, METAS, st.booleans())
def test_joined_conditions_give_haystacks_answer_where_no_comparison_is_corrected(filters, meta, strict):
    if any(haystack_answer(leaf, meta, strict) is not expected(leaf, meta, strict) for leaf in leaves(filters)):
        return
    document = Document(id="b", content="c", meta=meta)
    answer = document_matches_filter(filters, document, strict_datetime_comparison=strict)
    assert answer is haystack_answer(filters, meta, strict)


NODES = st.recursive(
    st.none() | st.sampled_from(["==", "AND", "gt", "meta.x"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["field", "operator", "value", "conditions"]), inner)
    ),
    max_leaves=6,
)


@given(NODES)
def test_rejects_the_filters_that_haystack_rejects_and_no_others(filters):
    try:
        parse_filter(filters)
    except FilterError:
        return
    assert haystack_answer(filters, {}, False) is not None


def both(filters: dict[str, Any], meta: dict[str, Any]) -> tuple[Any, Any]:
    """Haystack's answer (None: it raises), and ours (None: `FilterError`)."""
    try:
        ours: bool | None = document_matches_filter(filters, Document(id="b", meta=meta))
    except FilterError:
        ours = None
    return haystack_answer(filters, meta, False), ours


@pytest.mark.parametrize(
    ("value", "other"),
    [("abc", 5), (5, "2024-05-01"), ([5], 5), ({"a": 1}, 5), ("abc", "2024-05-01"), (5, datetime(2024, 5, 1))],
)
def test_an_odd_document_raises_in_haystack_and_is_passed_over_here(value, other):
    assert both(comparison(">", other), {"x": value}) == (None, False)
    assert both({"operator": "NOT", "conditions": [comparison(">", other)]}, {"x": value}) == (None, True)


@pytest.mark.parametrize("value", ["10", [10], {"a": 1}, "2024-05"])
def test_a_value_without_order_is_unnoticed_in_haystack_until_a_document_has_the_field(value):
    assert both(comparison(">", value), {}) == (False, None)


@pytest.mark.parametrize("partial", PARTIAL_DATES)
def test_a_partial_date_is_completed_in_haystack_and_is_no_date_here(partial):
    assert haystack_answer(comparison(">", partial), {"x": "1000-01-01"}, False) is False
    assert haystack_answer(comparison(">", "1000-01-01"), {"x": partial}, False) is True
    assert both(comparison(">", partial), {"x": "1000-01-01"})[1] is None
    assert both(comparison(">", "1000-01-01"), {"x": partial})[1] is False


def test_a_malformed_condition_that_is_not_reached_is_unnoticed_in_haystack():
    filters = {"operator": "OR", "conditions": [comparison("==", 1), {"operator": "AND"}]}
    assert both(filters, {"x": 1}) == (True, None)


@pytest.mark.parametrize(
    ("field", "meta"),
    [("meta.a.b", {"a.b": 3}), ("meta.a.b", {"a": 1, "a.b": 3}), ("a.b", {"a": {"b": 3}}), ("a.b", {"a.b": 3})],
)
def test_dotted_keys_and_paths_without_meta_are_missing_in_haystack(field, meta):
    assert both(comparison("==", 3, field), meta) == (False, True)


def test_an_array_raises_in_haystack_and_is_a_list_here():
    assert both(comparison("==", [1, 2]), {"x": np.array([1, 2])}) == (None, True)
    assert both(comparison("==", "a"), {"x": np.array([1, 2])}) == (None, False)


@pytest.mark.parametrize("other", ["2024-05-01", datetime(2024, 5, 1)])
def test_a_date_object_is_no_date_in_haystack_and_its_midnight_here(other):
    assert both(comparison("==", other), {"x": date(2024, 5, 1)}) == (False, True)
    assert both(comparison(">=", other), {"x": date(2024, 5, 1)}) == (None, True)


def test_the_end_of_a_day_as_24_hours_is_equal_in_haystack_but_has_no_order_there():
    assert both(comparison("==", "2024-05-01T24:00"), {"x": "2024-05-02"}) == (True, True)
    assert both(comparison(">=", "2024-05-01T24:00"), {"x": "2024-05-02"}) == (None, True)


def test_tuples_are_ordered_in_haystack_and_refused_here():
    assert both(comparison(">", (1, 2)), {"x": (1, 3)}) == (True, None)


def test_deep_nesting_is_a_recursion_error_in_haystack():
    filters = comparison("==", 1)
    for _ in range(2_000):
        filters = {"operator": "AND", "conditions": [filters]}
    with pytest.raises(RecursionError):
        haystack_matches(filters, HaystackDocument(id="b"))
    with pytest.raises(FilterError):
        document_matches_filter(filters, Document(id="b"))


@pytest.mark.parametrize("operator", [name for name in OPERATORS if name not in OPERATOR_NAMES])
def test_the_new_operators_are_unknown_to_haystack(operator):
    assert both(comparison(operator, ["a"]), {"x": "a"})[0] is None
    parse_filter(comparison(operator, ["a"]))
