import copy

import pytest
from haystack.document_stores.types import FilterPolicy as HaystackPolicy
from haystack.document_stores.types import apply_filter_policy as haystack_apply_filter_policy
from hypothesis import given
from hypothesis import strategies as st

from spaniel.dataclasses import Document
from spaniel.errors import FilterError
from spaniel.filters import FilterPolicy, apply_filter_policy, document_matches_filter

from .checks import comparison

COMPARISONS = st.builds(
    comparison, st.sampled_from(["==", "!="]), st.integers(0, 1), st.sampled_from(["meta.a", "meta.b", "meta.c"])
)


def logic(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


FILTERS = st.recursive(
    COMPARISONS,
    lambda inner: st.builds(
        lambda operator, conditions: logic(operator, *conditions),
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=6,
)
MALFORMED = st.sampled_from([{}, {"operator": "AND"}, {"field": "meta.a"}, {"conditions": []}])
GIVEN = st.none() | FILTERS | MALFORMED
DOCUMENTS = st.builds(Document, id=st.just("d"), meta=st.dictionaries(st.sampled_from("abc"), st.integers(0, 1)))


@given(st.sampled_from(["REPLACE", "MERGE"]), GIVEN, GIVEN, st.sampled_from(["AND", "OR", "NOT"]))
def test_replace_and_merge_equal_haystack(policy, init, runtime, operator):
    expected = haystack_apply_filter_policy(
        HaystackPolicy[policy], copy.deepcopy(init), copy.deepcopy(runtime), operator
    )
    assert apply_filter_policy(FilterPolicy[policy], init, runtime, operator) == expected


@given(st.sampled_from(list(FilterPolicy)), GIVEN, GIVEN)
def test_no_policy_changes_its_filters_or_shares_anything_with_them(policy, init, runtime):
    before = copy.deepcopy((init, runtime))
    result = apply_filter_policy(policy, init, runtime)
    assert (init, runtime) == before
    _spoil(result)
    assert (init, runtime) == before


def _spoil(filters):
    if filters is None:
        return
    conditions = filters.get("conditions", [])
    for condition in conditions:
        _spoil(condition)
    conditions.clear()
    filters.clear()


def test_a_list_of_values_is_not_shared_either():
    runtime = comparison("in", ["a"])
    apply_filter_policy(FilterPolicy.REPLACE, None, runtime)["value"].append("b")
    assert runtime["value"] == ["a"]


@given(FILTERS, FILTERS, DOCUMENTS)
def test_under_restrict_a_document_passes_if_it_passes_both(init, runtime, document):
    both = document_matches_filter(init, document) and document_matches_filter(runtime, document)
    assert document_matches_filter(apply_filter_policy(FilterPolicy.RESTRICT, init, runtime), document) is both


@given(FILTERS)
def test_under_restrict_one_filter_alone_is_used(filters):
    assert apply_filter_policy(FilterPolicy.RESTRICT, filters, None) == filters
    assert apply_filter_policy(FilterPolicy.RESTRICT, None, filters) == filters


@pytest.mark.parametrize("operator", ["OR", "NOT"])
def test_two_filters_of_the_same_kind_are_not_merged_into_a_wider_one(operator):
    init, runtime = logic(operator, comparison("==", "a", "meta.t")), logic(operator, comparison("==", 1, "meta.y"))
    assert apply_filter_policy(FilterPolicy.MERGE, init, runtime) == logic("AND", init, runtime)


def test_an_earlier_run_leaves_nothing_behind():
    init = logic("AND", comparison("==", "a", "meta.t"))
    apply_filter_policy(FilterPolicy.MERGE, init, comparison("==", "k1", "meta.kind"))
    second = apply_filter_policy(FilterPolicy.MERGE, init, comparison("==", "k2", "meta.kind"))
    assert second == logic("AND", comparison("==", "a", "meta.t"), comparison("==", "k2", "meta.kind"))


def test_a_filter_that_merging_drops_is_named_in_the_log(caplog):
    apply_filter_policy(FilterPolicy.MERGE, comparison("==", 1), comparison("==", 2))
    assert "'field': 'meta.x'" in caplog.text
    assert "both name the same field" in caplog.text


@pytest.mark.parametrize("name", ["merge", "MERGE", "Merge"])
def test_a_policy_is_found_by_its_name_in_any_case(name):
    assert FilterPolicy.from_str(name) is FilterPolicy.MERGE


@pytest.mark.parametrize("name", ["", "union", None, 5])
def test_an_unknown_policy_is_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=f"Unknown FilterPolicy type '{name}'.*'replace', 'merge', 'restrict'"):
        FilterPolicy.from_str(name)


def test_a_policy_reads_as_its_value():
    assert [str(policy) for policy in FilterPolicy] == ["replace", "merge", "restrict"]


@pytest.mark.parametrize("policy", ["restrict", FilterPolicy.RESTRICT])
def test_a_name_is_as_good_as_the_policy(policy):
    assert apply_filter_policy(policy, comparison("==", 1), comparison("==", 2))["operator"] == "AND"


def test_a_word_that_names_no_policy_is_no_silent_replace():
    with pytest.raises(ValueError, match="Unknown FilterPolicy type 'strict'"):
        apply_filter_policy("strict", comparison("==", 1), comparison("==", 2))


@pytest.mark.parametrize("policy", list(FilterPolicy))
def test_a_filter_nested_without_end_is_a_filter_error(policy):
    endless = logic("AND")
    endless["conditions"].append(endless)
    with pytest.raises(FilterError, match="nested too deeply"):
        apply_filter_policy(policy, comparison("==", 1), endless)


@pytest.mark.parametrize(
    "odd", [[comparison("==", 1)], "abc", {"operator": "AND", "conditions": 5}, {"operator": "AND", "conditions": [5]}]
)
@pytest.mark.parametrize("policy", list(FilterPolicy))
def test_leaves_malformed_filters_to_the_parser(policy, odd):
    merged = apply_filter_policy(policy, comparison("==", 1), odd)
    with pytest.raises(FilterError, match=r"filters"):
        document_matches_filter(merged, Document())


def test_haystacks_module_path_leads_here():
    from spaniel.document_stores.types import filter_policy

    assert (filter_policy.FilterPolicy, filter_policy.apply_filter_policy) == (FilterPolicy, apply_filter_policy)
