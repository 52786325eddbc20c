from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.components.preprocessors.chunks import BlockIndex

texts = st.text(alphabet="ab", max_size=40)


@settings(deadline=None, max_examples=300)
@given(texts, st.integers(0, 40), st.integers(0, 12), st.integers(0, 40), st.integers(1, 5))
def test_a_piece_that_stands_in_the_text_is_never_denied(text, at, length, start, block):
    piece = text[at : at + length]

    assert BlockIndex(text, block).may_contain(piece, start) or text.find(piece, start) < 0


def test_a_piece_that_stands_nowhere_is_denied():
    assert not BlockIndex("one two three four", length=3).may_contain("ONE TWO", 0)


def test_a_piece_that_stands_before_the_start_is_denied():
    index = BlockIndex("one two three four", length=3)

    assert index.may_contain("one two", 0)
    assert not index.may_contain("one two", 1)


def test_a_piece_too_short_to_hold_a_block_is_not_denied():
    assert BlockIndex("one two three four", length=3).may_contain("FOUR", 0)
