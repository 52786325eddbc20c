import pytest
from webencodings.labels import LABELS

from spaniel.errors import ConversionError
from spaniel.text.declared_encoding import find_codecs
from spaniel.text.decoding import decode


def page(text, encoding, declared):
    return decode(f'<meta charset="{declared}"><p>{text}'.encode(encoding), "page.html").partition("<p>")[2]


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("朱镕基，今天", "gbk", "gb2312"),
        ("𠀀朱", "gb18030", "GBK"),
        ("①日本語", "cp932", "shift_jis"),
        ("①日本語", "cp932", "windows-31j"),
        ("①日本語", "euc_jis_2004", "euc-jp"),
        ("똠방각하", "cp949", "euc-kr"),
        ("“smart” – €", "cp1252", "iso-8859-1"),
        ("“smart” – €", "cp1252", "x-user-defined"),
        ("Привет", "koi8-r", "koi8-r"),
        ("日本", "iso2022_jp", "iso-2022-jp"),
        ("模", "gbk", "gb2312"),
        ("caf\xe9", "utf-8", "utf-16"),
        ("中文", "hz", "hz-gb-2312"),
    ],
)
def test_a_declared_encoding_is_that_of_the_standard(text, encoding, declared):
    assert page(text, encoding, declared) == text


@pytest.mark.parametrize("label", sorted(LABELS))
def test_each_label_of_the_standard_decodes_ascii(label):
    codecs = find_codecs(label)
    assert codecs is None or all(b"a b".decode(codec) == "a b" for codec in codecs)
    assert codecs is not None or LABELS[label] == "replacement"


@pytest.mark.parametrize("label", ["unicode_escape", "raw-unicode-escape", "rot13", "base64", "idna", "utf-7", "zlib"])
def test_no_codec_of_python_alone_is_an_encoding(label):
    assert find_codecs(label) is None
    assert decode(f"# coding: {label}\n\\x41 caf\xe9".encode("cp1252")) == f"# coding: {label}\n\\x41 caf\xe9"


def test_damaged_bytes_of_a_declared_encoding_are_replaced():
    data = '<meta charset="shift_jis"><p>日本'.encode("shift_jis") + b"\x81 end"
    assert decode(data, "page.html").endswith("日本\ufffd end")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<p>A page may say charset=utf-16: caf\xe9", "page.html"),
        ("<!-- <meta charset=koi8-r> --><p>caf\xe9", "page.html"),
        ("<script>'<meta charset=koi8-r>'</script>caf\xe9", "page.html"),
        ('<meta name="x" content="text/html; charset=koi8-r">caf\xe9', "page.html"),
        ("<meta charset=koi8-r> is how a page begins, caf\xe9", "notes.txt"),
        ("Line one.\n\nThe third line has coding: koi8-r, caf\xe9", "notes.txt"),
    ],
)
def test_a_mention_of_an_encoding_is_no_declaration(text, name):
    assert decode(text.encode("cp1252"), name) == text


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ('<meta content="text/html; charset=koi8-r" http-equiv=Content-Type>Привет', "koi8-r", "a.htm"),
        ('<?xml version="1.0" encoding="iso-8859-2"?><html>Łódź', "iso-8859-2", "a.xhtml"),
        ("<html>" + " " * 3000 + '<meta charset="koi8-r">Привет', "koi8-r", "a.html"),
        (".. -*- coding: iso-8859-2 -*-\n\nŁódź", "iso-8859-2", "a.rst"),
        ("#!/bin/sh\n# vim: set fileencoding=koi8-r :\nПривет", "koi8-r", "a.txt"),
        ("<!-- -*- coding: latin-1-unix -*- -->\ncaf\xe9", "latin-1", "a.md"),
        ("# -*- coding: cp850 -*-\ncaf\xe9", "cp850", "a.txt"),
    ],
)
def test_declarations_are_read_where_they_count(text, encoding, name):
    assert decode(text.encode(encoding), name) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["hi", "caf\xe9 au lait\n", "東京都の天気は晴れです。\n", "Привет, мир", "a😀 b"])
def test_wide_encodings_need_no_byte_order_mark(text, encoding):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["koi8-u", "cp1251", "iso8859-5", "cp866"])
@pytest.mark.parametrize("text", ["Короткий текст о собаках.", "Как написать письмо? Вот пример: да."])
def test_cyrillic_is_guessed(text, encoding):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\0\0\0", b"PK\x03\x04\x14\0\x08\0", b"\0\0\0\0", b"\xff\xd8\xff\xe0\0\x10JFIF\0"]
)
def test_wide_encodings_are_not_found_in_binary_data(data):
    with pytest.raises(ConversionError, match="binary"):
        decode(data, "a.txt")
