from datetime import UTC, date, datetime

import haystack
import numpy as np
import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError
from tests.document_stores.faces import equal, ids_of, named


def with_meta(*metas) -> list[Document]:
    return [Document(id=str(number), meta=meta) for number, meta in enumerate(metas)]


# --- by filter ------------------------------------------------------------------------------------


async def test_documents_come_in_the_order_of_writing(store):
    await store.write_documents(named("c", "a", "b"))
    assert ids_of(await store.filter_documents()) == ["c", "a", "b"]
    assert ids_of(await store.filter_documents({})) == ["c", "a", "b"]
    assert ids_of(await store.filter_documents({"field": "id", "operator": "in", "value": ["b", "c"]})) == ["c", "b"]


async def test_one_odd_document_does_not_end_a_query(store):
    await store.write_documents(with_meta({"n": "abc"}, {"n": 5}, {"n": [1]}, {"n": {"a": 1}}, {"n": None}, {}))
    greater = {"field": "meta.n", "operator": ">", "value": 3}
    assert ids_of(await store.filter_documents(greater)) == ["1"]
    assert len(await store.filter_documents({"operator": "NOT", "conditions": [greater]})) == 5
    assert await store.count_documents_by_filter(greater) == 1


async def test_keys_with_dots_and_arrays_can_be_filtered(store):
    await store.write_documents(with_meta({"a.b": 3}, {"a.b": np.array([1, 2])}, {"a": {"b": 3}}))
    assert ids_of(await store.filter_documents(equal("meta.a.b", 3))) == ["0", "2"]
    assert ids_of(await store.filter_documents(equal("meta.a.b", [1, 2]))) == ["1"]


async def test_the_same_moment_is_equal_in_every_spelling(store):
    moment = datetime(2024, 5, 1, 10, tzinfo=UTC)
    spellings = ["2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", moment, "2024-05-01T10:00:01Z"]
    await store.write_documents(with_meta(*({"at": spelling} for spelling in spellings)))
    for spelling in spellings[:3]:
        assert ids_of(await store.filter_documents(equal("meta.at", spelling))) == ["0", "1", "2"]


async def test_dates_without_a_zone_can_be_kept_apart_from_those_with_one(opened):
    for strict, expected in ((False, ["0", "1"]), (True, ["1"])):
        store = opened(strict_datetime_comparison=strict)
        await store.write_documents(with_meta({"at": "2024-05-01T10:00:00"}, {"at": "2024-05-01T10:00:00Z"}))
        assert ids_of(await store.filter_documents(equal("meta.at", "2024-05-01T10:00:00+00:00"))) == expected


@pytest.mark.parametrize(
    ("filters", "place"),
    [
        ({"field": "meta.x"}, "'operator' key missing"),
        ({"operator": "AND", "conditions": [{"field": "meta.x", "operator": "~", "value": 1}]}, r"conditions\[0\]"),
        ({"field": "meta.x", "operator": ">", "value": "later"}, "value"),
        (["meta.x"], "must be a dict"),
    ],
)
async def test_a_malformed_filter_names_the_place_even_where_nothing_is_stored(store, filters, place):
    for call in (
        store.filter_documents(filters),
        store.count_documents_by_filter(filters),
        store.delete_by_filter(filters),
        store.update_by_filter(filters, {}),
        store.get_documents_by_key("x", [1], filters),
        store.count_unique_metadata_by_filter(filters, ["x"]),
        store.get_metadata_field_unique_values("x", filters=filters),
    ):
        with pytest.raises(FilterError, match=place):
            await call


# --- by id and key --------------------------------------------------------------------------------


async def test_ids_are_found_in_the_order_of_writing_each_once(store):
    await store.write_documents(named("c", "a", "b"))
    assert ids_of(await store.get_documents_by_id(["b", "unknown", "c", "b"])) == ["c", "b"]
    assert await store.get_documents_by_id([]) == []
    with pytest.raises(ValueError, match="list of ids"):
        await store.get_documents_by_id("ab")


async def test_a_key_finds_scalars_and_elements_of_lists(store):
    await store.write_documents(
        with_meta(
            {"k": "x"}, {"k": ["y", "x"]}, {"k": ("x",)}, {"k": np.array(["x", "z"])}, {"k": "xx"}, {"k": {"x": 1}}, {}
        )
    )
    assert ids_of(await store.get_documents_by_key("k", ["x"])) == ["0", "1", "2", "3"]
    assert ids_of(await store.get_documents_by_key("meta.k", ["z", "xx"])) == ["3", "4"]
    assert await store.get_documents_by_key("k", []) == []


async def test_several_keys_find_the_union_of_their_documents_in_the_order_of_writing(store):
    await store.write_documents(with_meta({"k": "x"}, {"j": ["y"]}, {"k": "z"}, {"k": ["x"], "j": "y"}, {"j": "x"}))
    assert ids_of(await store.get_documents_by_keys({"j": ["y"], "meta.k": ["x"]})) == ["0", "1", "3"]
    assert ids_of(await store.get_documents_by_keys({"id": ["4"], "k": ["z"]})) == ["2", "4"]
    only_j = {"field": "meta.j", "operator": "!=", "value": None}
    assert ids_of(await store.get_documents_by_keys({"j": ["y"], "k": ["x"]}, only_j)) == ["1", "3"]
    assert await store.get_documents_by_keys({}) == []


async def test_a_key_matches_as_equality_does(store):
    await store.write_documents(
        with_meta({"k": 5}, {"k": "5"}, {"k": 5.0}, {"k": np.int64(5)}, {"k": [None, 5]}, {"k": True})
    )
    assert ids_of(await store.get_documents_by_key("k", [5])) == ["0", "2", "3", "4"]
    assert ids_of(await store.get_documents_by_key("k", ["5"])) == ["1"]
    assert ids_of(await store.get_documents_by_key("k", [1])) == ["5"]
    assert await store.get_documents_by_key("k", [float("nan")]) == []


async def test_a_key_finds_dates_in_every_spelling(store):
    await store.write_documents(with_meta({"k": date(2024, 5, 1)}, {"k": ["2024-05-01T00:00:00"]}, {"k": "2024"}))
    assert ids_of(await store.get_documents_by_key("k", ["2024-05-01"])) == ["0", "1"]


async def test_a_key_can_be_nested_or_the_id(store):
    await store.write_documents(with_meta({"a": {"b": ["x"]}}, {"a.b": "x"}))
    assert ids_of(await store.get_documents_by_key("a.b", ["x"])) == ["0", "1"]
    assert ids_of(await store.get_documents_by_key("id", ["1", "unknown"])) == ["1"]


async def test_a_key_obeys_a_filter(store):
    await store.write_documents(with_meta({"k": "x", "n": 1}, {"k": ["x"], "n": 2}))
    assert ids_of(await store.get_documents_by_key("k", ["x"], equal("meta.n", 2))) == ["1"]


# --- storage --------------------------------------------------------------------------------------


def test_the_storage_is_a_mapping_of_copies():
    store = InMemoryDocumentStore(return_embedding=False)
    store.write_documents(named("b", "a", embedding=[1.0]))
    storage = store.storage
    storage["a"].meta["edited"] = True
    assert list(storage) == ["b", "a"]
    assert len(storage) == 2
    assert storage["a"] == Document(id="a", content="a", embedding=[1.0])
    assert "c" not in storage
    assert storage.get("c") is None
    with pytest.raises(TypeError):
        storage["c"] = Document()


# --- metadata fields ------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, "a", "B", "1", "True", ""])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
)
METAS = st.lists(st.dictionaries(st.sampled_from(["x", "y"]), VALUES, max_size=2), max_size=6)
FIELDS = ["x", "meta.y", "missing"]


def both(metas) -> tuple[InMemoryDocumentStore, HaystackStore]:
    ours, theirs = InMemoryDocumentStore(shared=False), HaystackStore(shared=False)
    ours.write_documents(with_meta(*metas))
    theirs.write_documents([haystack.Document(id=str(number), meta=meta) for number, meta in enumerate(metas)])
    return ours, theirs


@given(METAS)
def test_types_ranges_and_counts_are_haystack_s(metas):
    ours, theirs = both(metas)
    filters = {"field": "meta.x", "operator": "!=", "value": 1}
    assert ours.get_metadata_fields_info() == theirs.get_metadata_fields_info()
    for field in FIELDS:
        assert ours.get_metadata_field_min_max(field) == theirs.get_metadata_field_min_max(field)
    for chosen in ({}, filters):
        assert ours.count_unique_metadata_by_filter(chosen, FIELDS) == theirs.count_unique_metadata_by_filter(
            chosen, FIELDS
        )
        assert ours.count_documents_by_filter(chosen) == theirs.count_documents_by_filter(chosen)


@given(METAS, st.sampled_from([None, "", "A", "1"]), st.integers(0, 3), st.integers(0, 3))
def test_pages_of_distinct_values_are_haystack_s(metas, search_term, start, size):
    ours, theirs = both(metas)
    for field in FIELDS:
        expected = theirs.get_metadata_field_unique_values(field, search_term, start, size)
        assert repr(ours.get_metadata_field_unique_values(field, search_term, start, size)) == repr(expected)


async def test_nested_fields_and_arrays_have_distinct_values(store):
    await store.write_documents(
        with_meta({"a": {"b": "x"}, "n": np.array([1])}, {"a.b": "y", "n": [1]}, {"n": np.float64("nan")}, {"n": 2})
    )
    assert await store.get_metadata_field_unique_values("a.b") == (["x", "y"], 2)
    assert await store.count_unique_metadata_by_filter({}, ["meta.a.b"]) == {"a.b": 2}
    assert await store.get_metadata_field_min_max("n") == {"min": 2, "max": 2}


@pytest.mark.parametrize("page", [{"from_": -1}, {"size": -1}])
async def test_a_page_must_not_be_negative(store, page):
    with pytest.raises(ValueError, match="must be greater than or equal to 0"):
        await store.get_metadata_field_unique_values("x", **page)


async def test_distinct_values_are_independent_of_the_store(store):
    await store.write_documents(with_meta({"tags": ["x"]}))
    values, _ = await store.get_metadata_field_unique_values("tags")
    values[0].append("edited")
    assert (await store.filter_documents())[0].meta == {"tags": ["x"]}
