"""What is said of a line that could not be moved."""

from typing import NamedTuple


class Note(NamedTuple):
    """A remark on a line.

    :param line: its number, from 1.
    :param text: what stays as it is, and what to do about it.
    """

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"
