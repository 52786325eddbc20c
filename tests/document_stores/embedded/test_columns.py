# ruff: noqa: DTZ001, DTZ901 -- naive dates are test data
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import IntEnum
from unittest import mock
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.embedded.columns import orders
from spaniel.document_stores.embedded.columns.field_index import holds_any
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.in_memory.filter_index import ColumnIndex
from spaniel.errors import FilterError
from spaniel.filters import matches, parse_filter
from spaniel.filters.equality import members, plain
from spaniel.filters.field import field_path, field_value
from spaniel.filters.operators import OPERATORS


class Text(str):
    """Equal to its text, and of another hash."""

    __slots__ = ()
    __eq__ = str.__eq__

    def __hash__(self):
        return 7


ODD_TEXT = Text("a")


class Number(IntEnum):
    ONE = 1


class Nowhere(tzinfo):
    """A zone that has no offset."""

    def utcoffset(self, moment):
        return None


class Everything:
    """Equal to all there is, and before and after it."""

    __hash__ = None

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    __gt__ = __le__ = __ge__ = __lt__


class Deep(list):
    """Nested too deeply to be shown or copied."""

    def __repr__(self):
        return "DEEP"


DEEP = ["deep"]
for _ in range(3000):
    DEEP = [DEEP]
DEEP = Deep(DEEP)

NUMBERS = [
    *(True, False, 0, 1, 2, 1.0, -0.0, 0.5, -1, 10**400, -(10**400), 2**53, 2**53 + 1, float(2**53)),
    *(float("nan"), float("inf"), float("-inf")),
]
TEXTS = ["a", "ab", "b", "1", "", "%", "a_b", "\ud800", "\ud800b", "\U0001f600", "a\nb", "A", "\0", ODD_TEXT]
DATE_TEXTS = [
    *("2024-05-01", "2024-05-01T00:00:00", "2024-05-01T00:00:00Z", "2024-05-01T02:00:00+02:00", "2024-05-01 00:00"),
    *(
        "20240501",
        "May 1 2024",
        "1 May 2024 00:00 UTC",
        "2024-04-30T24:00",
        "2024-05-01 10:00:00.5",
        "2024",
        "2024-99-99",
    ),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-14:00", "2024-W18-3", "2024-05-01 00:00 EST"),
]
MIDNIGHT = datetime(2024, 5, 1)
BERLIN = ZoneInfo("Europe/Berlin")
MOMENTS = [
    *(MIDNIGHT, MIDNIGHT.date(), MIDNIGHT.replace(tzinfo=UTC), date(2023, 1, 1), datetime(2024, 5, 1, 2), datetime.max),
    *(MIDNIGHT.replace(hour=2, tzinfo=timezone(timedelta(hours=2))), datetime(2024, 5, 1, 0, 0, 0, 1), datetime.min),
    *(
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    ),
    *(datetime(2024, 5, 1, 2, tzinfo=BERLIN), datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN)),
    *(datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN), datetime(2024, 10, 27, 1, 30, tzinfo=UTC)),
    *(datetime(2024, 10, 27, 2, 30), datetime(2024, 10, 27, 2, 30, fold=1), MIDNIGHT.replace(tzinfo=Nowhere())),
]
ODD = [Number.ONE, np.int64(1), np.float64("nan"), np.str_("a"), np.bool_(True), np.datetime64("2024-05-01"), b"a"]
ODD += [Decimal("0.5"), Decimal("NaN"), Decimal("sNaN")]
SCALARS = st.sampled_from([None, *NUMBERS, *TEXTS, *DATE_TEXTS, *MOMENTS, *ODD])
VALUES = (
    SCALARS
    | st.lists(SCALARS, max_size=3)
    | st.lists(SCALARS, max_size=2).map(tuple)
    | st.sampled_from(
        [
            *({"b": 1}, {"b": "a"}, np.array([1, 2]), np.array(["a"]), np.array(1), [[1]], [["a"]], [{"b": 1}], {1, 2}),
            *(object(), Everything(), [Everything()], DEEP, ["a"] * 100, [1, "a"] * 40, {"b": {"c": 1}}),
        ]
    )
)
METAS = st.dictionaries(st.sampled_from(["k", "b", "k.b"]), VALUES, max_size=3)
OPERANDS = VALUES | st.lists(SCALARS | st.lists(SCALARS, max_size=2), max_size=3) | st.sampled_from(["a%", "_", "%b"])
COMPARISONS = st.builds(
    lambda field, operator, value: {"field": field, "operator": operator, "value": value},
    st.sampled_from(["meta.k", "k", "meta.k.b", "id", "b", "meta", "content", "embedding", "missing"]),
    st.sampled_from(list(OPERATORS)),
    OPERANDS | st.sampled_from(["0", "1", "2"]),
)


def is_accepted(filters):
    try:
        parse_filter(filters)
    except FilterError:
        return False
    return True


FILTERS = st.recursive(
    COMPARISONS.filter(is_accepted),
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
        self.index = ColumnIndex(self.documents, self.slot_of)

    def step(self, id, meta):
        if id in self.slot_of:
            slot = self.slot_of.pop(id)
            self.index.remove({slot: self.documents.pop(slot)})
        if meta is not None:
            document, slot = (
                Document(id=id, content=str(meta.get("k"))[:50], meta=meta, embedding=[1.0] * 2),
                self.next_slot,
            )
            self.index.add({slot: document})
            self.documents[slot], self.slot_of[id] = document, slot
            self.next_slot += 1

    def expected(self, parsed, strict=False):
        return {
            slot
            for slot, document in self.documents.items()
            if matches(parsed, document, strict_datetime_comparison=strict)
        }

    def find_bounds(self, filters):
        return self.index.find_bounds(parse_filter(filters), strict=False)


def is_between(expected, bounds):
    return set(bounds.sure.tolist()) <= expected <= set(bounds.may.tolist())


def comparison(operator, value, field="meta.k"):
    return {"field": field, "operator": operator, "value": value}


@settings(max_examples=600, deadline=None)
@given(STEPS, STEPS, FILTERS, st.booleans(), st.sampled_from([0, 64]))
def test_the_matches_of_a_filter_are_within_its_bounds(before, after, filters, strict, few):
    with mock.patch.object(orders, "_MIN_TAIL", few):
        indexed, parsed = Indexed(), parse_filter(filters)
        for steps in (before, after):
            for number, meta in steps:
                indexed.step(str(number), meta)
            bounds = indexed.index.find_bounds(parsed, strict=strict)
            assert is_between(indexed.expected(parsed, strict), bounds)
            assert set(bounds.may.tolist()) <= indexed.documents.keys()


@settings(max_examples=600, deadline=None)
@given(st.lists(SCALARS, max_size=12), COMPARISONS.filter(is_accepted), st.booleans(), st.sampled_from([0, 64]))
def test_every_operator_over_every_kind_of_value(values, filters, strict, few):
    with mock.patch.object(orders, "_MIN_TAIL", few):
        indexed, parsed = Indexed(), parse_filter(filters | {"field": "meta.k"})
        for number, value in enumerate(values):
            indexed.step(str(number), {"k": value if number % 3 else [value]})
        assert is_between(indexed.expected(parsed, strict), indexed.index.find_bounds(parsed, strict=strict))


REGULAR = st.sampled_from([None, *NUMBERS, *TEXTS[:-1], *DATE_TEXTS, *MOMENTS[:9]])


@settings(max_examples=600, deadline=None)
@given(
    st.lists(REGULAR | st.lists(REGULAR, max_size=3), max_size=12),
    st.sampled_from(list(OPERATORS)).flatmap(
        lambda operator: st.builds(comparison, st.just(operator), REGULAR | st.lists(REGULAR, max_size=3))
    ),
    st.booleans(),
    st.sampled_from([0, 64]),
)
def test_regular_values_need_no_comparison(values, filters, strict, few):
    if not is_accepted(filters) or (isinstance(filters["value"], list) and filters["operator"] in ("==", "!=")):
        return
    with mock.patch.object(orders, "_MIN_TAIL", few):
        indexed, parsed = Indexed(), parse_filter(filters)
        for number, value in enumerate(values):
            indexed.step(str(number), {"k": value})
        bounds = indexed.index.find_bounds(parsed, strict=strict)
        assert bounds.sure.tolist() == bounds.may.tolist() == sorted(indexed.expected(parsed, strict))


@settings(max_examples=200, deadline=None)
@given(STEPS, FILTERS, st.booleans())
def test_a_store_finds_the_documents_that_the_reference_finds(steps, filters, strict):
    store = InMemoryDocumentStore(shared=False, strict_datetime_comparison=strict)
    parsed, kept = parse_filter(filters), {}
    for _ in range(2):
        for number, meta in steps:
            if meta is not None and not any(value is DEEP for value in meta.values()):
                kept.pop(str(number), None)
                kept[str(number)] = Document(id=str(number), meta=meta, content="c")
                store.write_documents([kept[str(number)]], policy="overwrite")
            else:
                kept.pop(str(number), None)
                store.delete_documents([str(number)])
        expected = [id for id, each in kept.items() if matches(parsed, each, strict_datetime_comparison=strict)]
        assert [document.id for document in store.filter_documents(filters)] == expected
        assert store.count_documents_by_filter(filters) == len(expected)
        assert sorted(document.id for document in store.bm25_retrieval("c", filters, top_k=100)) == sorted(expected)


@settings(max_examples=400, deadline=None)
@given(STEPS, st.lists(SCALARS | st.lists(SCALARS, max_size=2), max_size=3), st.sampled_from(["meta.k", "k.b", "id"]))
def test_the_holders_of_a_value_are_within_the_bounds(steps, values, key):
    indexed = Indexed()
    for _ in range(2):  # the second time the column is there already
        for number, meta in steps:
            if not any(value is DEEP for value in (meta or {}).values()):
                indexed.step(str(number), meta)
        wanted, path = members([plain(value) for value in values]), field_path(key)
        holders = {
            slot for slot, document in indexed.documents.items() if holds_any(field_value(document, path), wanted)
        }
        assert is_between(holders, indexed.index.find_holders(path, values))


def test_looking_up_a_value_spares_the_other_documents():
    indexed = Indexed()
    for number in range(100):
        indexed.step(str(number), {"k": number % 10, "tags": [f"t{number}"]})
    assert indexed.find_bounds(comparison("==", 3)).may.tolist() == list(range(3, 100, 10))
    assert indexed.index.find_holders(("meta", "tags"), ["t7", "t9", "unknown"]).may.tolist() == [7, 9]


@pytest.mark.parametrize("operator", [">", ">=", "<", "<=", "=="])
def test_values_that_came_after_an_order_was_made_are_found(operator):
    indexed = Indexed()
    for number in range(300):
        indexed.step(str(number), {"k": number * 7 % 50 if number % 2 else f"2024-05-{number % 31 + 1:02}"})
        for value in (25, "2024-05-15"):
            parsed = parse_filter(comparison(operator, value))
            bounds = indexed.index.find_bounds(parsed, strict=False)
            assert bounds.sure.tolist() == bounds.may.tolist() == sorted(indexed.expected(parsed))


def test_keys_that_do_not_exist_do_not_fill_the_memory():
    indexed = Indexed()
    indexed.step("a", {"k": 1})
    for number in range(1000):
        indexed.index.find_holders(("meta", f"missing{number}"), [1])
    assert len(indexed.index._columns) < 100
    assert indexed.index.find_holders(("meta", "k"), [1]).sure.tolist() == [0]


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        ("==", lambda n: n),
        ("==", lambda n: f"text {n}"),
        ("like", lambda n: f"text {n}"),
        (">=", lambda n: n / 2),
        (">=", lambda n: (datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=n)).isoformat()),
        (">=", lambda n: datetime(2020, 1, 1) + timedelta(hours=n)),
    ],
)
@pytest.mark.parametrize("living", [1, 50])
def test_values_of_documents_that_are_gone_do_not_fill_the_memory(operator, value, living):
    indexed = Indexed()
    for number in range(2000):
        indexed.step(f"{number % living}", {"k": value(number)})
        if number % 7 == 0:
            assert number in indexed.find_bounds(comparison(operator, value(number))).sure.tolist()
    assert len(indexed.index._columns["meta", "k"]._whole) <= max(2 * living, living + 16) + 1
    last = 1999
    expected = indexed.expected(parse_filter(comparison(operator, value(last - living // 2))))
    assert indexed.find_bounds(comparison(operator, value(last - living // 2))).sure.tolist() == sorted(expected)


def test_elements_of_lists_that_are_gone_do_not_fill_the_memory():
    indexed = Indexed()
    for number in range(2000):
        indexed.step("a", {"k": [number, "same", f"text {number}", number]})
        indexed.step("b", {"k": ["same", "same"]})
        for element in (number, "same", f"text {number}"):
            assert (len(indexed.find_bounds(comparison("contains", element)).sure)) == 1 + (element == "same")
    assert len(indexed.index._columns["meta", "k"]._elements) < 30


@pytest.mark.parametrize("value", ["shared", 3, True, None])
def test_a_value_that_another_document_holds_stays(value):
    indexed = Indexed()
    indexed.step("keeps", {"k": value})
    for number in range(500):
        indexed.step("changes", {"k": value if number % 3 == 0 else f"own {number}"})
        assert indexed.find_bounds(comparison("==", value)).sure.tolist() == [0] + [number + 1] * (number % 3 == 0)


def test_values_equal_to_a_text_or_number_of_another_type_are_compared():
    indexed = Indexed()
    for number, value in enumerate(["a", ODD_TEXT, 1, Number.ONE, ["a"], [ODD_TEXT]]):
        indexed.step(str(number), {"k": value})
    for value in ("a", ODD_TEXT, 1, Number.ONE):
        expected = indexed.expected(parse_filter(comparison("==", value)))
        assert len(expected) == 2
        assert is_between(expected, indexed.find_bounds(comparison("==", value)))


def test_a_document_that_changed_and_went_is_found_under_neither_value():
    indexed = Indexed()
    indexed.step("a", {"k": "old"})
    assert indexed.index.find_holders(("meta", "k"), ["old"]).may.tolist() == [0]
    indexed.step("a", {"k": ["new", "new"]})
    assert indexed.index.find_holders(("meta", "k"), ["old"]).may.tolist() == []
    indexed.step("a", None)
    assert indexed.index.find_holders(("meta", "k"), ["new"]).may.tolist() == []


def test_a_negation_leaves_documents_without_the_key_in():
    indexed = Indexed()
    for number, meta in enumerate([{"k": 3}, {}, {"k": None}, {"k": "3"}]):
        indexed.step(str(number), meta)
    for filters in (comparison("!=", 3), {"operator": "NOT", "conditions": [comparison("==", 3)]}):
        assert indexed.find_bounds(filters).sure.tolist() == [1, 2, 3]
