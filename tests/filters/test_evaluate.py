import pytest

from spaniel.dataclasses import ByteStream, Document
from spaniel.filters import document_matches_filter, matches, parse_filter

from .checks import comparison

TRUE = comparison("==", 1)
FALSE = comparison("==", 2)
DOCUMENT = Document(id="d", content="text", meta={"x": 1})


@pytest.mark.parametrize(
    ("conditions", "all_hold", "any_holds"),
    [
        ([], True, False),
        ([TRUE], True, True),
        ([FALSE], False, False),
        ([TRUE, FALSE], False, True),
        ([TRUE, TRUE], True, True),
        ([FALSE, FALSE], False, False),
    ],
)
def test_and_or_not(conditions, all_hold, any_holds):
    answers = [
        document_matches_filter({"operator": name, "conditions": conditions}, DOCUMENT) for name in ("AND", "OR", "NOT")
    ]
    assert answers == [all_hold, any_holds, not all_hold]


def test_conditions_may_be_nested():
    inner = {"operator": "NOT", "conditions": [FALSE]}
    assert document_matches_filter({"operator": "AND", "conditions": [TRUE, inner]}, DOCUMENT)


def test_one_odd_document_fails_the_comparison_and_passes_its_negation():
    odd, high = Document(id="odd", meta={"n": "abc"}), Document(id="high", meta={"n": 5})
    over_three = comparison(">", 3, "meta.n")
    parsed, negated = parse_filter(over_three), parse_filter({"operator": "NOT", "conditions": [over_three]})
    assert [matches(parsed, document) for document in (odd, high)] == [False, True]
    assert [matches(negated, document) for document in (odd, high)] == [True, False]


@pytest.mark.parametrize("operator", ["==", ">", "in", "contains", "starts with", "like"])
def test_a_document_value_nested_without_end_is_no_error(operator):
    endless = []
    endless.append(endless)
    document = Document(id="d")
    document.meta["x"] = endless
    value = {"in": ["a"], ">": 1}.get(operator, "a")
    assert not document_matches_filter(comparison(operator, value), document)


def test_an_endless_value_passes_the_negated_operators():
    endless = {}
    endless["x"] = endless
    document = Document(id="d")
    document.meta["x"] = endless
    assert document_matches_filter(comparison("!=", "a"), document)


def test_strictness_reaches_nested_conditions():
    document = Document(meta={"x": "2024-05-01T10:00:00"})
    filters = {"operator": "AND", "conditions": [comparison(">=", "2024-05-01T10:00:00Z")]}
    assert document_matches_filter(filters, document)
    assert not document_matches_filter(filters, document, strict_datetime_comparison=True)


def test_a_byte_stream_can_be_filtered():
    stream = ByteStream(b"x", mime_type="text/plain", meta={"x": 1})
    assert document_matches_filter(
        {"operator": "AND", "conditions": [TRUE, comparison("like", "text/%", "mime_type")]}, stream
    )


@pytest.mark.parametrize(("field", "value"), [("id", "d"), ("content", "text"), ("score", None), ("embedding", None)])
def test_fields_of_the_document_can_be_filtered(field, value):
    assert document_matches_filter(comparison("==", value, field), DOCUMENT)


def test_evaluation_leaves_the_document_as_it_was():
    document = Document(id="d", meta={"x": ["b", "a"], "n": {"k": 1}})
    document_matches_filter(comparison("contains all", ["a", "b"]), document)
    assert document.meta == {"x": ["b", "a"], "n": {"k": 1}}


def test_haystacks_module_path_leads_here():
    from spaniel import utils
    from spaniel.utils import filters

    assert utils.document_matches_filter is filters.document_matches_filter is document_matches_filter
