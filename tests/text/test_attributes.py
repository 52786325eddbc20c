import pytest

from spaniel.text.attributes import match_attributes, split_attributes


@pytest.mark.parametrize("text", ["{#a}", "{ #a }", "{.b #a}", "{#a .b c=d}", '{: #a title="x y"}', "{/* #a */}"])
def test_lists_give_their_id(text):
    found = match_attributes(text)
    assert found == ("a", len(text))


@pytest.mark.parametrize("text", ["{a}", "{a b}", "{}", "{{#a}}", "{#a", "{.b} c", "{#}", "{a: 1}"])
def test_other_braces_end_no_title(text):
    title = f"T {text}"
    assert split_attributes(title) == (title, None)
