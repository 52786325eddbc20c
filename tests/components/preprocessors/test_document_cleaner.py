import logging

import haystack
import pytest
from haystack.components.preprocessors import DocumentCleaner as ReferenceCleaner
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import DocumentCleaner
from spaniel.dataclasses import ByteStream, SparseEmbedding
from tests.components.preprocessors.documents import many_fields, ours, plain, theirs

parameters_of_cleaners = st.fixed_dictionaries(
    {
        "remove_empty_lines": st.booleans(),
        "remove_extra_whitespaces": st.booleans(),
        "remove_repeated_substrings": st.booleans(),
        "keep_id": st.booleans(),
        "remove_substrings": st.sampled_from([None, [], ["a", "\n"], ["..", "日"]]),
        "remove_regex": st.sampled_from([None, r"\s", r"[aeiou]", "^w"]),
        "unicode_normalization": st.sampled_from([None, "NFC", "NFKC", "NFD", "NFKD"]),
        "ascii_only": st.booleans(),
        "strip_whitespaces": st.booleans(),
        "replace_regexes": st.sampled_from([None, {r"\n+": "\n", "(w)o": r"\1-"}, {"a": "ab"}]),
        "min_content_length": st.integers(0, 6),
    }
)


@settings(max_examples=500, deadline=None)
@given(many_fields, parameters_of_cleaners)
def test_documents_equal_the_reference_in_id_text_and_meta(many, parameters):
    expected = ReferenceCleaner(**parameters).run(theirs(many))["documents"]

    assert plain(DocumentCleaner(**parameters).run(ours(many))["documents"]) == plain(expected)


# Distinct lengths, so that no two runs of words are equally long: then the reference's choice
# depends on hashing.
page_words = st.lists(st.sampled_from(["A", "bcd", "efghi", "\njkl", "m\tn", "  ", ""]), max_size=9).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.lists(page_words, max_size=6), page_words, page_words)
def test_text_that_all_pages_have_is_removed_as_by_the_reference(pages, header, footer):
    text = "\f".join(f"{header} {number} {page} {footer}" for number, page in enumerate(pages))
    parameters = {"remove_repeated_substrings": True, "remove_extra_whitespaces": False, "remove_empty_lines": False}

    (expected,) = ReferenceCleaner(**parameters).run([haystack.Document(content=text)])["documents"]
    (cleaned,) = DocumentCleaner(**parameters).run([Document(content=text)])["documents"]

    assert len(cleaned.content) == len(expected.content)


def test_headers_and_footers_are_removed_from_every_page():
    pages = [f"The old book of trees\n{number}\nCopyright by the old man" for number in range(4)]
    cleaner = DocumentCleaner(remove_repeated_substrings=True, remove_empty_lines=False, remove_extra_whitespaces=False)

    (cleaned,) = cleaner.run([Document(content="\f".join(pages))])["documents"]

    assert cleaned.content.split("\f") == ["\n0", "\n1", "\n2", "\n3"]


def test_keeps_independent_copies_of_other_fields():
    document = Document(
        content="a  b",
        blob=ByteStream(b"x"),
        meta={"tags": ["t"]},
        score=0.5,
        embedding=[1.0],
        sparse_embedding=SparseEmbedding([0], [1.0]),
    )

    (cleaned,) = DocumentCleaner().run([document])["documents"]

    assert cleaned.content == "a b"
    assert (cleaned.blob, cleaned.score, cleaned.embedding) == (document.blob, 0.5, [1.0])
    assert cleaned.sparse_embedding == document.sparse_embedding
    assert cleaned.meta == document.meta
    assert cleaned.meta["tags"] is not document.meta["tags"]
    assert document.content == "a  b"


def test_a_document_without_text_is_copied_with_a_warning(caplog):
    with caplog.at_level(logging.WARNING):
        (copied,) = DocumentCleaner().run([Document(id="picture", meta={"tags": []})])["documents"]

    assert copied.id == "picture"
    assert "picture" in caplog.text


@pytest.mark.parametrize("parameters", [{"unicode_normalization": "NFX"}, {"min_content_length": -1}])
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError) as refused:
        ReferenceCleaner(**parameters)

    with pytest.raises(ValueError, match=str(refused.value).rstrip(".")):
        DocumentCleaner(**parameters)


@pytest.mark.parametrize("documents", ["text", Document(content="a"), ["text"], [Document(content="a"), "text"]])
def test_anything_but_a_list_of_documents_is_refused(documents):
    with pytest.raises(TypeError, match="List of Documents"):
        DocumentCleaner().run(documents)


def test_a_serialised_cleaner_comes_back():
    written = DocumentCleaner(remove_regex="a", replace_regexes={"b": "c"}, keep_id=True).to_dict()

    assert DocumentCleaner.from_dict(written).to_dict() == written
    assert written["type"] == "spaniel.components.preprocessors.document_cleaner.DocumentCleaner"


def test_the_serialised_form_is_the_reference_s():
    from haystack.core.serialization import component_to_dict

    expected = component_to_dict(ReferenceCleaner(ascii_only=True), "cleaner")

    assert DocumentCleaner(ascii_only=True).to_dict()["init_parameters"] == expected["init_parameters"]
