"""The source text of a program, with the offsets of its nodes."""

import ast
import io
import tokenize
import warnings

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
