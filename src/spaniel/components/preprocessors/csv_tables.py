"""Tables of CSV: read into cells, of which some are empty, and written again."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple

from spaniel.text.csv_limits import raise_field_limit

EMPTY_CELLS = frozenset(
    {
        "", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan",
        "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
    }
)  # fmt: skip
"""Cells that count as empty: those that pandas takes for missing values."""


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How a table is written.

    :param signs: parameters of `csv.reader`.
    :param empty: cells that count as empty.
    :param skip_blank_lines: lines of blanks are no rows.
    :param skip_rows: how many rows at the top are passed over.
    :param most_rows: how many rows are read at most; None: all.
    """

    signs: Mapping[str, Any] = field(default_factory=dict)
    empty: frozenset[str] = EMPTY_CELLS
    skip_blank_lines: bool = False
    skip_rows: int = 0
    most_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equally many cells.

    :param rows: the texts of the cells.
    :param filled: for each row a byte a cell, 0 where it counts as empty, else 1.
    """

    rows: list[list[str]]
    filled: list[bytes]

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.rows[0])

    def written(self, rows: Sequence[int], columns: Sequence[int]) -> str:
        r"""Return these rows and columns as CSV.

        >>> read_table("a,b,c\n1,2,3").written([1], [0, 2])
        '1,3\n'
        """
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([self.rows[row][column] for column in columns] for row in rows)
        return file.getvalue()


def read_table(text: str, form: TableFormat | None = None) -> Table:
    r"""Return the table that a text holds. Its first row says how many columns there are; shorter rows end with empty cells.

    :param form: how it is written; None: with commas, in double quotes, each line a row.
    :raises ValueError: a row is longer than the first, the first is empty or missing, a quote has no end, or a cell has more
        than 16 Mi characters.

    >>> read_table('name,says\n"Rex",\nTom').rows
    [['name', 'says'], ['Rex', ''], ['Tom', '']]
    """
    form = form or TableFormat()
    rows: list[list[str]] = []
    stop = None if form.most_rows is None else form.skip_rows + form.most_rows
    for line, row in islice(_records(text, form), form.skip_rows, stop):
        if not rows and not row:
            raise ValueError("its first line is empty")
        if rows and len(row) > len(rows[0]):
            raise ValueError(f"line {line} has {len(row)} cells, the first row has {len(rows[0])}")
        rows.append(row + [""] * (len(rows[0]) - len(row)) if rows else row)
    if not rows:
        raise ValueError("it has no rows")
    return Table(rows, [bytes(cell not in form.empty for cell in row) for row in rows])


def _records(text: str, form: TableFormat) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, with the numbers of the lines where they begin."""
    raise_field_limit()
    lines = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    # The line after the last is only asked for within a quote, which so has no end.
    reader = csv.reader(chain(lines, [""]), **form.signs)
    while reader.line_num < len(lines):
        line = reader.line_num + 1
        try:
            row = next(reader)
        except csv.Error as error:
            raise ValueError(f"line {line} can't be parsed: {error}") from error
        if reader.line_num > len(lines):
            raise ValueError(f"the quote in the row of line {line} has no end")
        if form.skip_blank_lines and len(row) < 2 and reader.line_num == line and not lines[line - 1].strip(" \t\r\n"):
            continue
        yield line, row


class Block(NamedTuple):
    """Part of a table: the rows from `top` until before `bottom`, the columns from `left` until before `right`."""

    top: int
    left: int
    bottom: int
    right: int


def blocks_of(filled: Sequence[bytes], *, row_gap: int | None, column_gap: int | None) -> list[Block]:
    r"""Return the blocks of a table, by their first row, then by their first column.

    :param filled: for each row a byte a cell, 0 where it is empty.
    :param row_gap: how many empty rows divide; None: rows never do. Within a block, only its own columns count.
    :param column_gap: the same for columns.

    >>> blocks_of([b"\1\0\1", b"\0\0\1"], row_gap=1, column_gap=1)
    [Block(top=0, left=0, bottom=1, right=1), Block(top=0, left=2, bottom=2, right=3)]
    """
    found = []
    waiting = [Block(0, 0, len(filled), len(filled[0]))]
    while waiting:
        for band in _cut_rows(waiting.pop(), filled, row_gap):
            for block in _cut_columns(band, filled, column_gap):
                again = list(_cut_rows(block, filled, row_gap))
                if again == [block]:
                    found.append(block)
                else:
                    waiting += again
    return sorted(found)


def _cut_rows(block: Block, filled: Sequence[bytes], gap: int | None) -> Iterator[Block]:
    top, left, bottom, right = block
    rows = bytes(1 in cells[left:right] for cells in filled[top:bottom])
    return (Block(top + start, left, top + end, right) for start, end in _between_gaps(rows, gap))


def _cut_columns(block: Block, filled: Sequence[bytes], gap: int | None) -> Iterator[Block]:
    top, left, bottom, right = block
    merged = 0
    for cells in filled[top:bottom]:
        merged |= int.from_bytes(cells[left:right], "big")
    columns = merged.to_bytes(right - left, "big")
    return (Block(top, left + start, bottom, left + end) for start, end in _between_gaps(columns, gap))


def _between_gaps(line: bytes, gap: int | None) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a line that no `gap` zeros in a row interrupt."""
    start = 0
    if gap is not None:
        for found in re.finditer(b"\0{%d,}" % min(gap, len(line) + 1), line):
            if found.start() > start:
                yield start, found.start()
            start = found.end()
    if start < len(line):
        yield start, len(line)


_SIGNS = ("quotechar", "escapechar", "doublequote", "skipinitialspace")
_OTHERS = ("sep", "delimiter", "skip_blank_lines", "na_values", "keep_default_na", "skiprows", "nrows")
_IGNORED = ("engine", "encoding", "low_memory", "memory_map")
_TEXT_TYPES = (object, str, "object", "str", "string")


def table_format(options: Mapping[str, Any]) -> TableFormat:
    """Return the format that options of ``pandas.read_csv`` describe.

    :param options: ``sep`` or ``delimiter``, ``quotechar``, ``escapechar``, ``doublequote``, ``skipinitialspace``,
        ``skip_blank_lines``, ``na_values`` (a text or a list of texts), ``keep_default_na``, ``skiprows`` and ``nrows``
        (numbers). ``header`` may only be None, and ``dtype`` only ``object`` or ``str``. ``engine``, ``encoding``,
        ``low_memory`` and ``memory_map`` change nothing.
    :raises ValueError: another option, or a value that is not possible.

    >>> table_format({"sep": ";", "nrows": 2}).most_rows
    2
    """
    for name, value in options.items():
        if name not in (*_SIGNS, *_OTHERS, *_IGNORED, "header", "dtype"):
            known = ", ".join(sorted((*_SIGNS, *_OTHERS)))
            raise ValueError(f"read_csv_kwargs: {name!r} is not supported. Known are {known}.")
        if name == "header" and value is not None:
            raise ValueError(f"read_csv_kwargs: header is {value!r}, but must be None: every row is part of a table.")
        if name == "dtype" and value not in _TEXT_TYPES:
            raise ValueError(
                f"read_csv_kwargs: dtype is {value!r}, but must be 'object': cells stay as they are written."
            )
    signs = {name: options[name] for name in _SIGNS if name in options}
    signs["delimiter"] = _delimiter(options)
    return TableFormat(
        signs=signs,
        empty=_empty_cells(options),
        skip_blank_lines=bool(options.get("skip_blank_lines", False)),
        skip_rows=_number("skiprows", options) or 0,
        most_rows=_number("nrows", options),
    )


def _delimiter(options: Mapping[str, Any]) -> str:
    sign = options.get("delimiter") or options.get("sep", ",")
    if not isinstance(sign, str) or len(sign) != 1:
        raise ValueError(f"read_csv_kwargs: sep must be a single character, not {sign!r}.")
    return sign


def _empty_cells(options: Mapping[str, Any]) -> frozenset[str]:
    more = options.get("na_values") or ()
    cells = [more] if isinstance(more, str) else list(more)
    if isinstance(more, Mapping) or not all(isinstance(cell, str) for cell in cells):
        raise ValueError(f"read_csv_kwargs: na_values must be a text or a list of texts, not {more!r}.")
    return frozenset(cells) | (EMPTY_CELLS if options.get("keep_default_na", True) else frozenset())


def _number(name: str, options: Mapping[str, Any]) -> int | None:
    number = options.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"read_csv_kwargs: {name} must be a whole number of at least 0, not {number!r}.")
    return number
