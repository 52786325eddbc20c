import pytest

from spaniel.text.headings import find_structure


def found(text):
    return [(heading.level, heading.title) for heading in find_structure(text).headings]


def test_marks_and_setext_lines_make_headings():
    assert found("# A #\ntext\n\nB\n---\n\n### C\n") == [(1, "A"), (2, "B"), (3, "C")]


def test_underlined_headings_get_their_levels_in_the_order_of_their_signs():
    assert found("A\n***\n\nB\n===\n\nC\n---\n\nD\n===\n") == [(1, "A"), (2, "B"), (3, "C"), (2, "D")]


def test_a_line_above_makes_another_level_and_belongs_to_the_heading():
    text = "=====\nTitle\n=====\n\nSub\n=====\n"
    headings = find_structure(text).headings
    assert [(heading.level, heading.title, heading.start) for heading in headings] == [(1, "Title", 0), (2, "Sub", 19)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# comment\n```\n",
        "~~~ sh\n# comment\n\nx\n---\n~~~\n",
        "    # indented code\n",
        "#no space\n",
        "a line of a paragraph\nlast line\n---\n",
        "Example:\n```\ncode\n```\n",
        "| a | b |\n---------\n",
        "----\n----\n",
        "A long title\n***\n",
        "# one comment\n# and another\nkey = 1\n",
    ],
)
def test_lines_like_headings_are_not_headings(text):
    assert found(text) == []


def test_an_open_fence_reaches_to_the_end():
    structure = find_structure("# A\n\n```\n# no\n")
    assert [heading.title for heading in structure.headings] == ["A"]
    assert structure.code == [(5, 14)]


def test_a_longer_fence_holds_a_shorter_one():
    assert found("````\n```\n# no\n```\n````\n# yes\n") == [(1, "yes")]


@pytest.mark.parametrize(
    "title", ["Set up {#setup}", "Set up { #setup .wide }", "Set up {: #setup }", "Set up {/* #setup */}"]
)
def test_an_explicit_id_is_not_part_of_the_title(title):
    structure = find_structure(f"## {title}\n")
    assert (structure.headings[0].title, structure.slugs) == ("Set up", ["setup"])


def test_every_underlined_heading_of_the_language_reference_is_found():
    import re
    from pydoc_data.topics import topics

    for name, text in topics.items():
        underlined = re.findall(r"^(\S.*)\n([*=\-~])\2{2,}$", text, re.MULTILINE)
        assert [title for _, title in found(text)] == [title for title, _ in underlined], name
