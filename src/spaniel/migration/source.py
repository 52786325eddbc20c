"""A program as text, with the places of its parts."""

import ast
import io
import tokenize
import warnings

from spaniel.errors import MigrationError


class Source:
    """A Python program, read so that it can be written back as it was.

    :param data: the bytes of its file.
    :raises MigrationError: it is no Python, or no text.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self.encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            self.text = data.decode(self.encoding)
            self.tree = parsed(self.text)
        except SyntaxError as error:
            place = f"line {error.lineno}: " if error.lineno else ""
            raise MigrationError(f"{place}{error.msg}") from error
        except (UnicodeDecodeError, LookupError, ValueError, RecursionError, MemoryError) as error:
            raise MigrationError(f"this is no Python program: {error}") from error
        self._lines = self.text.encode().splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.decode()))

    def offset(self, line: int, column: int) -> int:
        """Return where a place is in the text.

        :param line: from 1.
        :param column: in bytes of UTF-8, as `ast` counts.
        """
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        """Return where a part of the program begins and ends in the text."""
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self.offset(node.lineno, node.col_offset), end

    def line_of(self, offset: int) -> int:
        """Return the number of the line that holds a place in the text."""
        return sum(start <= offset for start in self._starts[:-1]) or 1


def parsed(text: str) -> ast.Module:
    """Return a program's syntax tree.

    :raises SyntaxError: it is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes in the user's texts
        return ast.parse(text.removeprefix("\ufeff"))
