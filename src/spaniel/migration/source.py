"""The source text of a program, edits by position, and notes on lines."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterable
from typing import NamedTuple

from spaniel.errors import MigrationError


class Source:
    """A Python program, decoded losslessly, with its syntax tree."""

    def __init__(self, data: bytes) -> None:
        try:
            self.encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            self.text = data.decode(self.encoding)
            self.tree = parse(self.text)
        except SyntaxError as error:
            place = f"line {error.lineno}: " if error.lineno else ""
            raise MigrationError(f"{place}{error.msg}") from error
        except (UnicodeDecodeError, LookupError, ValueError, RecursionError, MemoryError) as error:
            raise MigrationError(f"not a Python program: {error}") from error
        self._lines = self.text.encode().splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.decode()))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line, from 1, and a column in bytes of UTF-8, as in `ast`."""
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        """Return the start and end offsets of a node."""
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self.offset(node.lineno, node.col_offset), end

    def line_of(self, offset: int) -> int:
        """Return the line number of an offset."""
        return sum(start <= offset for start in self._starts[:-1]) or 1


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in string literals
        return ast.parse(text.removeprefix("\ufeff"))


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
