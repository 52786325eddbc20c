"""Each test shows what Haystack 3.4.1 does and what we do instead. The lines are in docs/parity.md."""

import haystack
import pytest
from haystack.components import embedders as reference_embedders
from haystack.components import preprocessors as reference
from haystack.components.preprocessors.sentence_tokenizer import SentenceSplitter as ReferenceSentences

from spaniel import Document
from spaniel.components import preprocessors
from spaniel.components.embedders import MockDocumentEmbedder
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter

SPACES = " \n\f "


def test_apostrophes_within_words_are_quotes_in_haystack_and_letters_here():
    text = "I don't know. He isn't here. So."

    assert ReferenceSentences._apply_split_rules(text, [(0, 14), (14, 29), (29, 32)]) == [(0, 29), (29, 32)]
    assert SentenceSplitter(keep_white_spaces=True).bounds(text) == [0, 14, 29, 32]


def test_white_space_before_a_closing_quote_belongs_to_the_sentence_before():
    # Haystack drops the white space after that quote. Its model can't be had offline to show it.
    text = 'Hi. " Yo. So.'

    sentences = SentenceSplitter(use_split_rules=False, keep_white_spaces=True).split_sentences(text)

    assert [each["sentence"] for each in sentences] == ['Hi. " ', "Yo. ", "So."]


def test_the_last_of_several_end_marks_is_no_sentence():
    # Haystack: "What?" and "!".
    assert len(SentenceSplitter().split_sentences("What?!")) == 1


def test_a_text_of_white_space_is_lost_in_haystack_and_kept_here():
    class NoSentences:
        def split_sentences(self, text):
            return []

    splitter = reference.EmbeddingBasedDocumentSplitter(document_embedder=reference_embedders.MockDocumentEmbedder())
    splitter.sentence_splitter = NoSentences()
    ours = preprocessors.EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(dimension=2))

    assert [chunk.content for chunk in splitter.run([haystack.Document(content=SPACES)])["documents"]] == [""]
    assert [chunk.content for chunk in ours.run([Document(content=SPACES)])["documents"]] == [SPACES]


def test_documents_that_stay_as_they_are_are_the_caller_s_in_haystack_and_copies_here():
    theirs, ours = haystack.Document(meta={"tags": []}), Document(meta={"tags": []})

    assert reference.DocumentCleaner().run([theirs])["documents"][0] is theirs
    (cleaned,) = preprocessors.DocumentCleaner().run([ours])["documents"]
    assert cleaned == ours
    assert cleaned.meta["tags"] is not ours.meta["tags"]

    theirs, ours = haystack.Document(content=SPACES, meta={"tags": []}), Document(content=SPACES, meta={"tags": []})
    assert reference.MarkdownHeaderSplitter(skip_empty_documents=False).run([theirs])["documents"][0] is theirs
    (kept,) = preprocessors.MarkdownHeaderSplitter(skip_empty_documents=False).run([ours])["documents"]
    assert kept.meta["tags"] is not ours.meta["tags"]


def test_only_the_first_document_is_checked_in_haystack_and_all_here():
    with pytest.raises(AttributeError):
        reference.DocumentCleaner().run([haystack.Document(content="a"), "text"])

    with pytest.raises(TypeError, match="List of Documents"):
        preprocessors.DocumentCleaner().run([Document(content="a"), "text"])


def test_an_unknown_unit_is_noticed_late_in_haystack_and_at_once_here():
    splitter = reference.RecursiveDocumentSplitter(split_unit="line", separators=[" "])
    with pytest.raises(AttributeError):
        splitter.run([haystack.Document(content="a")])

    with pytest.raises(ValueError, match="split_unit must be one of"):
        preprocessors.RecursiveDocumentSplitter(split_unit="line", separators=[" "])


def test_of_two_headers_of_one_length_the_first_goes():
    # In Haystack, which of the two goes depends on the hashing of strings, which differs from one process to the next.
    pages = ["x", "aa bb cc 1 dd ee ff", "aa bb cc 2 dd ee ff", "y"]
    cleaner = preprocessors.DocumentCleaner(remove_repeated_substrings=True, remove_extra_whitespaces=False)

    (cleaned,) = cleaner.run([Document(content="\f".join(pages))])["documents"]

    assert cleaned.content.split("\f")[1].split() == ["1"]
