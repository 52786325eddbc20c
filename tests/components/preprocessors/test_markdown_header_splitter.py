import pytest
from haystack.components.preprocessors import MarkdownHeaderSplitter as ReferenceSplitter
from haystack.core.serialization import component_to_dict
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import MarkdownHeaderSplitter
from tests.components.preprocessors.documents import ours, plain, theirs

LINES = [
    "# A", "## B", "### C ", "#### D", "###### F", "####### G", "#x", "# ", " # H", "```", "```py", "````", "~~~", "~~~~ ",
    "text", "", " ", "word word.", "\f", "\f\f", "\ftext", "<pb>", "<pb><pb>", "日本語", "# \f",
]  # fmt: skip
texts = st.lists(st.sampled_from(LINES), max_size=16).map("\n".join)
many_fields = st.lists(
    st.fixed_dictionaries(
        {
            "content": texts,
            "meta": st.sampled_from([{}, {"page_number": 4}, {"header": "x", "tags": ["t"], "split_id": 9}]),
        }
    ),
    max_size=2,
)


@st.composite
def parameters_of_splitters(draw):
    length = draw(st.integers(1, 4))
    return {
        "page_break_character": draw(st.sampled_from(["\f", "<pb>", ""])),
        "keep_headers": draw(st.booleans()),
        "header_split_levels": draw(st.none() | st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True)),
        "secondary_split": draw(st.sampled_from([None, "word", "passage", "period", "line"])),
        "split_length": length,
        "split_overlap": draw(st.integers(0, length - 1)),
        "split_threshold": draw(st.integers(0, 3)),
        "skip_empty_documents": draw(st.booleans()),
    }


@settings(max_examples=500, deadline=None)
@given(many_fields, parameters_of_splitters())
def test_chunks_equal_the_reference_in_id_text_and_meta(many, parameters):
    expected = ReferenceSplitter(**parameters).run(theirs(many))["documents"]

    assert plain(MarkdownHeaderSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(texts, st.lists(st.integers(1, 6), min_size=1, unique=True))
def test_parts_with_their_headers_joined_are_the_text(text, levels):
    chunks = MarkdownHeaderSplitter(header_split_levels=levels).run([Document(content=text)])["documents"]

    assert "".join(chunk.content for chunk in chunks) == (text if text.strip() else "")


def test_a_part_knows_the_headers_above_it():
    text = "intro\n# One\na\n## Two\nb\n### Three\nc\n## Four\nd"

    chunks = MarkdownHeaderSplitter(keep_headers=False).run([Document(content=text)])["documents"]

    assert [(chunk.meta["parent_headers"], chunk.meta["header"], chunk.content.strip()) for chunk in chunks] == [
        ([], "", "intro"),
        ([], "One", "a"),
        (["One"], "Two", "b"),
        (["One", "Two"], "Three", "c"),
        (["One"], "Four", "d"),
    ]


def test_a_header_line_within_code_is_none():
    text = "# One\n```\n# a comment\n```\n# Two\nend"

    chunks = MarkdownHeaderSplitter().run([Document(content=text)])["documents"]

    assert [chunk.meta["header"] for chunk in chunks] == ["One", "Two"]


def test_many_fences_without_an_end_take_no_more_time_than_lines():
    text = "# One\n" + "```python\n" * 50_000

    chunks = MarkdownHeaderSplitter().run([Document(content=text)])["documents"]

    assert [chunk.content for chunk in chunks] == [text]


def test_an_empty_document_that_is_kept_is_a_copy():
    document = Document(content=" ", meta={"tags": []})

    (kept,) = MarkdownHeaderSplitter(skip_empty_documents=False).run([document])["documents"]

    assert kept == document
    assert kept.meta["tags"] is not document.meta["tags"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"header_split_levels": []},
        {"header_split_levels": [0]},
        {"header_split_levels": [1, "2"]},
        {"header_split_levels": [2, 2]},
        {"secondary_split": "word", "split_length": 0},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError) as refused:
        ReferenceSplitter(**parameters)

    with pytest.raises(ValueError, match=str(refused.value).split(".")[0].split(":")[0]):
        MarkdownHeaderSplitter(**parameters)


def test_a_document_without_content_is_refused_by_its_id():
    with pytest.raises(ValueError, match="picture"):
        MarkdownHeaderSplitter().run([Document(id="picture")])


@pytest.mark.parametrize("documents", ["text", ["text"]])
def test_anything_but_a_list_of_documents_is_refused(documents):
    with pytest.raises(TypeError, match="List of Documents"):
        MarkdownHeaderSplitter().run(documents)


@pytest.mark.parametrize("parameters", [{}, {"secondary_split": "word", "header_split_levels": [1, 2]}])
def test_the_serialised_form_is_the_reference_s_and_comes_back(parameters):
    expected = component_to_dict(ReferenceSplitter(**parameters), "splitter")

    written = MarkdownHeaderSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert MarkdownHeaderSplitter.from_dict(written).to_dict() == written
