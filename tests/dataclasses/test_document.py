import copy
import dataclasses
import hashlib
import pickle
import warnings
from datetime import datetime

import haystack
import numpy as np
import pytest
from hypothesis import given

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from tests.dataclasses.documents import FIELDS, document, haystack_document

FULL = {
    "id": "1",
    "content": "text",
    "blob": {"data": b"abc", "meta": {"a": [1]}, "mime_type": "text/plain"},
    "meta": {"tags": ["x"], "deep": {"year": 2020}},
    "score": 0.5,
    "embedding": [0.1, 0.2],
    "sparse_embedding": {"indices": [1], "values": [0.5]},
}


@given(FIELDS)
def test_ids_are_haystack_s(fields):
    assert document(fields).id == haystack_document(fields).id


@given(FIELDS)
def test_plain_data_is_haystack_s_flattened_or_not(fields):
    for flatten in (True, False):
        assert document(fields).to_dict(flatten=flatten) == haystack_document(fields).to_dict(flatten=flatten)
        assert list(document(fields).to_dict(flatten=flatten)) == list(
            haystack_document(fields).to_dict(flatten=flatten)
        )


@given(FIELDS)
def test_documents_that_haystack_wrote_are_read_as_by_haystack(fields):
    for flatten in (True, False):
        data = haystack_document(fields).to_dict(flatten=flatten)
        kept = copy.deepcopy(data)
        assert Document.from_dict(data).to_dict() == haystack.Document.from_dict(data).to_dict()
        assert data == kept


@given(FIELDS)
def test_a_document_comes_back_from_its_plain_data(fields):
    made = document(fields)
    assert Document.from_dict(made.to_dict(flatten=False)) == made


@given(FIELDS)
def test_it_looks_like_haystack_s(fields):
    theirs = repr(haystack_document(fields))
    assert repr(document(fields)) == (theirs.removesuffix(", )") + ")" if theirs.endswith(", )") else theirs)


def test_a_document_with_nothing_but_an_id_ends_in_a_comma_in_haystack():
    assert repr(haystack.Document(id="1")) == "Document(id=1, )"
    assert repr(Document(id="1")) == "Document(id=1)"


@given(FIELDS, FIELDS)
def test_documents_are_equal_where_haystack_s_are(first, second):
    assert (document(first) == document(second)) is (haystack_document(first) == haystack_document(second))
    assert document(first) == document(first)


@given(FIELDS)
def test_a_copy_is_equal_and_has_the_same_id(fields):
    made = document(fields)
    for copied in (made.independent_copy(), copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 (of the line itself)
        assert copied == made
        assert copied.id == made.id


def test_the_id_is_the_hash_of_the_fields():
    text = 'aNoneNoneNone{"a": "x", "b": 1}None'
    assert Document(content="a", meta={"b": 1, "a": "x"}).id == hashlib.sha256(text.encode()).hexdigest()


def test_empty_text_has_the_id_of_none():
    assert Document(content="").id == Document(content=None).id == haystack.Document(content="").id


def test_neither_the_score_nor_the_metadata_of_a_blob_is_part_of_the_id():
    assert Document(content="a", score=1.0).id == Document(content="a").id
    assert Document(blob=ByteStream(b"a", meta={"x": 1})).id == Document(blob=ByteStream(b"a")).id


def test_metadata_keys_of_mixed_types_have_no_order_to_hash():
    for package in (Document, haystack.Document):
        with pytest.raises(TypeError):
            package(meta={1: "a", "b": 2})


@pytest.mark.parametrize("content", [1, b"bytes", ["list"], {"a": 1}])
def test_content_is_text_or_none(content):
    for package in (Document, haystack.Document):
        with pytest.raises(ValueError, match="content"):
            package(content=content)


def test_legacy_fields_are_dropped_and_unknown_ones_refused():
    assert Document(content="a", content_type="text", id_hash_keys=["x"], dataframe=None) == Document(content="a")
    with pytest.raises(TypeError, match=r"no field \['colour'\]"):
        Document(content="a", colour="red")


def test_legacy_fields_in_plain_data_are_ignored():
    data = {"id": "1", "content": "a", "content_type": "text", "dataframe": None, "id_hash_keys": None, "year": 1}
    assert Document.from_dict(data).meta == haystack.Document.from_dict(data).meta == {"year": 1}


def test_flat_keys_win_over_nested_metadata():
    data = {"id": "1", "meta": {"year": 1, "kept": True}, "year": 2}
    assert Document.from_dict(data).meta == haystack.Document.from_dict(data).meta == {"year": 2, "kept": True}


def test_arrays_become_lists():
    made = Document(content="a", embedding=np.array([1.0, 2.0]))
    assert made.embedding == [1.0, 2.0]
    assert made.id == haystack.Document(content="a", embedding=np.array([1.0, 2.0])).id


def test_the_type_of_the_content_is_text_or_unknown():
    assert Document(content="").content_type == "text"
    with pytest.raises(ValueError, match="no content"):
        _ = Document().content_type


def test_equality_takes_the_class_into_account():
    class Page(Document):
        pass

    assert Document(content="a") != Page(content="a")
    assert Document(content="a") != "a"
    with pytest.raises(TypeError):
        hash(Document(content="a"))


def test_documents_with_arrays_in_their_metadata_can_be_compared():
    def made(*sizes):
        return Document(id="1", meta={"deep": [{"sizes": np.array(sizes)}]})

    assert made(1, 2) == made(1, 2)
    assert made(1, 2) != made(1, 3)
    assert made(1, 2) != made(1)
    with pytest.raises(ValueError, match="ambiguous"):
        _ = haystack.Document(id="1", meta={"a": np.array([1, 2])}) == haystack.Document(
            id="1", meta={"a": np.array([1, 2])}
        )


@pytest.mark.parametrize("name", list(FULL))
def test_assigning_to_a_field_warns_and_assigns(name):
    made = document(FULL)
    with pytest.warns(Warning, match=f"'{name}'"):
        setattr(made, name, None)
    assert getattr(made, name) is None
    with pytest.warns(Warning, match=name):
        setattr(haystack_document(FULL), name, None)


def test_building_copying_and_other_attributes_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = document(FULL)
        made.note = "not a field"
        replaced = dataclasses.replace(made, score=1.0)
        made.independent_copy(score=2.0)
        Document.from_dict(made.to_dict())
    assert (replaced.id, replaced.score) == ("1", 1.0)


def test_a_replaced_field_keeps_the_id():
    made = Document(content="a")
    assert dataclasses.replace(made, content="b").id == made.id


def test_plain_data_and_copies_share_nothing_with_the_document():
    made = document(FULL)
    for flatten in (True, False):
        data = made.to_dict(flatten=flatten)
        (data if flatten else data["meta"])["tags"].append("y")
        data["embedding"].append(0.3)
        data["blob"]["meta"]["a"].append(2)
        data["sparse_embedding"]["indices"].append(3)
    copied = made.independent_copy()
    copied.meta["deep"]["year"] = 1999
    copied.blob.meta["a"].append(3)
    copied.sparse_embedding.values.append(1.0)
    assert made == document(FULL)


def test_a_subclass_stays_one_when_copied():
    class Page(Document):
        pass

    assert type(Page(content="a").independent_copy()) is Page


def test_two_documents_have_metadata_of_their_own():
    first, second = Document(content="a"), Document(content="b")
    first.meta["seen"] = datetime(2024, 1, 1)  # noqa: DTZ001 (any value)
    assert second.meta == {}


def test_sparse_embeddings_are_built_again():
    assert document(FULL).sparse_embedding == SparseEmbedding([1], [0.5])
    assert Document.from_dict(document(FULL).to_dict()).sparse_embedding == SparseEmbedding([1], [0.5])
