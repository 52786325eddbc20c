import inspect
import logging

import pytest
from haystack.components.preprocessors import DocumentSplitter as ReferenceSplitter
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import DocumentSplitter
from spaniel.core import known_types
from spaniel.core.serialization import allow_deserialization_module
from spaniel.errors import DeserializationError, SerializationError
from tests.components.preprocessors.documents import many_fields, ours, plain, texts, theirs

UNITS = ["word", "passage", "page", "line", "period"]


@st.composite
def settings_of_units(draw):
    length = draw(st.integers(1, 6))
    return {
        "split_by": draw(st.sampled_from(UNITS)),
        "split_length": length,
        "split_overlap": draw(st.integers(0, length - 1)),
        "split_threshold": draw(st.integers(0, 8)),
        "skip_empty_documents": draw(st.booleans()),
    }


def by_sentence(text: str) -> list[str]:
    return text.split(".")


def overlapping(text: str) -> list[str]:
    return [text[start : start + 7] for start in range(0, len(text), 3)]


def changed(text: str) -> list[str]:
    return text.upper().split(" ")


def backwards(text: str) -> list[str]:
    return text.split("\n")[::-1]


def wide(text: str) -> list[str]:
    return [text[start : start + 90] for start in range(0, len(text), 40)] + [text[:70].upper(), text[-80:]]


def letters(text: str) -> list[str]:
    return list(text)


def strangers(text: str) -> list[str]:
    return ["not in the text\f", "", text[:2], "\f", "nor this"]


@pytest.fixture
def this_module_allowed():
    allow_deserialization_module(__name__)
    yield
    known_types._allowed_modules.discard(__name__)


FUNCTIONS = [by_sentence, overlapping, changed, backwards, wide, strangers]


@settings(max_examples=400, deadline=None)
@given(many_fields, settings_of_units())
def test_chunks_equal_the_reference_in_id_text_and_meta(many, parameters):
    expected = ReferenceSplitter(**parameters).run(theirs(many))["documents"]

    assert plain(DocumentSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(many_fields, st.sampled_from(FUNCTIONS), st.integers(0, 2), st.booleans(), st.sampled_from([1, 8]))
def test_pieces_of_a_function_equal_the_reference_in_id_text_and_meta(many, function, overlap, skip_empty, times):
    many = [{**each, "content": each["content"] * times} for each in many]
    parameters = {
        "split_by": "function",
        "splitting_function": function,
        "split_overlap": overlap,
        "skip_empty_documents": skip_empty,
    }
    expected = ReferenceSplitter(**parameters).run(theirs(many))["documents"]

    assert plain(DocumentSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(texts, settings_of_units())
def test_every_chunk_stands_in_its_source_where_it_says(text, parameters):
    for chunk in DocumentSplitter(**parameters).run([Document(content=text)])["documents"]:
        start = chunk.meta["split_idx_start"]

        assert text[start : start + len(chunk.content)] == chunk.content


@settings(max_examples=200, deadline=None)
@given(texts, settings_of_units())
def test_chunks_leave_no_character_of_their_source_out(text, parameters):
    covered = 0
    for chunk in DocumentSplitter(**parameters).run([Document(content=text)])["documents"]:
        assert chunk.meta["split_idx_start"] <= covered
        covered = chunk.meta["split_idx_start"] + len(chunk.content)

    assert covered == len(text)


@settings(max_examples=200, deadline=None)
@given(texts, settings_of_units())
def test_no_two_chunks_of_a_document_have_the_same_id(text, parameters):
    ids = [chunk.id for chunk in DocumentSplitter(**parameters).run([Document(content=text)])["documents"]]

    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("split_by", "text", "length", "expected"),
    [
        ("word", "one two  three", 2, ["one two ", " three"]),
        ("line", "one\ntwo\n\nthree", 1, ["one\n", "two\n", "\n", "three"]),
        ("passage", "one\n\ntwo\nthree\n\n", 1, ["one\n\n", "two\nthree\n\n"]),
        ("page", "one\ftwo\fthree", 2, ["one\ftwo\f", "three"]),
        ("period", "One. Two. Three", 2, ["One. Two.", " Three"]),
        ("word", "日本語 は 漢字", 1, ["日本語 ", "は ", "漢字"]),
    ],
)
def test_a_unit_keeps_the_delimiter_that_ends_it(split_by, text, length, expected):
    chunks = DocumentSplitter(split_by=split_by, split_length=length).run([Document(content=text)])["documents"]

    assert [chunk.content for chunk in chunks] == expected


def test_a_chunk_below_the_threshold_is_joined_to_the_one_before():
    splitter = DocumentSplitter(split_length=3, split_threshold=2)

    assert [chunk.content for chunk in splitter.run([Document(content="a b c d")])["documents"]] == ["a b c d"]


def test_pages_are_counted_by_form_feeds_and_a_leading_one_counts_for_its_chunk():
    chunks = DocumentSplitter(split_length=1).run([Document(content="a b\fc \fd e")])["documents"]

    assert [(chunk.content, chunk.meta["page_number"]) for chunk in chunks] == [
        ("a ", 1),
        ("b\fc ", 1),
        ("\fd ", 3),
        ("e", 3),
    ]


def test_neighbours_name_the_characters_they_share():
    text = (
        "This is a text with some words. There is a second sentence. And there is also a third sentence. "
        "It also contains a fourth sentence. And a fifth sentence. And a sixth sentence. And a seventh sentence"
    )
    splitter = DocumentSplitter(split_length=10, split_overlap=5, split_by="word")

    chunks = splitter.run([Document(content=text)])["documents"]

    ranges = [[link["range"] for link in chunk.meta["_split_overlap"]] for chunk in chunks]
    assert [chunk.meta["split_idx_start"] for chunk in chunks][1:6] == [20, 43, 73, 99, 132]
    assert ranges[1:6] == [
        [(20, 43), (0, 30)],
        [(23, 53), (0, 26)],
        [(30, 56), (0, 33)],
        [(26, 59), (0, 26)],
        [(33, 59), (0, 24)],
    ]
    assert chunks[1].meta["_split_overlap"][0]["doc_id"] == chunks[0].id
    assert chunks[1].meta["_split_overlap"][1]["doc_id"] == chunks[2].id


def test_equal_chunks_of_a_document_have_different_ids():
    chunks = DocumentSplitter(split_length=2).run([Document(content="go on go on go on")])["documents"]

    assert len({chunk.id for chunk in chunks}) == 3


def test_chunks_share_no_metadata_with_their_source_or_one_another():
    source = Document(content="a b", meta={"tags": ["x"], "nested": {"list": [1]}})
    first, second = DocumentSplitter(split_length=1).run([source])["documents"]

    first.meta["tags"].append("y")
    first.meta["nested"]["list"].append(2)

    assert (source.meta["tags"], source.meta["nested"]) == (["x"], {"list": [1]})
    assert (second.meta["tags"], second.meta["nested"]) == (["x"], {"list": [1]})


def test_a_long_text_is_cut_whole():
    text = "one two\n" * 100_000
    splitter = DocumentSplitter(split_by="word", split_length=1, split_threshold=2)

    assert [chunk.content for chunk in splitter.run([Document(content=text)])["documents"]] == [text]


def test_an_empty_document_is_left_out_with_a_warning(caplog):
    with caplog.at_level(logging.WARNING):
        result = DocumentSplitter().run([Document(id="empty-one", content="")])

    assert result == {"documents": []}
    assert "empty-one" in caplog.text


def test_an_empty_document_is_kept_on_demand():
    chunks = DocumentSplitter(skip_empty_documents=False).run([Document(content="")])["documents"]

    assert [chunk.content for chunk in chunks] == [""]


@pytest.mark.parametrize("documents", ["text", Document(content="a"), ["text"], [Document(content="a"), "text"]])
def test_anything_but_a_list_of_documents_is_refused(documents):
    with pytest.raises(TypeError, match="List of Documents"):
        DocumentSplitter().run(documents)


def test_a_document_without_content_is_refused_by_its_id():
    with pytest.raises(ValueError, match="picture"):
        DocumentSplitter().run([Document(content="a"), Document(id="picture")])


@pytest.mark.parametrize(
    "parameters",
    [
        {"split_by": "chapter"},
        {"split_by": "function"},
        {"split_length": 0},
        {"split_overlap": -1},
        {"split_length": 3, "split_overlap": 3},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError, match="split") as refused:
        ReferenceSplitter(**parameters)
    first_words = str(refused.value).split(",")[0].split(".")[0]

    with pytest.raises(ValueError, match=first_words[:30]):
        DocumentSplitter(**parameters)


def test_sentence_boundaries_are_ignored_for_all_but_words(caplog):
    splitter = DocumentSplitter(split_by="line", respect_sentence_boundary=True)

    assert splitter.respect_sentence_boundary is False
    assert "respect_sentence_boundary" in caplog.text


def test_constructor_parameters_are_those_of_the_reference_and_tokenizer():
    def shape(cls):
        return [(each.name, each.kind, each.default) for each in inspect.signature(cls.__init__).parameters.values()]

    *same, tokenizer = shape(DocumentSplitter)

    assert same == shape(ReferenceSplitter)
    assert tokenizer == ("tokenizer", inspect.Parameter.KEYWORD_ONLY, None)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"split_by": "line", "split_length": 5, "split_overlap": 2, "split_threshold": 1},
        {"skip_empty_documents": False, "tokenizer_encoding": "cl100k_base", "language": "de"},
        {"use_split_rules": False, "extend_abbreviations": False},
        {"split_by": "function", "splitting_function": by_sentence},
    ],
)
def test_the_serialised_form_is_the_reference_s(parameters):
    expected = ReferenceSplitter(**parameters).to_dict()

    written = DocumentSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}


def test_a_splitter_comes_back_from_its_serialised_form():
    written = DocumentSplitter(split_by="page", split_length=2, split_overlap=1, skip_empty_documents=False).to_dict()

    assert DocumentSplitter.from_dict(written).to_dict() == written


def test_a_splitting_function_of_an_allowed_module_comes_back(this_module_allowed):
    written = DocumentSplitter(split_by="function", splitting_function=by_sentence).to_dict()

    assert DocumentSplitter.from_dict(written).splitting_function is by_sentence
    assert written["init_parameters"]["splitting_function"] == f"{__name__}.by_sentence"


def test_a_splitting_function_of_another_module_is_not_loaded():
    written = DocumentSplitter().to_dict()
    written["init_parameters"] |= {"split_by": "function", "splitting_function": "os.system"}

    with pytest.raises(DeserializationError, match=r"os\.system.*not allowed"):
        DocumentSplitter.from_dict(written)


def test_a_tokenizer_is_written_only_if_there_is_one_and_comes_back(this_module_allowed):
    written = DocumentSplitter(split_by="token", tokenizer=letters).to_dict()

    assert DocumentSplitter.from_dict(written).tokenizer is letters
    assert "tokenizer" not in DocumentSplitter().to_dict()["init_parameters"]


def test_tokens_of_a_function_make_chunks():
    chunks = DocumentSplitter(split_by="token", split_length=2, split_overlap=1, tokenizer=letters).run(
        [Document(content="abcd")]
    )["documents"]

    assert [(chunk.content, chunk.meta["split_idx_start"]) for chunk in chunks] == [("ab", 0), ("bc", 1), ("cd", 2)]


def test_tokens_that_are_not_the_text_are_refused():
    with pytest.raises(ValueError, match="joined, must be the text"):
        DocumentSplitter(split_by="token", tokenizer=changed).run([Document(content="a b")])


def test_a_lambda_can_not_be_serialised():
    with pytest.raises(SerializationError, match="lambda"):
        DocumentSplitter(split_by="function", splitting_function=lambda text: [text]).to_dict()
