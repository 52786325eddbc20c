import json
import os
import stat
from datetime import UTC, date, datetime, time, timedelta, timezone

import haystack
import numpy as np
import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.in_memory.saved_file import read_file, write_file
from spaniel.errors import DeserializationError, SerializationError, StoreFileError
from tests.document_stores.faces import ids_of, named

SETTINGS = {
    "bm25_tokenization_regex": r"\w+",
    "bm25_algorithm": "BM25Plus",
    "bm25_parameters": {"k1": 1.2},
    "embedding_similarity_function": "cosine",
    "shared": False,
    "return_embedding": False,
    "strict_datetime_comparison": True,
    "search": "leaves",
    "analyzer": "german",
    "fields": {"title": 3.0},
}
META = {
    "naive": datetime(2024, 5, 1, 10, 30, 0, 5),  # noqa: DTZ001 (a date without a zone)
    "aware": datetime(2024, 5, 1, tzinfo=timezone(timedelta(hours=2))),
    "utc": datetime(2024, 5, 1, tzinfo=UTC),
    "date": date(2024, 5, 1),
    "time": time(10, 30, tzinfo=UTC),
    "span": timedelta(days=-1, microseconds=3),
    "tuple": (1, ("a", [2])),
    "set": {1, 2},
    "bytes": b"\x00\xff",
    "ints": np.array([[1, 2], [3, 4]], dtype=np.int16),
    "floats": np.array([0.1, np.nan, np.inf], dtype=np.float32),
    "none": np.empty((0, 3)),
    "words": np.array(["a", "bc"]),
    "moments": np.array(["2024-05-01T10:00:00.000000001"], dtype="datetime64[ns]"),
    "scalar": np.float64(0.1),
    "flag": np.bool_(True),
    "nan": float("nan"),
    "text": 'quotes " and \u2028 lines\n and half a pair \ud800',
    "deep": {"list": [{"x": [None, True, 1, 1.5, "ü"]}], "": {}},
    "keys": {1: "a", None: "b", (1, 2): "c", "__spaniel__": "dict"},
}


def same(first, second):
    """Equal, of the same types, NaN included."""
    return repr(first) == repr(second) and type(first) is type(second)


def test_loads_the_saved_documents(tmp_path):
    store = InMemoryDocumentStore(**SETTINGS)
    store.write_documents(
        [
            Document(
                id="full",
                content="red apple",
                meta=META,
                blob=ByteStream(b"\x00\x01", meta={"a": (1,)}, mime_type="text/x"),
                score=0.5,
                embedding=[0.1, 1 / 3],
                sparse_embedding=SparseEmbedding([1], [0.5]),
            ),
            Document(id="bare"),
            Document(id="clash", content="x", meta={"content": "c", "id": "i", "meta": {"score": 1}}),
        ]
    )
    store.save_to_disk(tmp_path / "store.json")
    loaded = InMemoryDocumentStore.load_from_disk(tmp_path / "store.json")
    loaded.save_to_disk(str(tmp_path / "again.json"))

    assert loaded.to_dict() == store.to_dict()
    assert list(loaded.storage) == ["full", "bare", "clash"]
    for id, document in store.storage.items():
        assert same(loaded.storage[id].to_dict(flatten=False), document.to_dict(flatten=False))
        for key, value in document.meta.items():
            assert same(loaded.storage[id].meta[key], value), key
    assert loaded.storage["full"].meta["ints"].dtype == np.int16
    assert loaded.storage["full"].meta["none"].shape == (0, 3)
    for search in (lambda of: of.bm25_retrieval("apple"), lambda of: of.embedding_retrieval([1, 0])):
        (ours,), (theirs,) = search(loaded), search(store)
        assert (ours.id, ours.score) == (theirs.id, theirs.score)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "store.json").read_bytes()


TIMES = st.datetimes(timezones=st.none() | st.just(UTC)).map(lambda value: value.replace(fold=0))  # ISO 8601 has none
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | TIMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("__spaniel__"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_value_comes_back(tmp_path_factory, value):
    file = tmp_path_factory.mktemp("saved") / "file"
    write_file(file, {"documents": [value]})
    assert same(read_file(file), {"documents": [value]})


class Strange:
    pass


@pytest.mark.parametrize(
    "value", [Strange(), {"deep": [Strange()]}, np.array([Strange()]), np.longdouble(1), np.zeros(1, dtype="i4,f4"), 1j]
)
def test_a_save_that_fails_leaves_the_old_file(tmp_path, value):
    file = tmp_path / "store.json"
    store = InMemoryDocumentStore(shared=False)
    store.write_documents(named("a"))
    store.save_to_disk(file)
    saved = file.read_bytes()
    store.write_documents([Document(id="odd", meta={"x": value})])

    with pytest.raises(StoreFileError, match=r"can't be saved to .*store.json"):
        store.save_to_disk(file)

    assert file.read_bytes() == saved
    assert [path.name for path in tmp_path.iterdir()] == ["store.json"]
    assert ids_of(InMemoryDocumentStore.load_from_disk(file).filter_documents()) == ["a"]


def test_a_crash_on_the_way_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "store.json"
    store = InMemoryDocumentStore()
    store.save_to_disk(file)
    saved = file.read_bytes()
    store.write_documents(named("a"))

    def full(_descriptor):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.save_to_disk(file)
    assert file.read_bytes() == saved
    assert [path.name for path in tmp_path.iterdir()] == ["store.json"]


def test_haystack_destroys_the_old_file(tmp_path):
    file, theirs = tmp_path / "store.json", HaystackStore(shared=False)
    theirs.save_to_disk(str(file))
    theirs.write_documents([haystack.Document(id="a", meta={"at": datetime(2024, 5, 1, tzinfo=UTC)})])
    with pytest.raises(TypeError):
        theirs.save_to_disk(str(file))
    with pytest.raises(json.JSONDecodeError):
        json.loads(file.read_text())


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path):
    file, link = tmp_path / "store.json", tmp_path / "link.json"
    InMemoryDocumentStore().save_to_disk(file)
    file.chmod(0o600)
    link.symlink_to(file)
    store = InMemoryDocumentStore()
    store.write_documents(named("a"))
    store.save_to_disk(link)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert link.is_symlink()
    assert b'"a"' in file.read_bytes()


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"/missing/store\.json'$"):
        InMemoryDocumentStore().save_to_disk(tmp_path / "missing" / "store.json")
    with pytest.raises(FileNotFoundError, match=r"missing\.json not found"):
        InMemoryDocumentStore.load_from_disk(tmp_path / "missing.json")


GOOD = {"type": "spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore", "init_parameters": {}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "5",
        "{}",
        json.dumps({**GOOD, "documents": {}}),
        json.dumps({**GOOD, "documents": [5]}),
        json.dumps({**GOOD, "documents": [{"content": 5}]}),
        json.dumps({**GOOD, "documents": [{"id": "a", "embedding": ["x"]}]}),
        json.dumps({**GOOD, "documents": [{"__spaniel__": "unknown", "value": 1}]}),
        json.dumps({**GOOD, "documents": [{"__spaniel__": "array"}]}),
        json.dumps({**GOOD, "documents": [{"__spaniel__": ["tuple"], "value": []}]}),
        json.dumps({**GOOD, "init_parameters": {"search": "roots"}, "documents": []}),
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_a_clear_error(tmp_path, text):
    file = tmp_path / "store.json"
    file.write_text(text)
    with pytest.raises(StoreFileError, match=r"store\.json"):
        InMemoryDocumentStore.load_from_disk(file)


def test_bytes_that_are_no_text_are_a_clear_error(tmp_path):
    (tmp_path / "store.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreFileError, match="can't be read"):
        InMemoryDocumentStore.load_from_disk(tmp_path / "store.json")


def test_a_file_of_another_class_names_it(tmp_path):
    file = tmp_path / "store.json"
    file.write_text(json.dumps({"type": "os.system", "init_parameters": {}, "documents": []}))
    with pytest.raises(DeserializationError, match=r"os\.system"):
        InMemoryDocumentStore.load_from_disk(file)


def test_loading_into_documents_that_are_there_keeps_them(tmp_path):
    store = InMemoryDocumentStore()
    store.write_documents(named("a", "b"))
    store.save_to_disk(tmp_path / "store.json")
    store.delete_documents(["a"])
    store.write_documents(named("c"))
    loaded = InMemoryDocumentStore.load_from_disk(tmp_path / "store.json")
    assert ids_of(loaded.filter_documents()) == ids_of(store.filter_documents()) == ["c", "a", "b"]


def test_a_tokenizer_without_a_name_can_t_be_saved_and_the_old_file_stays(tmp_path):
    file = tmp_path / "store.json"
    file.write_text("old")
    with pytest.raises(SerializationError, match="lambda"):
        InMemoryDocumentStore(analyzer=lambda text: text.split()).save_to_disk(file)
    assert file.read_text() == "old"
