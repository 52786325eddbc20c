"""Changes of a text by position, so that all else stays as it is: spaces, comments, the ends of lines."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A stretch to replace.

    :param start: where it begins.
    :param end: where it ends; the same as `start` to insert.
    :param text: what comes in its place.
    """

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with stretches of it replaced; they must not overlap.

    >>> edited("one two", [Edit(4, 7, "2"), Edit(0, 0, "1 ")])
    '1 one 2'
    """
    parts, done = [], 0
    for edit in sorted(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])
