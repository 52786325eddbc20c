"""Documents survive a store unchanged, or are rejected before anything is written."""

import math
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import IntEnum, StrEnum
from pathlib import Path
from uuid import UUID

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.local import LocalDocumentStore, transaction
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.errors import DuplicateDocumentError
from tests.document_stores.faces import equal, ids_of, named

TEXTS = st.text(st.characters(), max_size=5) | st.sampled_from(["\ud800", "\0", "a\0b", "__spaniel__", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | st.dates() | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(TEXTS | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


def same(first, second) -> bool:
    """Return if values are equal and of the same types, all the way down."""
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        pairs = zip(first.items(), second.items(), strict=True)
        return len(first) == len(second) and all(same(a, b) for pair in pairs for a, b in zip(*pair, strict=True))
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


@settings(max_examples=500)
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_metadata_survives_as_json(meta):
    text = to_json(meta, "a document")
    text.encode()  # every SQLite tool can read it
    assert "\0" not in text
    assert same(from_json(text), meta)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_survive(number):
    (found,) = from_json(to_json([number], "a document"))
    assert repr(found) == repr(number)


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1, 2], [3, 4]], np.int16),
        np.float32(0.1),
        np.datetime64("2024-05-01"),
        np.str_("a"),
    ],
)
def test_numpy_values_survive(value):
    found = from_json(to_json({"k": value}, "a document"))["k"]
    assert type(found) is type(value)
    assert found.dtype == value.dtype
    assert found.tolist() == value.tolist()


@pytest.mark.parametrize("value", [datetime(2024, 5, 1, tzinfo=UTC), date.min, time(1, 2), timedelta(-1, 5), {1, "a"}])
def test_python_values_survive(value):
    assert same(from_json(to_json({"k": [value]}, "a document")), {"k": [value]})


class Colour(StrEnum):
    RED = "red"


class Number(IntEnum):
    ONE = 1


LOOP: list = []
LOOP.append(LOOP)
DEEP: list = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize("value", [object(), Decimal(1), UUID(int=1), Path("a"), Colour.RED, Number.ONE, LOOP, DEEP])
@pytest.mark.parametrize("place", [lambda value: value, lambda value: [{"a": (value,)}]])
def test_rejects_unsupported_metadata_without_writing(tmp_path, value, place):
    with LocalDocumentStore(tmp_path) as store:
        with pytest.raises(ValueError, match=r"'odd' of document 'b' can't be stored"):
            store.write_documents([*named("a"), Document(id="b", meta={"fine": 1, "odd": place(value)})])
        assert store.count_documents() == 0
        store.write_documents(named("a"))
        with pytest.raises(ValueError, match=r"'odd' of the update can't be stored"):
            store.update_by_filter({"field": "id", "operator": "==", "value": "a"}, {"odd": place(value)})
        assert store.filter_documents() == named("a")


@pytest.mark.parametrize("id", [5, None, b"a", Colour.RED])
def test_rejects_ids_that_are_not_text(tmp_path, id):
    document = Document(content="a")
    document.__dict__["id"] = id
    with LocalDocumentStore(tmp_path) as store, pytest.raises(ValueError, match="must be text"):
        store.write_documents([document])


@given(TEXTS.filter(bool), st.none() | TEXTS, st.none() | st.floats(allow_nan=False) | st.integers(0, 9))
@settings(max_examples=50, deadline=None)
def test_a_document_survives(id, content, score):
    blob = ByteStream(b"\0\xff", {"k": (1,)}, "text/plain")
    sparse = SparseEmbedding([3, 2**40], [0.1, -1.0])
    document = Document(id=id, content=content, score=score, blob=blob, sparse_embedding=sparse, meta={"k": {"l": [1]}})
    with tempfile.TemporaryDirectory() as folder:
        with LocalDocumentStore(folder) as store:
            store.write_documents([document])
        with LocalDocumentStore(folder) as store:
            assert store.filter_documents() == store.get_documents_by_id([id]) == [document]
            assert store.filter_documents({"field": "id", "operator": "==", "value": id}) == [document]
            assert [id] == list(store.storage)
            store.delete_documents([id])
            assert store.count_documents() == 0


FLOATS = st.floats(-1e153, 1e153)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(FLOATS | st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2)),
)
def test_embeddings_survive_exactly(vectors):
    documents = [Document(id=str(n), embedding=vector) for n, vector in enumerate(vectors)]
    with tempfile.TemporaryDirectory() as folder, LocalDocumentStore(folder) as store:
        store.write_documents(documents)
        assert [document.embedding for document in store.filter_documents()] == vectors


def types_in(path) -> list[str]:
    database = apsw.Connection(str(path / "documents.db"), flags=apsw.SQLITE_OPEN_READONLY)
    return [kind for (kind,) in database.execute("SELECT embedding_type FROM documents ORDER BY slot")]


def test_embeddings_are_float32_where_that_is_exact(tmp_path):
    vectors = [[0.5, 1.0], [0.1, 1.0], [float(np.float32(0.1)), 1.0], [1e100, 1.0], [1, 2], [2**53 + 1, 0]]
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents([Document(id=str(n), embedding=vector) for n, vector in enumerate(vectors)])
        assert types_in(tmp_path) == ["float32", "float64", "float32", "float64", "float32", "json"]
        assert [document.embedding for document in store.filter_documents()] == vectors


@pytest.mark.parametrize(("dtype", "size"), [("float16", 2), ("float32", 4), ("float64", 8)])
def test_embeddings_are_rounded_to_the_requested_type(tmp_path, dtype, size):
    with LocalDocumentStore(tmp_path, embedding_dtype=dtype) as store:
        store.write_documents([Document(id="a", embedding=[0.1, 3.0])])
        (found,) = store.filter_documents()
        assert found.embedding == np.array([0.1, 3.0], dtype).tolist()
        assert types_in(tmp_path) == [dtype]
        (nearest,) = store.embedding_retrieval([1.0, 0.0])
        assert nearest.score == found.embedding[0]


def test_rejects_numbers_too_large_for_float16(tmp_path):
    with (
        LocalDocumentStore(tmp_path, embedding_dtype="float16") as store,
        pytest.raises(ValueError, match="document 'a' holds a number that is too large for float16"),
    ):
        store.write_documents([Document(id="a", embedding=[70000.0])])


@pytest.mark.parametrize("embedding", [[math.nan], [math.inf], [], ["a"], [[1.0]]])
def test_rejects_embeddings_that_are_not_vectors(tmp_path, embedding):
    with LocalDocumentStore(tmp_path) as store:
        with pytest.raises(ValueError, match="document 'b'"):
            store.write_documents([*named("a"), Document(id="b", embedding=embedding)])
        assert store.count_documents() == 0


def test_any_sqlite_tool_reads_the_documents(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents([Document(id="a", content="Straße", meta={"year": 2020, "tags": ["x", "ü"]})])
    database = apsw.Connection(str(tmp_path / "documents.db"), flags=apsw.SQLITE_OPEN_READONLY)
    sql = "SELECT id, content, meta ->> 'year', meta ->> '$.tags[1]' FROM documents"
    assert database.execute(sql).fetchall() == [("a", "Straße", 2020, "ü")]
    database.close()


# --- records and transactions ---------------------------------------------------------------------


def test_records_are_kept_beside_the_documents(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.records["b"] = {"size": 3, "at": date(2024, 5, 1)}
        store.records["a"] = [1, None]
        store.records["\ud800"] = 1
        del store.records["\ud800"]
        with pytest.raises(KeyError):
            del store.records["c"]
    with LocalDocumentStore(tmp_path) as store:
        assert dict(store.records) == {"a": [1, None], "b": {"size": 3, "at": date(2024, 5, 1)}}
        assert len(store.records) == 2
        assert "c" not in store.records


def test_a_transaction_is_atomic(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents(named("a", "b"))
        with pytest.raises(RuntimeError, match="stop"), store.transaction():  # noqa: PT012 (the block is rolled back)
            store.delete_documents(["a"])
            store.write_documents(named("c"))
            store.records["k"] = 1
            assert ids_of(store.filter_documents()) == ["b", "c"]
            raise RuntimeError("stop")
        assert ids_of(store.filter_documents()) == ["a", "b"]
        assert ids_of(store.bm25_retrieval("a c")) == ["a"]
        assert dict(store.records) == {}
        with store.transaction():
            store.delete_documents(["a"])
            with pytest.raises(ValueError, match="can't be stored"):
                store.write_documents([*named("d"), Document(id="e", meta={"k": object()})])
            store.write_documents(named("c"))
        assert ids_of(store.filter_documents()) == ["b", "c"]
        assert ids_of(store.bm25_retrieval("a c d")) == ["c"]


def test_rollback_drops_columns_built_inside_a_transaction(tmp_path):
    """The filter is the first one on its key, so its column is built inside the transaction."""

    def found() -> list[str]:
        return [document.id for document in store.filter_documents(equal("meta.k", 1))]

    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents([Document(id="a", meta={"k": 1}), Document(id="b", meta={"k": 2})])
        with pytest.raises(RuntimeError, match="stop"), store.transaction():  # noqa: PT012 (the block is rolled back)
            store.delete_documents(["a"])
            store.write_documents([Document(id="c", meta={"k": 1})])
            store.update_by_filter(equal("id", "b"), {"k": 1})
            assert found() == ["b", "c"]
            with ThreadPoolExecutor(1) as other:
                assert other.submit(found).result() == ["a"]
            raise RuntimeError("stop")
        assert found() == ["a"]


def test_all_documents_can_be_replaced_in_one_transaction(tmp_path):
    with LocalDocumentStore(tmp_path) as store:
        store.write_documents(named("a", "b"))
        assert ids_of(store.bm25_retrieval("a")) == ["a"]
        with store.transaction():
            store.delete_all_documents()
            assert store.count_documents() == 0
            store.write_documents(named("c"))
            assert ids_of(store.filter_documents({"field": "id", "operator": "!=", "value": "x"})) == ["c"]
        assert ids_of(store.bm25_retrieval("a b c")) == ["c"]


def test_an_iterator_that_fails_midway_writes_nothing(tmp_path, monkeypatch):
    def documents():
        yield from named(*map(str, range(2500)))
        raise RuntimeError("stop")

    written = []
    monkeypatch.setattr(transaction, "_MAX_BATCH_DOCUMENTS", 1000)
    with LocalDocumentStore(tmp_path) as store:
        with pytest.raises(RuntimeError, match="stop"):
            store.write_documents(documents(), progress=written.append)
        assert store.count_documents() == 0
        assert store.bm25_retrieval("7") == []
    assert written == [1000, 2000]


def test_a_duplicate_in_a_later_batch_fails_or_replaces_as_in_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(transaction, "_MAX_BATCH_DOCUMENTS", 1000)
    ids = [*map(str, range(1500)), "7"]
    with LocalDocumentStore(tmp_path) as store:
        with pytest.raises(DuplicateDocumentError, match="'7' already exists twice in this batch"):
            store.write_documents(named(*ids))
        assert store.count_documents() == 0
        assert store.write_documents(named(*ids), "overwrite") == 1501
        assert ids_of(store.filter_documents())[-1] == "7"
        assert store.count_documents() == 1500
        assert store.search_statistics()["documents"] == 1500
        assert store.write_documents(iter(named(*ids)), "skip") == 0


def test_rejects_deep_metadata():
    assert sys.getrecursionlimit() < 5000
    with pytest.raises(ValueError, match="can't be stored"):
        to_json({"k": DEEP}, "document 'a'")
