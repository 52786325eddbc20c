import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spaniel._engine import analyze, languages, tokenize, word_spans
from tests.engine.test_tokens import ASSIGNED, TRICKY

JOINERS = "-'’.,_&+#\"\u00ad\u200b\u200c\u200d\u2010\u2011"
LETTERS = "abIXyz019éÅßπд日本カ한คำไทยក្កကျकलाكِتָאבִ٣"
texts = st.text(
    st.one_of(st.sampled_from(JOINERS), st.sampled_from(LETTERS), st.sampled_from(TRICKY), st.sampled_from(ASSIGNED)),
    max_size=30,
)


def terms(text: str) -> list[str]:
    return analyze(text, "auto")


def fold(text: str) -> str:
    """Return a text in Unicode's NFKC_Casefold, but with marks that it ignores."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("ALLOWED_HOSTS", ["allowed_hosts", "allowed", "hosts"]),
        ("_get_user __init__ _x_", ["_get_user", "get_user", "get", "user", "__init__", "init", "_x_", "x"]),
        ("utf8 UTF-8", ["utf8", "utf8", "utf", "8"]),
        ("C++, C# and F#", ["c++", "c#", "and", "f#"]),
        ("the .NET runtime", ["the", ".net", "net", "runtime"]),
        ("ASP.NET", ["aspnet", "asp", "net"]),
        ("node.js", ["nodejs", "node", "js"]),
        ("3,000 3000", ["3000", "3000"]),
        ("3.14 3.11.2", ["3.14", "3.11.2", "3.11"]),
        ("1, 2,3", ["1", "2", "3"]),
        ("e-mail email", ["email", "e", "mail", "email"]),
        ("don't dont", ["dont", "dont"]),
        ("Newton's laws", ["newton", "laws"]),
        ("the U.S. and the US", ["the", "us", "and", "the", "us"]),
        ("l'économie", ["léconomie", "l", "économie"]),
        ("col·lecció", ["collecció"]),
        ("docu\u00adment", ["document"]),
        ("zero\u200bwidth", ["zerowidth"]),
        ("ﬁne １２ ｶﾞ", ["fine", "12", "ガ"]),
        ("日本語", ["日", "日本", "本", "本語", "語"]),
        ("ไทย", ["ไท", "ทย"]),
    ],
)
def test_terms_of_a_text(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("كتاب", "كِتَاب"),  # vowel signs
        ("كتاب", "كتـــاب"),  # tatweel
        ("שלום", "שָׁלוֹם"),  # points
        ("caf\u00e9", "CAFE\u0301"),
        ("Straße", "STRASSE"),
        ("İSTANBUL", "istanbul"),
        ("٢٠٢٤", "2024"),
        ("x²", "x2"),
    ],
)
def test_spellings_of_one_word_are_one_term(one, other):
    assert terms(one) == terms(other)


@pytest.mark.parametrize(("one", "other"), [("कला", "कल"), ("für", "fur"), ("C++", "C"), ("C#", "C"), ("3.14", "314")])
def test_different_words_share_no_term(one, other):
    assert not set(terms(one)) & set(terms(other))


def test_every_analyzer_but_standard_gives_the_same_terms():
    text = "Der getUserName-Aufruf, 日本語"

    assert {tuple(analyze(text, name)) for name in ["auto", *languages()]} == {tuple(terms(text))}
    assert analyze(text, "standard") == tokenize(text)


def test_an_unknown_analyzer_is_rejected():
    with pytest.raises(ValueError, match="analyzer must be standard, auto or the name of a language, got 'klingon'"):
        analyze("nuqneH", "klingon")


@given(texts)
@settings(deadline=None)
@example("a\u00ad\u200c-\u0301b")
@example("ي\u200cي\u200c.ي")
def test_spans_hold_the_terms_of_the_text_in_order(text):
    assert [term for term, _, _ in word_spans(text)] == terms(text)


@given(texts.map(lambda text: "".join(c for c in text if len(unicodedata.normalize("NFKC", c)) == 1)))
@settings(deadline=None)
def test_the_slice_of_a_span_holds_its_term(text):
    for term, start, end in word_spans(text):
        assert 0 <= start < end <= len(text)
        assert term in terms(text[start:end])


@given(texts)
@settings(deadline=None)
def test_a_term_holds_itself(text):
    for term in terms(text):
        assert term
        assert term in terms(term)


@given(texts, texts)
@settings(deadline=None)
def test_a_space_separates(one, other):
    assert terms(f"{one} {other}") == terms(one) + terms(other)


def test_every_letter_is_folded_as_python_folds_it():
    letters = [c for c in ASSIGNED if unicodedata.category(c) in {"Lu", "Ll", "Lt"}]
    different = [c for c in letters if terms(c) != [fold(c).replace("i\u0307", "i")]]

    assert different == ["Ŀ", "ŀ", "ŉ"]  # a letter with a middle dot or an apostrophe


def test_every_decimal_digit_is_an_ascii_digit():
    digits = [c for c in ASSIGNED if unicodedata.category(c) == "Nd"]

    assert [terms(f"x{c}") for c in digits] == [[f"x{unicodedata.digit(c)}"] for c in digits]


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1)))
@settings(deadline=None)
def test_plain_words_are_those_of_the_standard_analyzer(words):
    text = ", ".join(words)

    assert terms(text) == tokenize(text)
