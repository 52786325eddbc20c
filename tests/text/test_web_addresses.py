import pytest

from spaniel.text.web_addresses import find_addresses


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://a.org/Foo_(bar)", "https://a.org/Foo_(bar)"),
        ("(https://a.org/b)", "https://a.org/b"),
        ("(see https://a.org/Foo_(bar)), yes", "https://a.org/Foo_(bar)"),
        ("“https://a.org/b”", "https://a.org/b"),
        ("见 https://a.org/b。", "https://a.org/b"),
        ("https://a.org/?b=c&d=e.", "https://a.org/?b=c&d=e"),
        ("**https://a.org/b**", "https://a.org/b"),
    ],
)
def test_signs_after_an_address_are_not_part_of_it(text, address):
    assert [text[start:end] for start, end in find_addresses(text)] == [address]


@pytest.mark.parametrize("text", ["https://", "xhttp:/a", "no address"])
def test_other_words_are_no_addresses(text):
    assert list(find_addresses(text)) == []
