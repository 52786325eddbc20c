"""The tree of a text: sections, the sections in them, and the leaves that tile each of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spaniel.text.chunking import count_words, cut
from spaniel.text.converted_text import Heading

_WORD = re.compile(r"[^\W_]")


@dataclass
class SectionNode:
    """A stretch of a text: the whole, a section, or a leaf cut from one.

    :param start: its offset in the whole text.
    :param end: where it ends.
    :param path: the titles of the sections that it is in, its own last.
    :param slug: of a section.
    :param children: they tile the node; a leaf has none.
    """

    start: int
    end: int
    path: list[str]
    slug: str | None = None
    children: list["SectionNode"] = field(default_factory=list)


def section_tree(
    text: str,
    headings: Sequence[Heading],
    slugs: Sequence[str],
    title_ends: Sequence[int],
    *,
    max_words: int,
    code: Sequence[tuple[int, int]] = (),
) -> SectionNode:
    r"""Return the tree of a text.

    A section reaches to the next heading of its level or a higher one. A section without sections in it is a leaf if it
    has at most `max_words` words. What stands before a section's first section is cut into leaves of its own; a heading
    that nothing but the next heading follows is part of that one's section, so that no leaf is a heading alone.

    :param headings: in the order of the text.
    :param slugs: one a heading.
    :param title_ends: where the words of each heading end.
    :param max_words: of a leaf.
    :param code: spans of code blocks, kept whole where they fit.

    >>> root = section_tree("A\n\nB\n\nwords", [Heading(1, "A", 0), Heading(2, "B", 3)], ["a", "b"], [1, 4], max_words=9)
    >>> root.children[0].path, root.children[0].children[0].path, root.children[0].children[0].start
    (['A'], ['A', 'B'], 0)
    """
    sections = _nest(text, headings, slugs, title_ends)
    for section in sections:
        _add_leaves(text, section, max_words, code)
    return sections[0]


def _nest(text: str, headings: Sequence[Heading], slugs: Sequence[str], title_ends: Sequence[int]) -> list[SectionNode]:
    """Return the root and every section, each with the sections in it."""
    root = SectionNode(0, len(text), [])
    sections, above = [root], [(root, 0, 0)]  # the open sections, with their level and where their title ends
    for heading, slug, title_end in zip(headings, slugs, title_ends, strict=True):
        while len(above) > 1 and above[-1][1] >= heading.level:
            above.pop()[0].end = heading.start
        parent, _, parent_title_end = above[-1]
        comes_along = not parent.children and _WORD.search(text, parent_title_end, heading.start) is None
        start = parent.start if comes_along else heading.start
        section = SectionNode(start, len(text), [*parent.path, heading.title], slug)
        parent.children.append(section)
        sections.append(section)
        above.append((section, heading.level, title_end))
    return sections


def _add_leaves(text: str, section: SectionNode, max_words: int, code: Sequence[tuple[int, int]]) -> None:
    """Cut what stands before the first section inside, or all if there is none and it is too long for a leaf."""
    end = section.children[0].start if section.children else section.end
    if end == section.start or (not section.children and count_words(text, section.start, end, max_words) <= max_words):
        return
    leaves = [SectionNode(start, stop, section.path) for start, stop in cut(text, section.start, end, max_words, code)]
    section.children = leaves + section.children
