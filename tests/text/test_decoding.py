import pytest

from spaniel.errors import ConversionError
from spaniel.text.decoding import decode


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_with_and_without_a_byte_order_mark_is_read(encoding):
    assert decode("héllo 東京\n".encode(encoding)) == "héllo 東京\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("caf\xe9", "latin-1"),
        ("Der Bär läuft über die Straße.", "cp1252"),
        ("Written by J\xfcrgen in a long English text. " + "More English words. " * 30, "latin-1"),
        ("Привет, как дела? Это русский текст для проверки кодировки. " * 3, "cp1251"),
        ("東京都の天気は晴れです。これは日本語の文章です。" * 3, "shift_jis"),
        ("Zażółć gęślą jaźń. Książka leży na półce. " * 4, "cp1250"),
    ],
)
def test_an_old_encoding_is_guessed(text, encoding):
    assert decode(text.encode(encoding)) == text


def test_a_declared_encoding_wins_over_a_guess():
    page = '<meta charset="iso-8859-2"><p>Zażółć'
    assert decode(page.encode("iso-8859-2")) == page


def test_an_unknown_declared_encoding_is_ignored():
    assert decode('<meta charset="nonsense"><p>café'.encode("cp1252")).endswith("café")


def test_line_ends_become_newlines():
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_a_damaged_byte_in_utf_8_does_not_change_the_rest():
    assert decode(b"\xc3\xa9" * 30 + b"\xff end") == "é" * 30 + "\ufffd end"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0", b"text\0text", bytes(range(1, 32)) * 9])
def test_binary_data_is_refused_with_its_name(data):
    with pytest.raises(ConversionError, match=r"picture\.txt is binary"):
        decode(data, "picture.txt")


def test_nothing_is_an_empty_text():
    assert decode(b"") == ""
