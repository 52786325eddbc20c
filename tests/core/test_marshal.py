import pytest
from haystack.marshal import YamlMarshaller as HaystackMarshaller

from spaniel.errors import SerializationError
from spaniel.marshal import YamlMarshaller

DATA = {"key": "value", 1: 0.5, "list": [1, None], "tuple": (1, (True,)), "set": {False}}


def test_yaml_is_haystack_s_and_comes_back():
    text = YamlMarshaller().marshal(DATA)
    assert YamlMarshaller().unmarshal(text) == HaystackMarshaller().unmarshal(text) == DATA
    assert YamlMarshaller().unmarshal(HaystackMarshaller().marshal(DATA)) == DATA


@pytest.mark.parametrize("error", [TypeError, SerializationError])
def test_more_than_plain_data_is_refused_as_both_kinds_of_error(error):
    with pytest.raises(error, match="basic Python types"):
        YamlMarshaller().marshal({"key": object()})
