"""Filters on columns that come from SQL and follow the database equal the reference evaluator."""

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.filters import matches, parse_filter
from tests.document_stores.faces import equal, ids_of
from tests.document_stores.in_memory.test_key_index import FILTERS, STEPS
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


@settings(max_examples=100, deadline=None)
@given(STEPS, FILTERS, st.booleans())
def test_a_store_finds_what_the_reference_finds(steps, filters, strict):
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
                assert ids_of(store.filter_documents(filters)) == expected  # of what is not committed yet
            for each in (store, reader):
                assert ids_of(each.filter_documents(filters)) == expected
                assert each.count_documents_by_filter(filters) == len(expected)
                assert sorted(ids_of(each.bm25_retrieval("c", filters, top_k=100))) == sorted(expected)
        reader.close()


def test_columns_are_filled_anew_when_many_documents_have_changed(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents([Document(id=str(n), meta={"k": n % 3}) for n in range(3000)])
        for round in range(1, 4):
            assert store.count_documents_by_filter(equal("meta.k", 0)) == 1000
            assert store.update_by_filter({"field": "meta.k", "operator": "!=", "value": 0}, {"k": round * 10}) == 2000
            assert store.count_documents_by_filter(equal("meta.k", round * 10)) == 2000
        assert len(store._contents._indexes._columns._stale) < 2000
