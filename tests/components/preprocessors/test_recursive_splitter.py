import logging

import pytest
from haystack.components.preprocessors import RecursiveDocumentSplitter as ReferenceSplitter
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import RecursiveDocumentSplitter
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter
from tests.components.preprocessors.documents import ours, plain, theirs

PARTS = ["a", "word", " ", "  ", ".", "One. ", "\n", "\n\n", "\f", "\t", "日本語", "e\u0301", "😀", "\u2028", "-", "--"]
texts = st.lists(st.sampled_from(PARTS), max_size=60).map("".join)
many_fields = st.lists(
    st.fixed_dictionaries({"content": texts, "meta": st.sampled_from([{}, {"tags": ["x"]}, {"page_number": 3}])}),
    max_size=2,
)
separators = st.lists(st.sampled_from(["\n\n", "sentence", "\n", " ", ".", "-", "--", "", "a|b"]), max_size=4)


@st.composite
def parameters_of_splitters(draw, units=("word", "char")):
    length = draw(st.integers(1, 12))
    return {
        "split_length": length,
        "split_overlap": draw(st.integers(0, length - 1)),
        "split_unit": draw(st.sampled_from(units)),
        "separators": draw(st.none() | separators),
        "sentence_splitter_params": draw(st.sampled_from([None, {"keep_white_spaces": False, "language": "de"}])),
    }


def reference(parameters):
    """Return the reference with our sentences: its own need a model that can't be had offline."""
    splitter = ReferenceSplitter(**parameters)
    splitter.nltk_tokenizer = SentenceSplitter(**splitter.sentence_splitter_params)
    splitter._is_warmed_up = True
    return splitter


@settings(max_examples=400, deadline=None)
@given(many_fields, parameters_of_splitters())
def test_chunks_equal_the_reference_in_id_text_and_meta(many, parameters):
    expected = reference(parameters).run(theirs(many))["documents"]

    assert plain(RecursiveDocumentSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(texts, parameters_of_splitters())
def test_chunks_are_slices_of_their_source_and_leave_nothing_out(text, parameters):
    covered = 0
    for chunk in RecursiveDocumentSplitter(**parameters).run([Document(content=text)])["documents"]:
        start = chunk.meta["split_idx_start"]
        assert text[start : start + len(chunk.content)] == chunk.content
        assert start <= covered or not text[covered:start].strip(" ")  # an overlap of words begins at a word
        covered = start + len(chunk.content)

    assert not text[covered:]


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(1, 9))
def test_chunks_of_characters_are_no_longer_than_allowed(text, length):
    splitter = RecursiveDocumentSplitter(split_length=length, split_unit="char", separators=["\n", " "])

    chunks = splitter.run([Document(content=text)])["documents"]

    assert all(len(chunk.content) <= length for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_long_pieces_are_cut_at_the_next_separator():
    splitter = RecursiveDocumentSplitter(split_length=5)
    text = "A short line.\n\nThis one is too long. So it is cut.\nDone"

    chunks = splitter.run([Document(content=text)])["documents"]

    assert [chunk.content for chunk in chunks] == [
        "A short line.\n\n",
        "This one is too long. ",
        "So it is cut.\nDone",
    ]


def test_a_long_text_is_cut_whole_with_an_overlap():
    text = "one two\n" * 20_000
    splitter = RecursiveDocumentSplitter(split_length=100, split_overlap=40, split_unit="char")

    chunks = splitter.run([Document(content=text)])["documents"]

    assert chunks[0].content + "".join(chunk.content[40:] for chunk in chunks[1:]) == text


def test_an_empty_document_is_left_out_with_a_warning(caplog):
    with caplog.at_level(logging.WARNING):
        result = RecursiveDocumentSplitter().run([Document(id="empty-one", content=""), Document(id="no-text")])

    assert result == {"documents": []}
    assert "empty-one" in caplog.text
    assert "no-text" in caplog.text


@pytest.mark.parametrize(
    "parameters",
    [
        {"split_length": 0},
        {"split_overlap": -1},
        {"split_length": 3, "split_overlap": 3},
        {"separators": ["\n", 5]},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError) as refused:
        ReferenceSplitter(**parameters)

    with pytest.raises(ValueError, match=str(refused.value).split(".")[0][:28]):
        RecursiveDocumentSplitter(**parameters)


def test_a_unit_that_is_none_is_refused():
    with pytest.raises(ValueError, match="split_unit must be one of word, char, token"):
        RecursiveDocumentSplitter(split_unit="line")


@pytest.mark.parametrize("documents", ["text", ["text"], Document(content="a")])
def test_anything_but_a_list_of_documents_is_refused(documents):
    with pytest.raises(TypeError, match="List of Documents"):
        RecursiveDocumentSplitter().run(documents)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"split_length": 5, "split_overlap": 2, "split_unit": "char", "separators": ["x"]},
        {"sentence_splitter_params": {"language": "fr"}},
    ],
)
def test_the_serialised_form_is_the_reference_s_and_comes_back(parameters):
    expected = ReferenceSplitter(**parameters).to_dict()

    written = RecursiveDocumentSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert RecursiveDocumentSplitter.from_dict(written).to_dict() == written
