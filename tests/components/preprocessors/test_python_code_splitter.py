import textwrap

import haystack
import pytest
from haystack.components.preprocessors import PythonCodeSplitter as ReferenceSplitter
from haystack.core.serialization import component_to_dict
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import PythonCodeSplitter
from spaniel.components.preprocessors.python_units import parse_code_units
from tests.components.preprocessors.documents import ours, plain, theirs

STATEMENTS = [
    "import os\n", "from a import (\n    b,\n)\n", "x = 1  # one\n", "日 = 'ü'\n", 'text = """\nclass None_:\n"""\n',
    "if x:\n    def inner():\n        pass\n", "# comment\n", "\n", "\n\n", "y = [\n    1,\n\n    2,\n]\n",
]  # fmt: skip
FUNCTIONS = [
    "def f(): return 1\n", 'def g():\n    """Says."""\n    return 2\n', 'def h():\n    """\n    Long.\n\n    More.\n    """\n',
    "async def i(\n    a,\n):\n    # inside\n    await a\n", '@one\n@two(1, "x")\ndef j():\n    ""\n    pass\n',
    "def k():\n" + "    call_something(with_arguments)\n" * 6,
]  # fmt: skip
HEADS = ["class A:\n", "class B(Base, key=1):\n", "@made\nclass A:\n", "class C(\n    Base,\n):\n    # of C\n"]
FIELDS = ['    """Class."""\n', "    x = 1\n", "    # comment\n", "\n"]


@st.composite
def classes(draw):
    head = draw(st.sampled_from(HEADS)) + "".join(draw(st.lists(st.sampled_from(FIELDS), max_size=3))) + "    y = 2\n"
    inner = st.sampled_from([*FUNCTIONS, "class Inner:\n    def m(self): pass\n", "z = 3\n", "# between\n", "\n"])
    return head + "".join(textwrap.indent(member, "    ") for member in draw(st.lists(inner, max_size=5)))


starts = st.sampled_from(["", "", '"""Module."""\n', "# -*- coding\n", "\n"])
bodies = st.lists(st.sampled_from(STATEMENTS + FUNCTIONS) | classes(), max_size=8).map("".join)
sources = st.builds(str.__add__, starts, bodies) | st.builds(lambda body: body.rstrip("\n"), bodies)
metas = st.sampled_from([{}, {"file_name": "x.py", "tags": ["t"]}, {"split_id": 3, "source_id": "x", "end_line": 1}])
many_fields = st.lists(st.fixed_dictionaries({"content": sources, "meta": metas}), max_size=2)


@st.composite
def parameters_of_splitters(draw):
    least = draw(st.integers(1, 4))
    return {
        "min_effective_lines": least,
        "max_effective_lines": draw(st.integers(least, 8)),
        "expected_chars_per_line": draw(st.sampled_from([10, 45])),
        "oversized_factor": draw(st.integers(1, 3)),
        "strip_docstrings": draw(st.booleans()),
        "preserve_class_definition": draw(st.booleans()),
        "secondary_split_overlap": draw(st.integers(0, 3)),
        "secondary_split_length": draw(st.none() | st.integers(1, 4)),
    }


@settings(max_examples=400, deadline=None)
@given(many_fields, parameters_of_splitters())
def test_chunks_equal_the_reference_in_id_text_and_meta(many, parameters):
    expected = ReferenceSplitter(**parameters).run(theirs(many))["documents"]

    assert plain(PythonCodeSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@given(sources)
def test_units_joined_are_the_code(source):
    assert "".join(unit.text for unit in parse_code_units(source)) == source


@given(sources.filter(str.strip), st.integers(1, 8))
def test_each_chunk_stands_on_the_lines_it_names(source, length):
    splitter = PythonCodeSplitter(
        min_effective_lines=1, max_effective_lines=length, oversized_factor=99, preserve_class_definition=False
    )
    lines = source.split("\n")
    for chunk in splitter.run([Document(content=source)])["documents"]:
        stretch = "\n".join(lines[chunk.meta["start_line"] - 1 : chunk.meta["end_line"]])
        assert chunk.content.rstrip("\n").endswith(stretch.rstrip("\n"))


def test_a_chunk_of_methods_begins_with_the_head_of_their_class():
    source = "@made\nclass A(Base):\n    x = 1\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n"
    splitter = PythonCodeSplitter(min_effective_lines=1, max_effective_lines=1)

    chunks = splitter.run([Document(content=source)])["documents"]

    assert chunks[-1].content == "@made\nclass A(Base):\n\n    def g(self):\n        pass\n"
    assert chunks[-1].meta["include_classes"] == ["A"]


@pytest.mark.parametrize("source", ["def f(:\n", "  x = 1\n", "x = 1\x00"])
def test_invalid_python_raises_the_parser_error(source):
    with pytest.raises((SyntaxError, ValueError)) as expected:
        ReferenceSplitter().run([haystack.Document(content=source)])

    with pytest.raises(expected.type) as caught:
        PythonCodeSplitter().run([Document(id="first", content=source)])
    assert "in the document first" in caught.value.__notes__[0]


def test_a_document_without_content_is_refused_by_its_id():
    with pytest.raises(ValueError, match="document ID picture is None"):
        PythonCodeSplitter().run([Document(id="picture")])


def test_content_that_is_no_text_is_refused():
    document = Document(id="1", content="")
    object.__setattr__(document, "content", 5)

    with pytest.raises(TypeError, match="str content"):
        PythonCodeSplitter().run([document])


def test_no_code_runs(tmp_path):
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\n"

    PythonCodeSplitter().run([Document(content=source)])

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_effective_lines": 0},
        {"max_effective_lines": 0},
        {"min_effective_lines": 3, "max_effective_lines": 2},
        {"expected_chars_per_line": 0},
        {"oversized_factor": 0},
        {"secondary_split_overlap": -1},
        {"secondary_split_length": 0},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError, match=r".") as expected:
        ReferenceSplitter(**parameters)

    with pytest.raises(ValueError, match=str(expected.value)):
        PythonCodeSplitter(**parameters)


@pytest.mark.parametrize("parameters", [{}, {"strip_docstrings": True, "secondary_split_length": 3}])
def test_the_serialised_form_is_the_reference_s_and_comes_back(parameters):
    expected = component_to_dict(ReferenceSplitter(**parameters), "splitter")

    written = PythonCodeSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert PythonCodeSplitter.from_dict(written).to_dict() == written
