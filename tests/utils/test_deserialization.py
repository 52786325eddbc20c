import pytest

from spaniel.components.joiners import DocumentJoiner
from spaniel.errors import DeserializationError
from spaniel.utils import deserialize_component_inplace


def test_replaces_a_serialised_component():
    data = {"joiner": DocumentJoiner(top_k=3).to_dict()}
    deserialize_component_inplace(data, key="joiner")
    assert data["joiner"].top_k == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "Missing 'joiner' in serialization data"),
        ({"joiner": 3}, "is not a dictionary"),
        ({"joiner": {}}, "Missing 'type' in joiner"),
        ({"joiner": {"type": "not.there.Class"}}, r"'not\.there\.Class' is not known"),
    ],
)
def test_rejects_other_than_components(data, message):
    with pytest.raises(DeserializationError, match=message):
        deserialize_component_inplace(data, key="joiner")
