from hypothesis import given
from hypothesis import strategies as st

from spaniel.text.chunking import count_words, split_spans

PIECES = st.sampled_from(
    [
        "word ",
        "Sentence end. ",
        "\n",
        "\n\n",
        "東京。",
        "    code\n",
        "\f",
        "x" * 70,
        " ",
        "- item\n",
        "¶",
        "A. B! c? ",
        "\t",
        "```\n",
    ]
)


@given(st.lists(PIECES, max_size=80).map("".join), st.integers(1, 12), st.data())
def test_leaves_tile_the_text_and_are_not_longer_than_allowed(text, max_words, data):
    start = data.draw(st.integers(0, len(text)))
    spans = split_spans(text, start, len(text), max_words)
    assert "".join(text[begin:end] for begin, end in spans) == text[start:]
    assert all(count_words(text, begin, end) <= max_words for begin, end in spans)
    assert all(len(text[begin:end].split()) <= max_words for begin, end in spans)
    assert all(begin < end for begin, end in spans) or text[start:] == ""


@given(st.text(max_size=60), st.integers(1, 4))
def test_any_text_can_be_cut(text, max_words):
    spans = split_spans(text, 0, len(text), max_words)
    assert "".join(text[begin:end] for begin, end in spans) == text
    assert all(count_words(text, begin, end) <= max_words for begin, end in spans)


def leaves(text, max_words, code=()):
    return [text[start:end] for start, end in split_spans(text, 0, len(text), max_words, code)]


def test_a_paragraph_is_kept_whole_where_it_fits():
    assert leaves("a b c.\n\nd e f.\n\ng h i.", 7) == ["a b c.\n\nd e f.\n\n", "g h i."]


def test_a_long_paragraph_is_cut_after_sentences():
    assert leaves("One two three. Four five six. Seven eight.", 6) == ["One two three. Four five six. ", "Seven eight."]


def test_a_long_sentence_is_cut_between_words():
    assert all(leaf.split() for leaf in leaves("a b c d e f g h i", 4))


def test_a_code_block_that_fits_is_kept_whole():
    code = "x = 1\n\ny = 2\n\nz = 3"
    text = f"Some words before it.\n\n{code}\n\nAnd some words after."
    start = text.index(code)
    assert any(code in leaf for leaf in leaves(text, 10, [(start, start + len(code))]))


def test_a_heading_is_not_left_alone_before_a_long_paragraph():
    first = leaves("Title\n\n" + "Word word word. " * 60, 40)[0]
    assert count_words(first) > 10


def test_words_of_cjk_text_are_its_characters():
    assert count_words("東京 tower ﾊﾟﾝ") == 6


def test_counting_stops_above_the_limit():
    assert count_words("a " * 1000, limit=5) == 6
