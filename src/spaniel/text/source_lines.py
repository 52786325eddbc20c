"""The lines of its source file that each block of a converted text comes from."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_INK = re.compile(r"\S")


class SourceLines(NamedTuple):
    """The lines of the source that a block of the text comes from, up to the next block.

    :param start: offset of the block in the text.
    :param first: its first line in the source, from 1.
    :param last: its last line, inclusive.
    :param verbatim: True if each line of the block is a line of the source, from `first` on.
    """

    start: int
    first: int
    last: int
    verbatim: bool = False


class LineLookup:
    r"""Finds the source lines of spans of a text.

    :param text: the converted text.
    :param blocks: ``[start, first, last]`` or ``[start, first, last, verbatim]``, ordered by their
        start.

    >>> LineLookup("Title\n\nOne. Two.", [(0, 1, 2), (7, 4, 5)]).find(7, 11)
    (4, 5)
    >>> LineLookup("One.\n\nTwo.\n", [(0, 1, 3, True)]).find(4, 11)
    (3, 3)
    """

    def __init__(self, text: str, blocks: Iterable[Sequence[int]]) -> None:
        self._text = text
        self._blocks = [SourceLines(block[0], block[1], block[2], bool(block[3:] and block[3])) for block in blocks]
        self._starts = [block.start for block in self._blocks]
        is_needed = any(block.verbatim for block in self._blocks)
        self._breaks = [match.start() for match in re.finditer("\n", text)] if is_needed else []

    def find(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and last source line of ``text[start:end]``; None if it has no words or
        no block.

        The lines are those of all blocks from the one with the first word to the one with the last.
        """
        ink = _INK.search(self._text, start, end)
        if ink is None:
            return None
        end = start + len(self._text[start:end].rstrip())
        first = max(bisect_right(self._starts, ink.start()) - 1, 0)
        blocks = self._blocks[first : bisect_left(self._starts, end)]
        if not blocks:
            return None
        lines = [(self._at(block, ink.start(), block.first), self._at(block, end - 1, block.last)) for block in blocks]
        return min(line for line, _ in lines), max(line for _, line in lines)

    def find_line(self, offset: int) -> int | None:
        """Return the first line of the block at an offset; None without blocks."""
        if not self._blocks:
            return None
        block = self._blocks[max(bisect_right(self._starts, offset) - 1, 0)]
        return self._at(block, offset, block.first)

    def _at(self, block: SourceLines, offset: int, default: int) -> int:
        """Return the line of an offset in a verbatim block; the default elsewhere."""
        if not block.verbatim or offset < block.start:
            return default
        number = block.first + bisect_left(self._breaks, offset) - bisect_left(self._breaks, block.start)
        return min(number, block.last)
