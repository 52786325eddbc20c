import haystack.dataclasses
import pytest
from hypothesis import given

from spaniel.dataclasses import SparseEmbedding
from tests.dataclasses.documents import SPARSE


@given(SPARSE)
def test_plain_data_and_looks_are_haystack_s(fields):
    ours, theirs = SparseEmbedding(**fields), haystack.dataclasses.SparseEmbedding(**fields)
    assert ours.to_dict() == theirs.to_dict() == fields
    assert repr(ours) == repr(theirs)
    assert SparseEmbedding.from_dict(fields) == ours


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 indices, 1 values"):
        SparseEmbedding([1, 2], [0.5])


def test_assigning_to_a_field_warns():
    with pytest.warns(Warning, match="'values'"):
        SparseEmbedding([1], [0.5]).values = []


def test_plain_data_shares_nothing_with_the_vector():
    vector = SparseEmbedding([1], [0.5])
    vector.to_dict()["indices"].append(2)
    assert vector.indices == [1]
