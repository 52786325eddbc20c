from datetime import datetime
from enum import IntEnum

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.in_memory.key_index import KeyIndex
from spaniel.filters import matches, parse_filter
from spaniel.filters.field import field_path


class Text(str):
    """Equal to its text, and of another hash."""

    __slots__ = ()
    __eq__ = str.__eq__

    def __hash__(self):
        return 7


ODD_TEXT = Text("a")


class Number(IntEnum):
    ONE = 1


MIDNIGHT = datetime(2024, 5, 1)  # noqa: DTZ001 (without a zone)
SCALARS = st.sampled_from(
    [
        *(None, True, 0, 1, 1.0, "a", "1", "", float("nan"), ODD_TEXT, Number.ONE),
        *("2024-05-01", "2024-05-01T00:00:00", MIDNIGHT, MIDNIGHT.date()),
        *(np.int64(1), np.float64("nan"), np.str_("a"), np.bool_(True)),
    ]
)
VALUES = (
    SCALARS
    | st.lists(SCALARS, max_size=3)
    | st.lists(SCALARS, max_size=2).map(tuple)
    | st.sampled_from(
        [{"b": 1}, {"b": "a"}, np.array([1, 2]), np.array(["a"]), np.array(1), [[1]], [{"b": 1}], {1, 2}, object()]
    )
)
METAS = st.dictionaries(st.sampled_from(["k", "b", "k.b"]), VALUES, max_size=3)
COMPARISONS = st.builds(
    lambda field, operator_and_value: {
        "field": field,
        "operator": operator_and_value[0],
        "value": operator_and_value[1],
    },
    st.sampled_from(["meta.k", "k", "meta.k.b", "id", "b"]),
    st.tuples(st.sampled_from(["==", "!=", "contains"]), SCALARS | st.sampled_from(["0", "1", "2"]))
    | st.tuples(st.sampled_from(["in", "not in"]), st.lists(SCALARS | st.sampled_from(["0", "3"]), max_size=3)),
)
FILTERS = st.recursive(
    COMPARISONS,
    lambda inner: st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)
STEPS = st.lists(st.tuples(st.integers(0, 7), st.none() | METAS), max_size=12)


class Indexed:
    """Documents by slot, and their index; a step replaces the document of an id, or removes it."""

    def __init__(self):
        self.documents, self.slot_of, self.next_slot = {}, {}, 0
        self.index = KeyIndex(self.documents, self.slot_of)

    def step(self, id, meta):
        if id in self.slot_of:
            slot = self.slot_of.pop(id)
            self.index.remove(slot, self.documents.pop(slot))
        if meta is not None:
            document, slot = Document(id=id, meta=meta), self.next_slot
            self.documents[slot], self.slot_of[id] = document, slot
            self.index.add(slot, document)
            self.next_slot += 1


@settings(max_examples=400)
@given(STEPS, STEPS, FILTERS)
def test_every_match_of_a_filter_is_among_its_candidates(before, after, filters):
    indexed, parsed = Indexed(), parse_filter(filters)
    for steps in (before, after):
        for number, meta in steps:
            indexed.step(str(number), meta)
        candidates = indexed.index.candidates(parsed)
        expected = [slot for slot, document in indexed.documents.items() if matches(parsed, document)]
        if candidates is not None:
            assert set(expected) <= set(candidates) <= indexed.documents.keys()


@settings(max_examples=400)
@given(STEPS, st.lists(SCALARS, max_size=3), st.sampled_from(["meta.k", "k.b", "id"]))
def test_every_holder_of_a_value_is_among_those_found(steps, values, key):
    indexed = Indexed()
    for _ in range(2):  # the second time the column is there already
        for number, meta in steps:
            indexed.step(str(number), meta)
        found = indexed.index.holding(field_path(key), values)
        either = {
            "operator": "OR",
            "conditions": [{"field": key, "operator": "in", "value": values}]
            + [
                {"field": key, "operator": "contains", "value": value} for value in values if not isinstance(value, str)
            ],
        }
        expected = {slot for slot, document in indexed.documents.items() if matches(parse_filter(either), document)}
        assert found is None or expected <= set(found) <= indexed.documents.keys()


def test_looking_up_a_value_spares_the_other_documents():
    indexed = Indexed()
    for number in range(100):
        indexed.step(str(number), {"k": number % 10, "tags": [f"t{number}"]})
    candidates = indexed.index.candidates(parse_filter({"field": "meta.k", "operator": "==", "value": 3}))
    assert sorted(candidates) == list(range(3, 100, 10))
    assert indexed.index.holding(("meta", "tags"), ["t7", "t9", "unknown"]) == {7, 9}


def test_a_negation_needs_a_scan():
    index = Indexed().index
    comparison = {"field": "meta.k", "operator": "==", "value": 3}
    assert index.candidates(parse_filter({"operator": "NOT", "conditions": [comparison]})) is None
    assert index.candidates(parse_filter(comparison | {"operator": "!="})) is None


def test_keys_that_do_not_exist_do_not_fill_the_memory():
    indexed = Indexed()
    indexed.step("a", {"k": 1})
    for number in range(1000):
        indexed.index.holding(("meta", f"missing{number}"), [1])
    assert len(indexed.index._columns) < 100
    assert indexed.index.holding(("meta", "k"), [1]) == {0}


def test_what_equals_a_text_or_number_without_being_one_is_compared():
    indexed = Indexed()
    for number, value in enumerate(["a", ODD_TEXT, 1, Number.ONE, ["a"], [ODD_TEXT]]):
        indexed.step(str(number), {"k": value})
    for value in ("a", ODD_TEXT, 1, Number.ONE):
        parsed = parse_filter({"field": "meta.k", "operator": "==", "value": value})
        candidates = indexed.index.candidates(parsed)
        expected = {slot for slot, document in indexed.documents.items() if matches(parsed, document)}
        assert candidates is None or expected <= set(candidates)
        assert len(expected) == 2


def test_a_document_that_changed_and_went_is_found_under_neither_value():
    indexed = Indexed()
    indexed.step("a", {"k": "old"})
    assert indexed.index.holding(("meta", "k"), ["old"]) == {0}
    indexed.step("a", {"k": ["new", "new"]})
    assert indexed.index.holding(("meta", "k"), ["old"]) == set()
    indexed.step("a", None)
    assert indexed.index.holding(("meta", "k"), ["new"]) == set()
    assert not indexed.index._columns["meta", "k"].scalars
    assert not indexed.index._columns["meta", "k"].elements
