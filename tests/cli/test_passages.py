"""The part of a passage that is shown."""

import re

from hypothesis import given
from hypothesis import strategies as st

from spaniel.cli.passages import make_snippet

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
