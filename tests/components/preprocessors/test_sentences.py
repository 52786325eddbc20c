"""The joining rules and spans, with a decision that is independent of any model: every candidate
ends a sentence.
"""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.components.preprocessors.sentences import Punctuation, find_sentences, to_bounds

MARKS = Punctuation(".?!", ")\";}]*:@'({[‘’“”«»?!")
PARTS = [
    "One",
    "two",
    " ",
    "  ",
    ".",
    "...",
    "?!",
    '"',
    "'",
    "”",
    "“",
    "(",
    ")",
    "1.",
    "12.",
    "\n",
    "\f",
    "don't",
    "。",
]
texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def spans_of(text, *, keep_white_spaces=True, use_split_rules=True):
    return find_sentences(
        text, MARKS, lambda _: True, keep_white_spaces=keep_white_spaces, use_split_rules=use_split_rules
    )


def sentences_of(text, **settings):
    return [text[start:end] for start, end in spans_of(text, **settings)]


@settings(max_examples=400, deadline=None)
@given(texts, st.booleans())
def test_sentences_with_their_white_space_joined_are_the_text(text, rules):
    assert "".join(sentences_of(text, use_split_rules=rules)) == text.rstrip()


@settings(max_examples=300, deadline=None)
@given(texts, st.booleans(), st.booleans())
def test_bounds_rise_from_the_start_of_a_text_to_its_end(text, keep, rules):
    bounds = to_bounds(text, spans_of(text, keep_white_spaces=keep, use_split_rules=rules))

    if text.strip():
        assert (bounds[0], bounds[-1]) == (0, len(text))
        assert bounds == sorted(set(bounds))
    else:
        assert bounds == []


@settings(max_examples=300, deadline=None)
@given(texts)
def test_only_white_space_lies_between_sentences_that_end_at_their_marks(text):
    spans = spans_of(text, keep_white_spaces=False, use_split_rules=False)

    for (_, end), (start, _) in pairwise(spans):
        assert end <= start
        assert not text[end:start].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "Go. Now!" So.', ['He said "Go. Now!" ', "So."]),
        ("He said 'Go. Now!' So.", ["He said 'Go. Now!' ", "So."]),
        ("I don't know. He isn't here. So.", ["I don't know. ", "He isn't here. ", "So."]),
        ("The boys' cat. The girls' dog.", ["The boys' cat. ", "The girls' dog."]),
        ('"Why?" she said. So.', ['"Why?" she said. ', "So."]),
        ('"Hi.", he said. So.', ['"Hi.", he said. ', "So."]),
        ("1. Open it. Now.\n12. Close it.", ["1. Open it. ", "Now.\n", "12. Close it."]),
        ("It is 1999. Yes.", ["It is 1999. ", "Yes."]),
        ("Go. (Not now.) Yes.", ["Go. (Not now.) ", "Yes."]),
        ("Go. [1] Yes.", ["Go. [1] Yes."]),
        ("Go.) Yes.” No.", ["Go.) ", "Yes.” ", "No."]),
        ("What?! No?!", ["What?! ", "No?!"]),
    ],
)
def test_rules_join_parts_of_one_sentence(text, expected):
    assert sentences_of(text) == expected


@pytest.mark.parametrize("part", ["a.", "?", '"', "'", "1. ", "\n", ".) ", "'a. ", "\n1.", "x'", "( "])
def test_a_long_text_takes_no_more_than_its_length(part):
    text = part * 100_000  # where the time grows with the square, this takes minutes

    assert re.sub(r"\s+\Z", "", text) == "".join(sentences_of(text))
