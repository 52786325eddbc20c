"""Sets of slots that are kept for the next search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel._engine import KeywordIndex, SlotSet
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.in_memory.filter_index import FilterCache, filter_key
from spaniel.filters import parse_filter


def condition(value, operator="=="):
    return {"field": "meta.n", "operator": operator, "value": value}


def key(value, operator="=="):
    return filter_key(parse_filter(condition(value, operator)), False)


def found(store, filters):
    return sorted(document.id for document in store.bm25_retrieval("a", filters=filters, top_k=100))


def test_a_repeated_filter_sees_documents_written_in_between():
    store = InMemoryDocumentStore()
    store.write_documents([Document(id="1", content="a", meta={"n": 1}), Document(id="2", content="a", meta={"n": 2})])
    assert found(store, condition(1)) == ["1"]
    store.write_documents([Document(id="3", content="a", meta={"n": 1})])
    assert found(store, condition(1)) == ["1", "3"]
    store.update_by_filter(condition(2), {"n": 1})
    assert found(store, condition(1)) == ["1", "2", "3"]
    store.delete_documents(["1"])
    assert found(store, condition(1)) == ["2", "3"]
    assert store.count_documents_by_filter(condition(1)) == 2


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, "1"), (0, False), (1, 1.0), (None, "None"), ([1], 1), (["1", "2"], ["1, 2"])]
)
def test_keys_of_different_values_differ(left, right):
    operators = ["in" if type(value) is list else "==" for value in (left, right)]
    assert key(left, operators[0]) != key(right, operators[1])


def test_the_structure_is_part_of_the_key():
    def joined(*parts):
        return filter_key(parse_filter({"operator": "AND", "conditions": list(parts)}), False)

    nested = {"operator": "OR", "conditions": [condition(1), condition(2)]}
    flat = [condition(1), condition(2), condition(3)]
    one_longer = {"operator": "OR", "conditions": flat}
    assert len({joined(nested, condition(3)), joined(one_longer), joined(*flat)}) == 3


@pytest.mark.parametrize("value", [list(range(101)), [[1]], [{"a": 1}]])
def test_long_and_nested_filters_are_not_cached(value):
    assert key(value, "in") is None


def test_the_set_that_was_not_used_for_longest_goes():
    recent = FilterCache()
    for number in range(32):
        recent.put(number, SlotSet([number]))
    assert recent.get(0) is not None
    recent.put(32, SlotSet())
    assert (recent.get(1), recent.get(0) is None, recent.get(32) is None) == (None, False, False)


@given(st.sets(st.integers(0, 300)), st.sets(st.integers(0, 300)))
def test_a_set_finds_the_same_documents_as_its_slots(allowed, removed):
    index = KeywordIndex()
    for start in (0, 100, 200):
        index.apply([], index.prepare(range(start, start + 90), ["a b"] * 90))
    index.apply([slot for slot in removed if slot in index], None)
    slots, limits = SlotSet(sorted(allowed)), {"variant": "BM25L", "top_k": None}
    for _ in range(2):
        assert index.search("a", allowed=slots, **limits) == index.search("a", allowed=sorted(allowed), **limits)
