import pytest
from haystack.components.preprocessors import TextCleaner as ReferenceCleaner
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.preprocessors import TextCleaner

parameters_of_cleaners = st.fixed_dictionaries(
    {
        "remove_regexps": st.sampled_from([None, [], [r"\d+"], ["the", r"\s"], ["a|b", "C"]]),
        "convert_to_lowercase": st.booleans(),
        "remove_punctuation": st.booleans(),
        "remove_numbers": st.booleans(),
    }
)


@given(st.lists(st.text("aAbBcC the12!.,-_ ß٣é日", max_size=12), max_size=4), parameters_of_cleaners)
def test_strings_equal_the_reference(texts, parameters):
    assert TextCleaner(**parameters).run(texts) == ReferenceCleaner(**parameters).run(texts)


@pytest.mark.parametrize("texts", ["text", ["a", 1], None])
def test_anything_but_a_list_of_strings_is_refused(texts):
    with pytest.raises(TypeError, match="list of strings"):
        TextCleaner().run(texts)


def test_the_serialised_form_is_the_reference_s_and_comes_back():
    parameters = {"remove_regexps": ["a"], "remove_numbers": True}
    expected = ReferenceCleaner(**parameters).to_dict()

    written = TextCleaner(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert TextCleaner.from_dict(written).to_dict() == written
