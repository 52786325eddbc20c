"""Each test shows the behaviour of Haystack 3.4.1 and ours. The lines are in docs/parity.md."""

import haystack
import pytest
from haystack.components import embedders as reference_embedders
from haystack.components import preprocessors as reference
from haystack.components.preprocessors.sentence_tokenizer import SentenceSplitter as ReferenceSentences

from spaniel import Document
from spaniel.components import preprocessors
from spaniel.components.embedders import MockDocumentEmbedder
from spaniel.components.preprocessors.csv_tables import EMPTY_CELLS
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
    # Haystack: ends the sentence at "?" and begins another at "!".
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
    # In Haystack, which of the two goes depends on the hashing of strings, which differs from one
    # process to the next.
    pages = ["x", "aa bb cc 1 dd ee ff", "aa bb cc 2 dd ee ff", "y"]
    cleaner = preprocessors.DocumentCleaner(remove_repeated_substrings=True, remove_extra_whitespaces=False)

    (cleaned,) = cleaner.run([Document(content="\f".join(pages))])["documents"]

    assert cleaned.content.split("\f")[1].split() == ["1"]


def _contents(splitter, document):
    return [found.content for found in splitter.run([document])["documents"]]


def _both(name, text, **parameters):
    """Return the results of the component of this name for a text, in Haystack and here."""
    return (
        _contents(getattr(reference, name)(**parameters), haystack.Document(content=text)),
        _contents(getattr(preprocessors, name)(**parameters), Document(content=text)),
    )


@pytest.mark.parametrize("mark", sorted(EMPTY_CELLS - {""}))
def test_cells_that_say_there_is_nothing_divide_tables_in_both_and_keep_their_text_here(mark):
    text = f"country,code\nNamibia,{mark}\n{mark},{mark}\nEnd,0\n"

    theirs, ours = _both("CSVDocumentSplitter", text, row_split_threshold=1)

    assert theirs == ["country,code\nNamibia,\n", "End,0\n"]
    assert ours == [f"country,code\nNamibia,{mark}\n", "End,0\n"]


def test_values_named_empty_divide_tables_in_both_and_keep_their_text_here():
    options = {"na_values": ["-"], "keep_default_na": True}

    theirs, ours = _both("CSVDocumentSplitter", "a,-\n-,-\nb,c\n", row_split_threshold=1, read_csv_kwargs=options)

    assert theirs == ["a,\n", "b,c\n"]
    assert ours == ["a,-\n", "b,c\n"]


def test_a_table_with_nothing_below_the_ignored_rows_is_lost_in_haystack_and_kept_here():
    assert _both("CSVDocumentCleaner", "name,says\n", ignore_rows=1) == (["\n"], ["name,says\n"])
    assert _both("CSVDocumentCleaner", "a\nb\n", ignore_columns=1) == ([""], ["a\nb\n"])


def test_an_empty_first_cell_after_a_lone_carriage_return_is_lost_in_haystack_and_kept_here():
    assert _both("CSVDocumentCleaner", "a,b\r\r,c\r") == (["a,b\nc,\n"], ["a,b\n,c\n"])


def test_options_that_can_t_be_are_noticed_late_in_haystack_and_at_once_here():
    document = haystack.Document(content="a,b\n1,2\n")
    with pytest.raises(ValueError, match="invalid literal for int"):
        reference.CSVDocumentSplitter(read_csv_kwargs={"header": 0}).run([document])
    assert _contents(reference.CSVDocumentSplitter(read_csv_kwargs={"colour": 1}), document) == ["a,b\n1,2\n"]
    assert _contents(reference.CSVDocumentCleaner(ignore_rows=-1), document) == ["1,2\n"]

    with pytest.raises(ValueError, match="header must be None, got 0"):
        preprocessors.CSVDocumentSplitter(read_csv_kwargs={"header": 0})
    with pytest.raises(ValueError, match="'colour' is not supported"):
        preprocessors.CSVDocumentSplitter(read_csv_kwargs={"colour": 1})
    with pytest.raises(ValueError, match="ignore_rows must not be negative"):
        preprocessors.CSVDocumentCleaner(ignore_rows=-1)


SMALL_CHUNKS = {"min_effective_lines": 1, "max_effective_lines": 1}


def test_the_first_method_s_decorators_head_other_chunks_in_haystack_and_not_here():
    text = "class A:\n    @property\n    def a(self): return 1\n    def b(self): return 2\n"

    theirs, ours = _both("PythonCodeSplitter", text, **SMALL_CHUNKS)

    assert theirs[-1] == "class A:\n    @property\n    def b(self): return 2\n"
    assert ours[-1] == "class A:\n    def b(self): return 2\n"


def test_form_feeds_shift_the_lines_in_haystack_and_not_here():
    text = "a = 1\n\f\ndef f(): return 2\ndef g(): return 3\n"

    theirs, ours = _both("PythonCodeSplitter", text, **SMALL_CHUNKS)

    assert theirs == ["a = 1\n", "\f\n", "def f(): return 2\ndef g(): return 3\n"]
    assert ours == ["a = 1\n", "\f\ndef f(): return 2\n", "def g(): return 3\n"]


def test_code_on_the_lines_of_a_docstring_is_lost_in_haystack_and_kept_here():
    text = 'def f(\n    a): "Doc."\n\ndef g():\n    "Doc."; return 1\n'

    theirs, ours = _both("PythonCodeSplitter", text, strip_docstrings=True)

    assert theirs == ["def f(\n\ndef g():\n"]
    assert ours == [text]


def test_a_second_statement_on_a_line_is_an_empty_chunk_in_haystack_and_none_here():
    assert _both("PythonCodeSplitter", "a = 1; b = 2\n", **SMALL_CHUNKS) == (["a = 1; b = 2\n", ""], ["a = 1; b = 2\n"])
