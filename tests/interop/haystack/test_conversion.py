import datetime as dt

import numpy as np
import pytest
from haystack import Document as TheirDocument
from haystack.dataclasses import ByteStream as TheirByteStream
from haystack.dataclasses import SparseEmbedding as TheirSparseEmbedding
from haystack.document_stores.types import DuplicatePolicy as TheirDuplicatePolicy
from hypothesis import given

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.document_stores.types import DuplicatePolicy, FilterPolicy
from spaniel.interop.haystack import from_haystack, to_haystack
from tests.dataclasses.documents import FIELDS, document

documents = FIELDS.map(document)


@given(documents)
def test_a_document_comes_back_as_it_went(ours):
    there = to_haystack(ours)

    assert type(there) is TheirDocument
    assert there.to_dict(flatten=False) == ours.to_dict(flatten=False)
    assert from_haystack(there) == ours


@pytest.mark.parametrize(
    "value",
    [np.float32(0.1), np.array([1, 2]), dt.date(2024, 2, 29), (1, 2), {1, 2}, b"\x00", 2**70, float("inf")],
)
def test_metadata_keeps_values_and_their_types(value):
    came = from_haystack(to_haystack(Document(content="a", meta={"it": value}))).meta["it"]

    assert type(came) is type(value)
    assert np.array_equal(came, value)


@pytest.mark.parametrize("convert", [to_haystack, from_haystack])
def test_the_two_documents_share_nothing(convert):
    document = Document(id="1", meta={"tags": ["x"]}, embedding=[1.0], blob=ByteStream(b"", meta={"n": []}))
    original = document if convert is to_haystack else to_haystack(document)
    converted = convert(original)

    converted.meta["tags"].append("y")
    converted.embedding.append(2.0)
    converted.blob.meta["n"].append(1)

    assert original.to_dict() == to_haystack(Document.from_dict(original.to_dict())).to_dict()
    assert (original.meta, original.embedding, original.blob.meta) == ({"tags": ["x"]}, [1.0], {"n": []})


def test_values_are_found_in_containers():
    value = {"a": [(Document(id="1"), "text")], "b": {"c": SparseEmbedding([1], [2.0])}, "d": None}

    there = to_haystack(value)

    assert there == {
        "a": [(TheirDocument(id="1"), "text")],
        "b": {"c": TheirSparseEmbedding([1], [2.0])},
        "d": None,
    }
    assert from_haystack(there) == value


def test_a_file_in_memory_is_converted():
    assert to_haystack(ByteStream(b"x", {"k": 1}, "text/plain")) == TheirByteStream(b"x", {"k": 1}, "text/plain")


@pytest.mark.parametrize("name", ["NONE", "SKIP", "OVERWRITE", "FAIL"])
def test_policies_are_converted(name):
    assert to_haystack(DuplicatePolicy[name]) is TheirDuplicatePolicy[name]
    assert from_haystack(TheirDuplicatePolicy[name]) is DuplicatePolicy[name]


def test_a_policy_that_haystack_lacks_is_an_error():
    with pytest.raises(ValueError, match="restrict"):
        to_haystack(FilterPolicy.RESTRICT)


def test_values_of_neither_package_are_unchanged():
    value = object()

    assert to_haystack(value) is value
    assert from_haystack([value])[0] is value
