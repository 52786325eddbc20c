import pytest

from spaniel.components.joiners import DocumentJoiner
from spaniel.errors import DeserializationError
from spaniel.utils import deserialize_component_inplace


def test_a_component_takes_the_place_of_its_data():
    data = {"joiner": DocumentJoiner(top_k=3).to_dict()}
    deserialize_component_inplace(data, key="joiner")
    assert data["joiner"].top_k == 3


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "Missing 'joiner' in serialization data"),
        ({"joiner": 3}, "is not a dictionary"),
        ({"joiner": {}}, "Missing 'type' in joiner"),
        ({"joiner": {"type": "not.there.Class"}}, r"'not\.there\.Class' is not known"),
    ],
)
def test_what_is_no_component_is_refused(data, told):
    with pytest.raises(DeserializationError, match=told):
        deserialize_component_inplace(data, key="joiner")
