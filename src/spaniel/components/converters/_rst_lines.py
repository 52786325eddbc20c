"""The source lines of the blocks of a reStructuredText file.

docutils' own line numbers are wrong in tables and in lists of definitions, so each block's source
text is looked for near them.
"""

import re

from docutils import nodes

_MAX_DISTANCE = 300  # lines from the block before
_UNDERLINE = re.compile(r"\s*([^\w\s])\1*\s*\Z")

Lines = tuple[int, int]


def find_lines(document: nodes.document, text: str) -> dict[int, Lines]:
    """Return the first and last source line, from 1, of each block with words by `id` of its node.

    A block that is not found has the lines from the block before it to the one after it.
    """
    source = [" ".join(line.split()) for line in text.split("\n")]
    blocks = [node for node in document.findall(nodes.Element) if _is_block(node)]
    found: list[Lines | None] = []
    place = 0
    for node in blocks:
        lines = _locate(node, source, place)
        if lines is not None:
            place = lines[0] - 1
        found.append(lines)
    return dict(zip(map(id, blocks), _fill(found, len(source)), strict=True))


def _is_block(node: nodes.Element) -> bool:
    if isinstance(node, nodes.image):
        return node.rawsource.startswith("..")  # else it is part of a line of text
    if isinstance(node, nodes.label):
        return False
    is_text = isinstance(node, nodes.TextElement) and not isinstance(node, nodes.Inline)
    return (is_text or type(node).__name__ == "TOCNode") and not isinstance(node.parent, nodes.TextElement)


def _locate(node: nodes.Element, source: list[str], place: int) -> Lines | None:
    block = [" ".join(line.split()) for line in (node.rawsource or node.astext()).strip().split("\n")]
    if not block[0]:
        return None
    # docutils counts from 1, or from 0 for some nodes.
    hints = [node.line - 1 + shift for shift in (0, -1, 1)] if node.line else []
    for start in (*(hint for hint in hints if hint >= place), *range(place, min(place + _MAX_DISTANCE, len(source)))):
        if _stands_at(block, source, start):
            end = start + len(block)
            is_title = isinstance(node, nodes.title) and end < len(source) and _UNDERLINE.match(source[end])
            return start + 1, end + bool(is_title)
    return None


def _stands_at(block: list[str], source: list[str], start: int) -> bool:
    if start + len(block) > len(source):
        return False
    return all(_holds(source[start + at], line) for at, line in enumerate(block))


def _holds(line: str, part: str) -> bool:
    """Return if a line contains a part, not as a part of a longer word."""
    if line == part:
        return True
    at = line.find(part)
    while part and at >= 0:
        before, after = line[at - 1 : at], line[at + len(part) : at + len(part) + 1]
        if not (before.isalnum() and part[0].isalnum()) and not (after.isalnum() and part[-1].isalnum()):
            return True
        at = line.find(part, at + 1)
    return not part


def _fill(found: list[Lines | None], end: int) -> list[Lines]:
    following: list[int] = []
    last = end
    for lines in reversed(found):
        last = lines[1] if lines is not None else last
        following.append(last)
    filled: list[Lines] = []
    first = 1
    for lines, last in zip(found, reversed(following), strict=True):
        first = lines[0] if lines is not None else first
        filled.append(lines or (first, max(first, last)))
    return filled
