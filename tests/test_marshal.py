import pytest
from haystack.marshal import YamlMarshaller as HaystackMarshaller

from spaniel.errors import SerializationError
from spaniel.marshal import YamlMarshaller

DATA = {"key": "value", 1: 0.5, "list": [1, None], "tuple": (1, (True,)), "set": {False}}


def test_yaml_is_that_of_haystack_and_round_trips():
    text = YamlMarshaller().marshal(DATA)
    assert YamlMarshaller().unmarshal(text) == HaystackMarshaller().unmarshal(text) == DATA
    assert YamlMarshaller().unmarshal(HaystackMarshaller().marshal(DATA)) == DATA


@pytest.mark.parametrize("error", [TypeError, SerializationError])
def test_rejects_other_than_plain_data_with_both_error_types(error):
    with pytest.raises(error, match="basic Python types"):
        YamlMarshaller().marshal({"key": object()})
