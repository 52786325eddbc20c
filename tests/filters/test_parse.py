import pytest

from spaniel.dataclasses import Document
from spaniel.errors import FilterError
from spaniel.filters import Comparison, Logic, document_matches_filter, matches, parse_filter

from .checks import comparison

YEAR = comparison("==", 2024, "meta.year")


def test_a_comparison_shows_its_field_operator_value_and_path():
    parsed = parse_filter(comparison("in", [1, 2], "author.name"))
    assert isinstance(parsed, Comparison)
    assert (parsed.field, parsed.operator, parsed.value) == ("author.name", "in", [1, 2])
    assert parsed.path == ("meta", "author", "name")


def test_logic_shows_its_operator_and_conditions():
    parsed = parse_filter({"operator": "NOT", "conditions": [YEAR, {"operator": "OR", "conditions": []}]})
    assert parsed == Logic("NOT", (parse_filter(YEAR), Logic("OR", ())))


def test_nodes_are_frozen():
    with pytest.raises(AttributeError):
        parse_filter(YEAR).value = 1


def test_a_parsed_filter_does_not_follow_later_changes_of_the_dict():
    wanted = ["a"]
    parsed = parse_filter(comparison("==", wanted))
    wanted.append("b")
    assert matches(parsed, Document(meta={"x": ["a"]}))


def test_an_array_as_value_becomes_a_list():
    import numpy as np

    assert parse_filter(comparison("==", np.array([1, 2]))).value == [1, 2]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({}, "filters: 'operator' key missing in {}"),
        ({"operator": "AND"}, "filters: 'conditions' key missing in {'operator': 'AND'}"),
        ({"conditions": []}, "filters: 'operator' key missing in {'conditions': []}"),
        ({"operator": "==", "value": 1}, "filters: 'conditions' key missing in {"),
        ({"field": "x", "value": 1}, "filters: 'operator' key missing in {'field': 'x', 'value': 1}"),
        ({"field": "x", "operator": "=="}, "filters: 'value' key missing in {'field': 'x', 'operator': '=='}"),
        (
            comparison("gt", 1),
            "filters.operator: Unknown comparison operator 'gt'. Valid operators are: ['!=', '<', '<=', '==', '>',",
        ),
        (comparison("IN", [1]), "filters.operator: Unknown comparison operator 'IN'"),
        (comparison(["=="], 1), "filters.operator: Unknown comparison operator '['==']'"),
        (comparison("AND", 1), "filters.operator: Unknown comparison operator 'AND'"),
        (
            {"operator": "and", "conditions": []},
            "filters.operator: Unknown logical operator 'and'. Valid operators are: ['AND', 'NOT', 'OR']",
        ),
        ({"operator": None, "conditions": []}, "filters.operator: Unknown logical operator 'None'"),
        ({"operator": "AND", "conditions": YEAR}, "filters.conditions: must be a list of filters, not {"),
        ({"operator": "AND", "conditions": "abc"}, "filters.conditions: must be a list of filters, not 'abc'"),
        ({"operator": "AND", "conditions": None}, "filters.conditions: must be a list of filters, not None"),
        (comparison("==", 1, field=5), "filters.field: must be a string such as 'meta.year', not 5"),
        (comparison("==", 1, field="." * 100), "filters.field: has 102 steps; a field has 100 at most"),
        (None, "filters: must be a dict that holds a filter, not None"),
        ([YEAR], "filters: must be a dict that holds a filter, not [{"),
        (comparison("in", (1, 2)), "filters.value: must be a list, not tuple"),
        (comparison("in", {1}), "filters.value: must be a list, not set"),
        (comparison("not in", "abc"), "filters.value: must be a list, not str"),
        (comparison("in", None), "filters.value: must be a list, not NoneType"),
        (comparison("contains any", "abc"), "filters.value: must be a list, not str"),
        (comparison("contains all", 1), "filters.value: must be a list, not int"),
    ],
)
def test_an_error_names_its_place_the_value_and_the_valid_ones(filters, message):
    with pytest.raises(FilterError) as error:
        parse_filter(filters)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
@pytest.mark.parametrize(
    "value",
    ["10", "abc", "", "2024", "2024-05", "Friday", "5/1/24", "2024-13-01", [1], {"a": 1}, (1,), {1}, 1j, object()],
)
def test_a_value_that_has_no_order_is_a_fault_of_the_filter(operator, value):
    with pytest.raises(FilterError, match=r"^filters\.value: .* can't be ordered with >, >=, <, <=\. .*full date"):
        parse_filter(comparison(operator, value))


@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
@pytest.mark.parametrize("value", [1, 1.5, True, None, float("nan"), "2024-05-01", "Jan 5 2024", "20240501", b"bytes"])
def test_numbers_dates_and_none_can_be_ordered(operator, value):
    assert parse_filter(comparison(operator, value)).operator == operator


def test_the_place_leads_through_nested_conditions():
    filters = {
        "operator": "OR",
        "conditions": [YEAR, {"operator": "NOT", "conditions": [YEAR, YEAR, comparison("<", "x")]}],
    }
    with pytest.raises(FilterError, match=r"^filters\.conditions\[1\]\.conditions\[2\]\.value: 'x'"):
        parse_filter(filters)


def test_a_fault_is_found_even_where_no_document_would_reach_it():
    unreached = {"operator": "OR", "conditions": [comparison("==", None), comparison(">", [1])]}
    with pytest.raises(FilterError, match=r"conditions\[1\]"):
        document_matches_filter(unreached, Document())


def nested(depth):
    filters = YEAR
    for _ in range(depth - 1):
        filters = {"operator": "AND", "conditions": [filters]}
    return filters


def test_a_hundred_levels_are_read_and_evaluated():
    assert matches(parse_filter(nested(100)), Document(meta={"year": 2024}))


@pytest.mark.parametrize("depth", [101, 5_000])
def test_more_levels_are_refused_with_the_remedy(depth):
    with pytest.raises(
        FilterError, match=r"more than 100 levels deep\. Put conditions that share an operator into one list"
    ):
        parse_filter(nested(depth))


def test_a_filter_that_holds_itself_is_refused():
    endless = {"operator": "AND", "conditions": []}
    endless["conditions"].append(endless)
    with pytest.raises(FilterError, match="100 levels"):
        parse_filter(endless)


def test_a_deep_node_without_an_operator_is_shown_in_short():
    with pytest.raises(FilterError, match="'operator' key missing") as error:
        parse_filter({"conditions": [nested(5_000)]})
    assert len(str(error.value)) < 500


def test_a_value_nested_too_deeply_is_refused():
    value = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(FilterError, match=r"filters\.value: nested too deeply"):
        parse_filter(comparison("==", value))


def test_keys_that_a_filter_does_not_know_are_ignored_as_in_haystack():
    assert parse_filter({**YEAR, "boost": 2}) == parse_filter(YEAR)
