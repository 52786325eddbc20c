"""The tree of a text: sections, the sections in them, and the leaves that tile each of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spaniel.text.converted import Heading
from spaniel.text.cutting import count_words, cut

_WORD = re.compile(r"\w")


@dataclass
class Node:
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
    children: list["Node"] = field(default_factory=list)


def section_tree(
    text: str,
    headings: Sequence[Heading],
    slugs: Sequence[str],
    title_ends: Sequence[int],
    *,
    max_words: int,
    code: Sequence[tuple[int, int]] = (),
) -> Node:
    """Return the tree of a text.

    A section reaches to the next heading of its level or a higher one. A section without sections in it is a leaf if it
    has at most `max_words` words. What stands before a section's first section is cut into leaves of its own; a heading
    that nothing but the next heading follows is part of that one's section, so that no leaf is a heading alone.

    :param headings: in the order of the text.
    :param slugs: one a heading.
    :param title_ends: where the words of each heading end.
    :param max_words: of a leaf.
    :param code: spans of code blocks, kept whole where they fit.

    >>> root = section_tree("A\\n\\nB\\n\\nwords", [Heading(1, "A", 0), Heading(2, "B", 3)], ["a", "b"], [1, 4], max_words=9)
    >>> root.children[0].path, root.children[0].children[0].path, root.children[0].children[0].start
    (['A'], ['A', 'B'], 0)
    """
    root = Node(0, len(text), [])
    nested = _nest(text, root, headings, slugs, title_ends)
    for node, subsections, intro_end in nested:
        _fill(text, node, subsections, intro_end, max_words, code)
    return root


def _nest(
    text: str, root: Node, headings: Sequence[Heading], slugs: Sequence[str], title_ends: Sequence[int]
) -> list[tuple[Node, list[Node], int]]:
    """Return every section with the sections in it and where the text before these ends."""
    found: list[tuple[Node, list[Node], int]] = [(root, [], 0)]
    open_sections: list[tuple[int, int]] = [(0, 0)]  # level, place in `found`; the root stays below all
    carried = 0 if not headings or _blank(text, 0, headings[0].start) else headings[0].start
    for heading, slug, title_end in zip(headings, slugs, title_ends, strict=True):
        while len(open_sections) > 1 and open_sections[-1][0] >= heading.level:
            found[open_sections.pop()[1]][0].end = heading.start
        parent, siblings, words_end = found[open_sections[-1][1]]
        first = not siblings
        start = heading.start
        if first and _blank(text, words_end, start):  # nothing but the parent's heading stands before: it comes along
            start = parent.start
        node = Node(start, len(text), [*parent.path, heading.title], slug)
        siblings.append(node)
        open_sections.append((heading.level, len(found)))
        found.append((node, [], title_end))
    del carried
    return found


def _blank(text: str, start: int, end: int) -> bool:
    return _WORD.search(text, start, end) is None


def _fill(text: str, node: Node, subsections: list[Node], intro_end: int, max_words: int, code: Sequence[tuple[int, int]]) -> None:
    if subsections:
        intro = subsections[0].start
        if intro > node.start:
            node.children = _leaves(text, node, intro, max_words, code)
        node.children += subsections
    elif count_words(text, node.start, node.end, max_words) > max_words:
        node.children = _leaves(text, node, node.end, max_words, code)


def _leaves(text: str, node: Node, end: int, max_words: int, code: Sequence[tuple[int, int]]) -> list[Node]:
    return [Node(start, stop, node.path) for start, stop in cut(text, node.start, end, max_words, code)]
