import copy
import dataclasses
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.pipeline.ownership import deep_copy


class Words(list):
    pass


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=3)
    | st.binary(max_size=3)
    | st.just(datetime(2024, 5, 1, tzinfo=timezone.utc))  # noqa: UP017
    | st.just({1, 2}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(Words)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


def mutables(value):
    """The ids of everything in a value that can be changed."""
    if isinstance(value, dict):
        return {id(value)}.union(*map(mutables, value.values()))
    if isinstance(value, (list, tuple)):
        own = set() if isinstance(value, tuple) else {id(value)}
        return own.union(*map(mutables, value))
    return {id(value)} if isinstance(value, set) else set()


@given(VALUES)
def test_a_copy_equals_its_value_and_shares_nothing_mutable(value):
    copied = copy_value(value)
    expected = copy.deepcopy(value)
    assert copied == expected
    assert repr(copied) == repr(expected)
    assert type(copied) is type(expected)
    assert not mutables(copied) & mutables(value)


def test_a_value_in_itself_is_refused_and_not_walked_without_end():
    endless: list = []
    endless.append({"again": endless})
    with pytest.raises(RecursionError, match="nested more than 400 levels deep"):
        copy_value(endless)


def test_raises_the_error_of_an_object_that_is_copied():
    class Stubborn:
        def __deepcopy__(self, memo):
            raise OSError("no")

    with pytest.raises(OSError, match="no"):
        copy_value({"a": [Stubborn()]})


def lazy_copy(**fields):
    document = Document(**fields)
    return document, Document.copies_of([document], lazy=True)[0]


READS = {
    "attribute": lambda document: document.meta,
    "copy": lambda document: copy.copy(document).meta,
    "deepcopy": lambda document: copy.deepcopy(document).meta,
    "pickle": lambda document: pickle.loads(pickle.dumps(document)).meta,  # noqa: S301 (of this test)
    "asdict": lambda document: dataclasses.asdict(document)["meta"],
    "replace": lambda document: dataclasses.replace(document, score=1.0).meta,
    "to_dict": lambda document: document.to_dict(flatten=False)["meta"],
    "independent_copy": lambda document: document.independent_copy().meta,
    "copies_of": lambda document: Document.copies_of([document])[0].meta,
    "copies_of, lazy": lambda document: Document.copies_of([document], lazy=True)[0].meta,
    "deep_copy": lambda document: deep_copy(document).meta,
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_metadata_of_a_lazy_copy_is_a_dict_of_its_own(read):
    document, copied = lazy_copy(content="a", meta={"tags": ["x"], "page": {"number": 1}})
    meta = read(copied)
    assert type(meta) is dict
    assert json.loads(json.dumps(meta)) == {"tags": ["x"], "page": {"number": 1}}
    meta["tags"].append("y")
    meta["new"] = 1
    assert document.meta == {"tags": ["x"], "page": {"number": 1}}


def test_a_lazy_copy_equals_its_original():
    document, copied = lazy_copy(content="a", meta={"tags": ["x"]}, embedding=[1.0], blob=ByteStream(b"b"), score=0.5)
    assert copied == document
    assert copied.meta is copied.meta
    assert repr(copied) == repr(document)


def test_copies_share_nothing_else():
    document, copied = lazy_copy(embedding=[1.0], blob=ByteStream(b"b", meta={"k": []}))
    copied.embedding.append(2.0)
    copied.blob.meta["k"].append(1)
    assert (document.embedding, document.blob.meta) == ([1.0], {"k": []})


def test_copies_take_scores_and_drop_embeddings():
    documents = [Document(id=id, embedding=[1.0], score=9.0) for id in "ab"]
    copies = Document.copies_of(documents, [0.5, 0.25], embedding=False)
    assert [(copied.id, copied.score, copied.embedding) for copied in copies] == [("a", 0.5, None), ("b", 0.25, None)]
    assert [document.embedding for document in documents] == [[1.0], [1.0]]


def test_metadata_first_read_by_many_threads_is_one_dict():
    for _ in range(200):
        _, copied = lazy_copy(meta={"tags": ["x"]})
        with ThreadPoolExecutor(4) as pool:
            read = list(pool.map(getattr, [copied] * 8, ["meta"] * 8))
        assert all(meta is read[0] for meta in read)


def test_assigning_to_metadata_that_was_not_read_yet_warns():
    _, copied = lazy_copy(meta={"a": 1})
    with pytest.warns(Warning, match="meta"):
        copied.meta = {"b": 2}
    assert copied.meta == {"b": 2}


def test_a_copy_of_a_subclass_keeps_its_class_and_attributes():
    class Page(Document):
        pass

    page = Page(content="a", meta={"n": 1})
    page.__dict__["marks"] = [1]
    copied = Document.copies_of([page], lazy=True)[0]
    copied.marks.append(2)
    assert (type(copied), page.marks, copied.meta) == (Page, [1], {"n": 1})


def test_an_attribute_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError, match="'Document' object has no attribute 'title'"):
        _ = lazy_copy()[1].title
