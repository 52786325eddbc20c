"""Edits of a text by position, which keep everything else, and notes on lines that were not migrated."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A replacement of ``text[start:end]``, or an insertion at two equal offsets."""

    start: int
    end: int
    text: str


class Note(NamedTuple):
    """A remark on a line, counted from 1."""

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
