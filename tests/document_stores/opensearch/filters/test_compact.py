import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.opensearch.filters.filter_query import compact
from spaniel.filters import matches, parse_filter
from tests.document_stores.opensearch.filters.filter_cases import filters, metas


def is_one(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def logic(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (logic("OR", is_one("a", "==", 1), is_one("a", "in", [2, 3])), is_one("a", "in", [1, 2, 3])),
        (logic("AND", is_one("a", "!=", 1), is_one("a", "not in", [2])), is_one("a", "not in", [1, 2])),
        (
            logic("AND", is_one("a", "==", 1), is_one("a", "==", 2)),
            logic("AND", is_one("a", "==", 1), is_one("a", "==", 2)),
        ),
        (
            logic("OR", is_one("a", "==", 1), is_one("b", "==", 1), is_one("a", "==", 2)),
            logic("OR", is_one("a", "in", [1, 2]), is_one("b", "==", 1)),
        ),
        (
            logic("AND", logic("AND", is_one("a", ">", 1)), is_one("b", ">", 1)),
            logic("AND", is_one("a", ">", 1), is_one("b", ">", 1)),
        ),
        (
            logic("NOT", logic("AND", is_one("a", ">", 1), is_one("b", ">", 1))),
            logic("NOT", is_one("a", ">", 1), is_one("b", ">", 1)),
        ),
        (logic("NOT", logic("OR")), logic("NOT", logic("OR"))),
        (logic("OR", logic("OR", is_one("a", "==", 1)), is_one("a", "==", 2)), is_one("a", "in", [1, 2])),
    ],
)
def test_compact_filter_has_fewer_conditions(filters, expected):
    assert compact(parse_filter(filters)) == parse_filter(expected)


@settings(max_examples=100, deadline=None)
@given(st.lists(metas(), max_size=4), filters(max_leaves=8))
def test_compact_filter_is_equivalent(metas, filters):
    documents = [Document(id="1", meta=meta) for meta in metas]
    node = parse_filter(filters)
    assert [matches(compact(node), each) for each in documents] == [matches(node, each) for each in documents]
