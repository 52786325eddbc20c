"""Edits of a text by position, which keep everything else, and notes on lines that were not migrated."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A replacement.

    :param start: start offset.
    :param end: end offset; equal to `start` for an insertion.
    :param text: the replacement.
    """

    start: int
    end: int
    text: str


class Note(NamedTuple):
    """A remark on a line.

    :param line: line number, from 1.
    :param text: the name that was kept, with a remedy.
    """

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits, which must not overlap, to a text.

    >>> apply_edits("one two", [Edit(4, 7, "2"), Edit(0, 0, "1 ")])
    '1 one 2'
    """
    parts, done = [], 0
    for edit in sorted(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])
