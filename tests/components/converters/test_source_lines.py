"""The source between the lines of a passage contains its words, for each format of text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.components.converters.files import convert_bytes
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document

# Blocks of each format; every word is numbered, so that each is on one line only.
TXT = [
    "w w w\nw w",
    "w w w w w w w w w. W w w.\nw w\nw",
    "Title w\n=======",
    "# w w",
    "- w\n- w w\n\n  w",
    "```\nw\n\nw w\n```",
    "w\fw w",
]
BLOCKS: dict[str, list[str]] = {
    ".txt": TXT,
    ".md": [
        *TXT[:-1],
        "> w w\n> w",
        "| w | w |\n|---|---|\n| w | w |",
        "    w w\n    w",
        "1. w\n\n   ```\n   w\n   ```",
        "w\n: w w\n: w\n  w",
        "w[^1] w\n\n[^1]: w\n    w",
        '!!! note "w"\n    w w\n    w\n\n    - w',
        ":::tip w\nw *w\nw* w\n:::",
        "<div>\n<p>w\n<b>w</b></p>\n\nw **w**\n\n</div>",
        "w `w\nw` w  \nw",
        "$$\nw\n$$\n\nw",
        "w w\n===",
    ],
    ".rst": ["w w w\nw w", "w w\n=====", "- w\n- w w\n\n  w", "::\n\n   w\n   w w", ".. note::\n\n   w w\n   w"],
    ".html": [
        "<p>w w\nw</p>",
        "<h1>w\nw</h1>",
        "<ul><li>w\n<li>w w</ul>",
        "<pre>w\nw\n\nw</pre>",
        "<table><tr><th>w<th>w\n<tr><td>w<td>w</table>",
        "w <b>w</b>\nw<br>w",
    ],
}
MARKED = [".md", ".txt", ".html", ".rst"]
"""The formats whose converters give the lines."""


def number_words(text: str) -> str:
    count = 0

    def number(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{match.group()}{count}"

    return re.sub(r"\b[wW]\b", number, text)


def split(source: str, suffix: str) -> list[Document]:
    document = convert_bytes(source.encode(), f"x{suffix}")
    return SectionSplitter(max_words=5).run([document])["documents"]


@pytest.mark.parametrize("suffix", MARKED)
@settings(deadline=None)
@given(data=st.data())
def test_the_source_between_the_lines_of_a_passage_contains_its_words(suffix: str, data: st.DataObject) -> None:
    blocks = data.draw(st.lists(st.sampled_from(BLOCKS[suffix]), min_size=1, max_size=8))
    source = number_words("\n\n".join(blocks) + "\n")
    lines = source.split("\n")
    for node in split(source, suffix):
        first, last = node.meta["line"], node.meta["end_line"]
        assert 1 <= first <= last <= len(lines)
        words = re.findall(r"[wW]\d+", node.content or "")
        assert set(words) <= set(re.findall(r"[wW]\d+", "\n".join(lines[first - 1 : last])))


@pytest.mark.parametrize("suffix", MARKED)
@pytest.mark.parametrize("gap", ["\n\n", "\n\n\n\n\n"])
def test_the_lines_of_a_block_are_no_wider_than_the_block(suffix: str, gap: str) -> None:
    for block in BLOCKS[suffix]:
        source = number_words(gap.join(["w w w w", block, "w w w w"]))
        last_line = 1 + block.count("\n")
        first_word, last_word = re.findall(r"[wW]\d+", source)[4], re.findall(r"[wW]\d+", source)[-5]
        before = 1 + gap.count("\n")
        for node in split(source, suffix):
            words = re.findall(r"[wW]\d+", node.content or "")
            if words and words[0] == first_word and words[-1] == last_word:
                assert node.meta["line"] >= before
                assert node.meta["end_line"] <= before + last_line


def test_lines_are_those_of_the_file_whatever_its_line_ends_and_encoding() -> None:
    data = "\ufeffone\r\rtwo\r\n\nthree".encode("utf-16")
    document = convert_bytes(data, "x.txt")
    nodes = SectionSplitter(max_words=1).run([document])["documents"]
    assert [(node.content, node.meta["line"]) for node in nodes[1:]] == [("one\n\n", 1), ("two\n\n", 3), ("three", 5)]
