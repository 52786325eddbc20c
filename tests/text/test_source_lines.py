import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.text.plain_text import convert_text
from spaniel.text.source_lines import LineLookup, SourceLines
from spaniel.text.text_builder import TextBuilder


def test_a_span_has_the_lines_of_all_its_blocks():
    lookup = LineLookup("one\n\ntwo\n\nthree", [(0, 1, 2), (5, 8, 9), (10, 4, 4)])
    assert lookup.find(0, 4) == (1, 2)
    assert lookup.find(0, 8) == (1, 9)
    assert lookup.find(4, 15) == (4, 9)  # blocks in another order in the source


def test_text_before_the_first_block_counts_to_it():
    assert LineLookup("one two", [(4, 7, 7)]).find(0, 7) == (7, 7)
    assert LineLookup("one two", [(4, 7, 7)]).find(0, 3) is None


@pytest.mark.parametrize(("start", "end"), [(3, 5), (2, 2)])
def test_a_span_without_words_has_no_lines(start, end):
    assert LineLookup("one\n\ntwo", [(0, 1, 1)]).find(start, end) is None


def test_a_text_without_blocks_has_no_lines():
    assert LineLookup("one", []).find(0, 3) is None


def test_a_verbatim_block_has_a_line_for_each_of_its_lines_and_no_more():
    lookup = LineLookup("head\n\na\nb\nc\nd", [(0, 1, 1), (6, 4, 6, True)])
    assert [lookup.find(at, at + 1) for at in (6, 8, 10, 12)] == [(4, 4), (5, 5), (6, 6), (6, 6)]
    assert lookup.find(0, 9) == (1, 5)


@given(st.text("ab\n \f\x85é", max_size=40), st.data())
def test_spans_of_plain_text_have_the_lines_of_their_words(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = LineLookup(text, convert_text(text).source_lines).find(start, end)
    words = text[start:end].strip()
    if not words:
        assert found is None
    else:
        at = text.index(words, start)
        assert found == (1 + text[:at].count("\n"), 1 + text[: at + len(words)].count("\n"))


def test_a_builder_marks_the_text_after_the_call():
    builder = TextBuilder()
    builder.set_source_lines(1, 1)
    builder.write("title")
    builder.begin_block()
    builder.set_source_lines(3, 4)
    builder.begin_list()
    builder.begin_item()
    builder.write("item")
    builder.end_item()
    builder.end_list()
    builder.set_source_lines(9, 9)  # no text follows
    converted = builder.build()
    assert converted.text == "title\n\n- item"
    assert converted.source_lines == [SourceLines(0, 1, 1), SourceLines(7, 3, 4)]


def test_a_builder_joins_blocks_of_the_same_lines():
    builder = TextBuilder()
    for word in ("a ", "b ", "c "):
        builder.set_source_lines(2, 3)
        builder.write(word)
    builder.set_source_lines(4, 4)
    builder.set_source_lines(2, 3)
    builder.write("d")
    assert builder.build().source_lines == [SourceLines(0, 2, 3)]
