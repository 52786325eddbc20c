"""The part of a passage that is shown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.cli.passages import make_snippet, unwrap_paragraphs

TEXTS = st.lists(st.sampled_from(["one", "needle", "stretched", "a", "\n"]), max_size=80).map(" ".join)


@given(TEXTS, st.integers(20, 60))
def test_marks_the_matched_words(text: str, length: int) -> None:
    spans = [match.span() for match in re.finditer("needle", text)]
    shown, marks = make_snippet(text, spans, length)
    assert {shown[start:end] for start, end in marks} <= {"needle"}
    assert bool(marks) == bool(spans)
    assert len(marks) == shown.count("needle")


@given(TEXTS, st.integers(20, 60))
def test_it_is_a_piece_of_the_text_of_about_that_length(text: str, length: int) -> None:
    shown, _ = make_snippet(text, [], length)
    assert shown.removeprefix("... ").removesuffix(" ...") in text
    assert len(shown) <= max(length * 1.2, length + 100)


def test_it_is_where_the_matches_stand_closest() -> None:
    text = "needle " + "hay " * 100 + "needle needle needle " + "hay " * 100
    spans = [match.span() for match in re.finditer("needle", text)]
    shown, marks = make_snippet(text, spans, 60)
    assert len(marks) == 3
    assert shown.startswith("... ")
    assert shown.endswith(" ...")


def test_a_text_without_spaces_is_cut_anyway() -> None:
    shown, _ = make_snippet("x" * 1000, [], 50)
    assert len(shown) < 100


WRAPPED = (
    "A paragraph whose lines are wrapped at seventy columns or so, as most\n"
    "editors do, is shown in one line, which the terminal wraps to its own\n"
    "width."
)


def test_unwraps_paragraphs_and_list_items() -> None:
    assert unwrap_paragraphs(WRAPPED) == WRAPPED.replace("\n", " ")
    item = WRAPPED.replace("\n", "\n  ")
    assert unwrap_paragraphs(f"Title\n\n- {item}\n- two\n") == f"Title\n\n- {WRAPPED}\n- two\n".replace(
        WRAPPED, WRAPPED.replace("\n", " ")
    )


@pytest.mark.parametrize(
    "text",
    [
        "short lines\nof a poem\nstay",
        "A sentence per line is how some people write their pages, and it stays so.\nA second sentence.\nA third one.",
        "def function(argument_one, argument_two, argument_three, argument_four):\n    return argument_one",
        "result = some_function_call(argument_one, argument_two, argument_three)\nprint(result)",
        "name | a long description of the option that fills the cell | default\n--top-k | number | 10",
        "- a list item that is quite long and fills most of the width of a line\n- another",
        "",
    ],
)
def test_keeps_other_line_breaks(text: str) -> None:
    assert unwrap_paragraphs(text) == text
