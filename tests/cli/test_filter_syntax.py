"""Filters as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.cli.filter_syntax import parse_filter_text, parse_filters
from spaniel.errors import FilterError
from spaniel.filters.operators import OPERATORS
from spaniel.filters.parse import parse_filter

LISTS = {"in", "not in", "contains any", "contains all"}


@pytest.mark.parametrize(
    ("text", "field", "operator", "value"),
    [
        ("year >= 2020", "year", ">=", 2020),
        ("year>=2020", "year", ">=", 2020),
        ("year == '2020'", "year", "==", "'2020'"),
        ('year == "2020"', "year", "==", "2020"),
        ("draft == true", "draft", "==", True),
        ("author == null", "author", "==", None),
        ("path starts with guide/", "path", "starts with", "guide/"),
        ("path STARTS WITH guide/", "path", "starts with", "guide/"),
        ("tags contains any a, b", "tags", "contains any", ["a", "b"]),
        ('tags in ["a", "b"]', "tags", "in", ["a", "b"]),
        ("year not in 1, 2", "year", "not in", [1, 2]),
        ("links contains a in b", "links", "contains", "a in b"),
        ("title like %old%", "title", "like", "%old%"),
        ("meta.title != a == b", "meta.title", "!=", "a == b"),
        ("title == ", "title", "==", ""),
        ("date > 2020-01-01", "date", ">", "2020-01-01"),
    ],
)
def test_a_text_is_field_operator_value(text: str, field: str, operator: str, value: object) -> None:
    assert parse_filter_text(text) == {"field": field, "operator": operator, "value": value}


@given(st.sampled_from(sorted(OPERATORS)), st.text("ab %", min_size=1).map(str.strip).filter(bool))
def test_every_operator_can_be_typed(operator: str, value: str) -> None:
    made = parse_filter_text(f"field {operator} {value}")
    assert (made["field"], made["operator"]) == ("field", operator)
    assert made["value"] == ([value] if operator in LISTS else value)


@pytest.mark.parametrize("text", ["", "year", "year 2020", ">= 2020", "year ~ 3", "[1]", "pathin a"])
def test_rejects_malformed_filters_and_shows_the_form(text: str) -> None:
    with pytest.raises(FilterError, match=r"is not a filter. Write FIELD OPERATOR VALUE.* Operators: ==, "):
        parse_filter_text(text)


def test_json_is_taken_as_it_is() -> None:
    text = '{"operator": "NOT", "conditions": [{"field": "a", "operator": "==", "value": 1}]}'
    assert parse_filter_text(text)["operator"] == "NOT"
    assert parse_filter(parse_filter_text(text))


def test_several_must_all_hold() -> None:
    assert parse_filters([]) is None
    assert parse_filters(["a == 1"]) == {"field": "a", "operator": "==", "value": 1}
    assert parse_filters(["a == 1", "b == 2"]) == {
        "operator": "AND",
        "conditions": [
            {"field": "a", "operator": "==", "value": 1},
            {"field": "b", "operator": "==", "value": 2},
        ],
    }
