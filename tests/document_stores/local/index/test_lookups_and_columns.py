"""Filters on columns that come from SQL and follow the database equal the reference evaluator."""

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.embedded.columns.field_index import holds_any as holds_member
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.database import read_snapshot
from spaniel.document_stores.local.database.rows import decode_document
from spaniel.document_stores.local.index import lookups
from spaniel.filters import matches, parse_filter
from spaniel.filters.equality import members, plain
from tests.document_stores.embedded.test_columns import FILTERS, STEPS
from tests.document_stores.faces import equal, ids_of
from tests.document_stores.local.processes import another_process


def kept_by(store, id, meta):
    """The document as it is stored; None if it is refused, and then nothing has changed."""
    try:
        store.write_documents([Document(id=id, meta=meta, content="c")], policy="overwrite")
    except ValueError:
        store.delete_documents([id])
        return None
    (document,) = store.get_documents_by_id([id])
    return document


@settings(max_examples=60, deadline=None)
@given(STEPS, FILTERS, st.booleans())
def test_filters_equal_the_reference(steps, filters, strict):
    parsed, kept = parse_filter(filters), {}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalDocumentStore(folder, strict_datetime_comparison=strict) as store,
    ):
        reader = another_process(folder, strict_datetime_comparison=strict)
        for _ in range(2):
            with store.transaction():
                for number, meta in steps:
                    kept.pop(str(number), None)
                    if meta is None:
                        store.delete_documents([str(number)])
                    elif (document := kept_by(store, str(number), meta)) is not None:
                        kept[str(number)] = document
                expected = [id for id, each in kept.items() if matches(parsed, each, strict_datetime_comparison=strict)]
                assert ids_of(store.filter_documents(filters)) == expected  # of uncommitted changes
            for each in (store, reader):
                assert ids_of(each.filter_documents(filters)) == expected
                assert each.count_documents_by_filter(filters) == len(expected)
                assert sorted(ids_of(each.bm25_retrieval("c", filters, top_k=100))) == sorted(expected)
        reader.close()


def test_columns_are_rebuilt_after_many_changes(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents([Document(id=str(n), meta={"k": n % 3}) for n in range(3000)])
        for round in range(1, 4):
            assert store.count_documents_by_filter(equal("meta.k", 0)) == 1000
            assert store.update_by_filter({"field": "meta.k", "operator": "!=", "value": 0}, {"k": round * 10}) == 2000
            assert store.count_documents_by_filter(equal("meta.k", round * 10)) == 2000
        assert len(store._state.indexes._columns.stale) < 2000


# --- look-ups -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(STEPS, FILTERS, st.lists(st.sampled_from(["a", "ab", "", "\ud800", "2024-05-01", 1, None]), max_size=3))
def test_look_ups_change_no_answer(steps, filters, values):
    parsed = parse_filter(filters)
    with tempfile.TemporaryDirectory() as folder, LocalDocumentStore(folder) as store, store.transaction():
        store.add_lookup("k")
        kept = {}
        for number, meta in steps:
            kept.pop(str(number), None)
            if meta is None:
                store.delete_documents([str(number)])
            elif (document := kept_by(store, str(number), meta)) is not None:
                kept[str(number)] = document
        assert ids_of(store.filter_documents(filters)) == [id for id, each in kept.items() if matches(parsed, each)]
        for key in ("k", "meta.k"):
            held = [id for id, each in kept.items() if holds_any(each.meta.get("k"), values)]
            assert ids_of(store.get_documents_by_key(key, values)) == held
            found = [id for id, each in kept.items() if matches(parse_filter(equal(key, "a")), each)]
            assert ids_of(store.filter_documents(equal(key, "a"))) == found


def holds_any(value, values) -> bool:
    return holds_member(value, members([plain(each) for each in values]))


@pytest.mark.parametrize(
    "filters",
    [
        equal("meta.path", "p7"),
        equal("path", "p7"),
        {"field": "meta.path", "operator": "in", "value": ["p7", "p7", "unknown"]},
        {"operator": "AND", "conditions": [{"field": "meta.n", "operator": ">", "value": 1}, equal("meta.path", "p7")]},
        {"operator": "OR", "conditions": [equal("meta.path", "p7"), equal("meta.path", "unknown")]},
    ],
)
def test_a_look_up_spares_the_other_documents(tmp_path, filters, monkeypatch):
    with LocalDocumentStore(tmp_path) as store:
        store.add_lookup("path")
        store.add_lookup("path")
        metas = [{"path": f"p{n // 10}", "n": n} for n in range(100)] + [{"path": ["p7"], "n": 5}, {3: 4}]
        store.write_documents([Document(id=str(n), content="c", meta=meta) for n, meta in enumerate(metas)])
        read = []
        monkeypatch.setattr(
            read_snapshot, "decode_document", lambda row, shapes: read.append(row[1]) or decode_document(row, shapes)
        )
        assert ids_of(store.filter_documents(filters)) == [str(n) for n in range(70, 80)]
        assert sorted(read, key=int) == [str(n) for n in [*range(70, 80), 100]]
        assert ids_of(store.bm25_retrieval("c", filters, top_k=99)) == [str(n) for n in range(70, 80)]
        assert ids_of(store.get_documents_by_key("path", ["p7"])) == [*map(str, range(70, 80)), "100"]
        assert store._state.indexes._columns.paths == []
        plan = store._state.database.writer().execute("EXPLAIN QUERY PLAN " + lookups._SLOTS, (1, 2))
        assert ["SEARCH" in line for *_, line in plan] == [True, True]


@pytest.mark.parametrize("key", ["id", "a.b", 'a"b', "a'b", "a\\b", "a\nb", "meta.a.b"])
def test_rejects_keys_that_can_not_have_a_look_up(tmp_path, key):
    with LocalDocumentStore(tmp_path) as store, pytest.raises(ValueError, match="no look-up"):
        store.add_lookup(key)
