"""Chunks of sentences. The reference finds its sentences with a model that can't be had offline, so
it is lent ours.
"""

import haystack.components.preprocessors.document_splitter as reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import DocumentSplitter, HierarchicalDocumentSplitter
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter
from tests.components.preprocessors.documents import ours, plain, theirs

PARTS = [
    "One. ",
    "Two three. ",
    "A longer one, of many words! ",
    "Why?",
    " ",
    "\n",
    "\f",
    "\n\n",
    "word ",
    "日本語。",
    '"Hi." ',
]
texts = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)
many_fields = st.lists(
    st.fixed_dictionaries({"content": texts, "meta": st.sampled_from([{}, {"tags": ["x"]}])}), max_size=2
)


@st.composite
def parameters_of_splitters(draw):
    length = draw(st.integers(1, 12))
    whole = draw(st.booleans())
    return {
        "split_by": "word" if whole else "sentence",
        "respect_sentence_boundary": whole,
        "split_length": length,
        "split_overlap": draw(st.integers(0, length - 1)),
        "split_threshold": draw(st.integers(0, 3)),
        "skip_empty_documents": draw(st.booleans()),
    }


@pytest.fixture(scope="module")
def reference_splitter():
    patch = pytest.MonkeyPatch()
    patch.setattr(reference.nltk_imports, "check", lambda: None)

    def build(parameters):
        splitter = reference.DocumentSplitter(**parameters)
        splitter.sentence_splitter = SentenceSplitter(keep_white_spaces=True)
        return splitter

    yield build
    patch.undo()


@settings(max_examples=400, deadline=None)
@given(many_fields, parameters_of_splitters())
def test_chunks_equal_the_reference_in_id_text_and_meta(reference_splitter, many, parameters):
    expected = reference_splitter(parameters).run(theirs(many))["documents"]

    assert plain(DocumentSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(texts, parameters_of_splitters())
def test_chunks_are_slices_and_leave_only_white_space_at_the_end_out(text, parameters):
    covered = 0
    for chunk in DocumentSplitter(**parameters).run([Document(content=text)])["documents"]:
        start = chunk.meta["split_idx_start"]
        assert text[start : start + len(chunk.content)] == chunk.content
        assert start <= covered
        covered = start + len(chunk.content)

    assert covered == len(text.rstrip())


def test_sentences_make_chunks():
    text = "Dr. Ray came. He sat down. He left."

    chunks = DocumentSplitter(split_by="sentence", split_length=2).run([Document(content=text)])["documents"]

    assert [chunk.content for chunk in chunks] == ["Dr. Ray came. He sat down. ", "He left."]


def test_words_in_whole_sentences_make_chunks():
    text = "One two three. Four five. Six seven eight nine ten. Eleven."
    splitter = DocumentSplitter(split_by="word", split_length=5, split_overlap=2, respect_sentence_boundary=True)

    chunks = splitter.run([Document(content=text)])["documents"]

    assert [chunk.content for chunk in chunks] == [
        "One two three. Four five. ",
        "Four five. Six seven eight nine ten. ",
        "Six seven eight nine ten. Eleven.",
    ]


def test_a_hierarchy_of_sentences_keeps_exact_offsets():
    text = "One two. Three. Four five. Six!  \n"
    root, *nodes = HierarchicalDocumentSplitter({2, 1}, split_by="sentence").run([Document(content=text)])["documents"]

    assert all(root.content[node.meta["__start"] : node.meta["__end"]] == node.content for node in nodes)
