import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel._engine import token_spans, tokenize
from tests.engine import reference
from tests.engine.test_tokens import ASSIGNED, texts

modes = st.sampled_from(["characters", "bigrams"])


@given(texts, modes)
@settings(deadline=None)
def test_spans_hold_the_tokens_of_the_text_in_order(text, mode):
    assert [token for token, _, _ in token_spans(text, mode)] == tokenize(text, mode)


@given(texts, modes)
@settings(deadline=None)
def test_the_slice_of_a_span_gives_its_token_again(text, mode):
    for token, start, end in token_spans(text, mode):
        assert tokenize(text[start:end], mode) == [token]


@given(texts)
@settings(deadline=None)
def test_spans_do_not_overlap(text):
    places = [place for _, *span in token_spans(text) for place in span]

    assert places == sorted(places)


def test_spans_hold_for_every_assigned_code_point():
    for character in ASSIGNED:
        text = f"x {character} y{character}"
        for token, start, end in token_spans(text):
            assert tokenize(text[start:end]) == [token]


@given(
    texts.filter(lambda text: all(len(c.lower()) == 1 for c in text) and unicodedata.is_normalized("NFC", text.lower()))
)
@settings(deadline=None)
def test_spans_are_those_of_re_where_no_length_changes(text):
    expected = [(reference.folded(m[0]), *m.span()) for m in reference.PATTERN.finditer(text.lower())]

    assert token_spans(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Straße", [("die", 0, 3), ("strasse", 4, 10)]),
        ("Cafe\u0301s!", [("caf\u00e9s", 0, 6)]),
        ("\u1112\u1161\u11ab x", [("\ud55c", 0, 3), ("x", 4, 5)]),
        ("a\U0001f600b", [("a", 0, 1), ("b", 2, 3)]),
        ("\ud800b", [("b", 1, 2)]),
    ],
)
def test_offsets_count_code_points_of_the_original(text, expected):
    assert token_spans(text) == expected


def test_a_bigram_spans_both_characters():
    assert token_spans("日本語", "bigrams") == [("日本", 0, 2), ("本語", 1, 3)]


def test_highlighting_by_spans_marks_the_terms_of_the_query():
    text = "Große STRASSE, große Straße."
    wanted = set(tokenize("straße"))
    marked = "".join(
        f"[{text[start:end]}]" if token in wanted else text[start:end] for token, start, end in token_spans(text)
    )

    assert re.findall(r"\[(.*?)\]", marked) == ["STRASSE", "Straße"]
