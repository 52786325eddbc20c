"""The tree of a text: sections, their subsections, and the leaves that tile them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spaniel.text.chunking import count_words, split_spans
from spaniel.text.converted_text import Heading, Span

_WORD = re.compile(r"[^\W_]")


@dataclass
class SectionNode:
    """A span of a text: the whole, a section, or a leaf of a section.

    :param children: they tile the node; a leaf has none.
    """

    start: int
    end: int
    path: list[str]
    slug: str | None = None
    children: list["SectionNode"] = field(default_factory=list)


def build_section_tree(
    text: str,
    headings: Sequence[Heading],
    slugs: Sequence[str],
    title_ends: Sequence[int],
    *,
    max_words: int,
    code: Sequence[Span] = (),
) -> SectionNode:
    r"""Return the tree of a text.

    A section reaches to the next heading of its level or above. A section without
    subsections is a leaf if it has up to `max_words` words. The text before the first subsection is
    split into leaves of its own; a heading followed directly by the next heading is part of that
    one's section, so that no leaf is a heading alone.

    >>> root = build_section_tree("A\n\nB\n\nwords", [Heading(1, "A", 0), Heading(2, "B", 3)], ["a", "b"], [1, 4], max_words=9)
    >>> root.children[0].path, root.children[0].children[0].path, root.children[0].children[0].start
    (['A'], ['A', 'B'], 0)
    """
    sections = _nest_sections(text, headings, slugs, title_ends)
    for section in sections:
        _add_leaves(text, section, max_words, code)
    return sections[0]


def _nest_sections(
    text: str, headings: Sequence[Heading], slugs: Sequence[str], title_ends: Sequence[int]
) -> list[SectionNode]:
    root = SectionNode(0, len(text), [])
    sections, above = [root], [(root, 0, 0)]  # the open sections, with their level and the end of their title
    for heading, slug, title_end in zip(headings, slugs, title_ends, strict=True):
        while len(above) > 1 and above[-1][1] >= heading.level:
            above.pop()[0].end = heading.start
        parent, _, parent_title_end = above[-1]
        has_no_text = not parent.children and _WORD.search(text, parent_title_end, heading.start) is None
        start = parent.start if has_no_text else heading.start
        section = SectionNode(start, len(text), [*parent.path, heading.title], slug)
        parent.children.append(section)
        sections.append(section)
        above.append((section, heading.level, title_end))
    return sections


def _add_leaves(text: str, section: SectionNode, max_words: int, code: Sequence[Span]) -> None:
    end = section.children[0].start if section.children else section.end
    if end == section.start or (not section.children and count_words(text, section.start, end, max_words) <= max_words):
        return
    spans = split_spans(text, section.start, end, max_words, code)
    section.children = [SectionNode(*span, section.path) for span in spans] + section.children
