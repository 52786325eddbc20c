"""The rules of the prose check, and the texts that it reads."""

import pytest

from tools.prose.__main__ import problems
from tools.prose.texts import Text, texts_of_markdown, texts_of_python, texts_of_rust


@pytest.mark.parametrize(
    "text",
    [
        Text("docstring", 1, "Whether it is open."),
        Text("parameter", 1, "how many documents at most."),
        Text("comment", 1, "the name of a file that is no list"),
        Text("message", 1, "the error is told at once"),
        Text("function", 1, "checked_count"),
        Text("name", 1, "_MOST_TERMS"),
        Text("page", 1, "one request a level"),
    ],
)
def test_a_text_in_the_private_dialect_is_found(text):
    assert list(problems(text, is_library=True))


@pytest.mark.parametrize(
    "text",
    [
        Text("docstring", 1, "Return the number of documents."),
        Text("message", 1, "There is no index 'a'; it is no longer there."),
        Text("function", 1, "embed_documents"),
        Text("name", 1, "checked"),
        Text("page", 1, "one request per level, and one with a filter"),
    ],
)
def test_plain_text_is_accepted(text):
    assert list(problems(text, is_library=True)) == []


def test_python_texts_are_docstrings_parameters_comments_messages_and_names():
    source = '"""A module."""\n\n\ndef f(a):\n    """Do it.\n\n    :param a: a number.\n\n    >>> f(1)\n    2\n    """\n    return "a text"  # why\n'
    found = {(text.kind, text.words) for text in texts_of_python(source)}
    assert found == {
        ("docstring", "A module."),
        ("docstring", "Do it."),
        ("parameter", "a number."),
        ("comment", "why"),
        ("message", "a text"),
        ("function", "f"),
        ("name", "a"),
    }


def test_rust_and_markdown_texts_leave_out_code():
    rust = [(text.kind, text.words) for text in texts_of_rust("/// A type.\nstruct A; // why\n")]
    assert rust == [("docstring", "A type."), ("comment", "why"), ("name", "A")]
    page = [text.words for text in texts_of_markdown("A `what` page.\n```\nwhat\n```\n")]
    assert page == ["A `x` page."]
