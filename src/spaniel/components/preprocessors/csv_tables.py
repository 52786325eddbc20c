"""CSV tables: parsed into cells, divided into blocks, and serialised."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from spaniel.json_types import Json
from spaniel.text.csv_limits import raise_field_limit

EMPTY_CELLS = frozenset(
    {
        "", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan",
        "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
    }
)  # fmt: skip
"""Cells that count as empty: the missing values of pandas."""

_DIALECT_OPTIONS = ("quotechar", "escapechar", "doublequote", "skipinitialspace")
_OPTIONS = ("sep", "delimiter", "skip_blank_lines", "na_values", "keep_default_na", "skiprows", "nrows")
_IGNORED_OPTIONS = ("engine", "encoding", "low_memory", "memory_map")
_TEXT_TYPES = (object, str, "object", "str", "string")


@dataclass(frozen=True, slots=True)
class TableFormat:
    """The parameters of `csv.reader`, the texts of empty cells, and the range of rows to read."""

    dialect: Mapping[str, Json] = field(default_factory=dict)
    empty: frozenset[str] = EMPTY_CELLS
    skip_blank_lines: bool = False
    skip_rows: int = 0
    max_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equal length, and per row a byte per cell: 0 if it counts as empty, else 1."""

    rows: list[list[str]]
    filled: list[bytes]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    def to_csv(self, rows: Sequence[int], columns: Sequence[int]) -> str:
        r"""Return some rows and columns as CSV.

        >>> read_table("a,b,c\n1,2,3").to_csv([1], [0, 2])
        '1,3\n'
        """
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([self.rows[row][column] for column in columns] for row in rows)
        return file.getvalue()


def read_table(text: str, form: TableFormat | None = None) -> Table:
    r"""Return the table of a CSV text; rows shorter than the first are padded.

    >>> read_table('name,says\n"Rex",\nTom').rows
    [['name', 'says'], ['Rex', ''], ['Tom', '']]
    """
    form = form or TableFormat()
    rows: list[list[str]] = []
    stop = None if form.max_rows is None else form.skip_rows + form.max_rows
    for line, row in islice(_read_rows(text, form), form.skip_rows, stop):
        if not rows and not row:
            raise ValueError("its first line is empty")
        if rows and len(row) > len(rows[0]):
            raise ValueError(f"line {line} has {len(row)} cells, the first row has {len(rows[0])}")
        rows.append(row + [""] * (len(rows[0]) - len(row)) if rows else row)
    if not rows:
        raise ValueError("it has no rows")
    return Table(rows, [bytes(cell not in form.empty for cell in row) for row in rows])


def _read_rows(text: str, form: TableFormat) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, with the number of their first line."""
    raise_field_limit()
    lines = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    # The reader takes the extra line only within a quote, which is then not closed.
    reader = csv.reader(chain(lines, [""]), **form.dialect)
    while reader.line_num < len(lines):
        line = reader.line_num + 1
        try:
            row = next(reader)
        except csv.Error as error:
            raise ValueError(f"line {line} can't be parsed: {error}") from error
        if reader.line_num > len(lines):
            raise ValueError(f"the quote in the row of line {line} is not closed")
        if form.skip_blank_lines and len(row) < 2 and reader.line_num == line and not lines[line - 1].strip(" \t\r\n"):
            continue
        yield line, row


class Block(NamedTuple):
    """A block of a table; `bottom` and `right` are exclusive."""

    top: int
    left: int
    bottom: int
    right: int


def find_blocks(filled: Sequence[bytes], *, row_gap: int | None, column_gap: int | None) -> list[Block]:
    r"""Return the blocks between empty rows and columns, by first row, then by first column.

    >>> find_blocks([b"\1\0\1", b"\0\0\1"], row_gap=1, column_gap=1)
    [Block(top=0, left=0, bottom=1, right=1), Block(top=0, left=2, bottom=2, right=3)]
    """
    found = []
    pending = [Block(0, 0, len(filled), len(filled[0]))]
    while pending:
        for band in _cut_rows(pending.pop(), filled, row_gap):
            for block in _cut_columns(band, filled, column_gap):
                parts = list(_cut_rows(block, filled, row_gap))
                if parts == [block]:
                    found.append(block)
                else:
                    pending += parts
    return sorted(found)


def _cut_rows(block: Block, filled: Sequence[bytes], gap: int | None) -> Iterator[Block]:
    top, left, bottom, right = block
    rows = bytes(1 in cells[left:right] for cells in filled[top:bottom])
    return (Block(top + start, left, top + end, right) for start, end in _spans_between_gaps(rows, gap))


def _cut_columns(block: Block, filled: Sequence[bytes], gap: int | None) -> Iterator[Block]:
    top, left, bottom, right = block
    merged = 0
    for cells in filled[top:bottom]:
        merged |= int.from_bytes(cells[left:right], "big")
    columns = merged.to_bytes(right - left, "big")
    return (Block(top, left + start, bottom, left + end) for start, end in _spans_between_gaps(columns, gap))


def _spans_between_gaps(line: bytes, gap: int | None) -> Iterator[tuple[int, int]]:
    """Yield the spans of a line between runs of at least `gap` zeros."""
    start = 0
    if gap is not None:
        for found in re.finditer(b"\0{%d,}" % min(gap, len(line) + 1), line):
            if found.start() > start:
                yield start, found.start()
            start = found.end()
    if start < len(line):
        yield start, len(line)


def parse_read_csv_options(options: Mapping[str, Json]) -> TableFormat:
    """Return the format described by options of ``pandas.read_csv``.

    :param options: ``sep`` or ``delimiter``, ``quotechar``, ``escapechar``, ``doublequote``,
        ``skipinitialspace``, ``skip_blank_lines``, ``na_values`` (a text or a list of texts),
        ``keep_default_na``, ``skiprows`` and ``nrows`` (numbers). ``header`` must be None, and
        ``dtype`` ``object`` or ``str``. ``engine``, ``encoding``, ``low_memory`` and ``memory_map``
        are ignored.
    :raises ValueError: another option, or an invalid value.

    >>> parse_read_csv_options({"sep": ";", "nrows": 2}).max_rows
    2
    """
    for name, value in options.items():
        if name not in (*_DIALECT_OPTIONS, *_OPTIONS, *_IGNORED_OPTIONS, "header", "dtype"):
            known = ", ".join(sorted((*_DIALECT_OPTIONS, *_OPTIONS)))
            raise ValueError(f"read_csv_kwargs: {name!r} is not supported. Supported are {known}.")
        if name == "header" and value is not None:
            raise ValueError(f"read_csv_kwargs: header must be None, got {value!r}: every row is part of a table.")
        if name == "dtype" and value not in _TEXT_TYPES:
            raise ValueError(f"read_csv_kwargs: dtype must be 'object', got {value!r}: cells are kept verbatim.")
    dialect = {name: options[name] for name in _DIALECT_OPTIONS if name in options}
    dialect["delimiter"] = _parse_delimiter(options)
    return TableFormat(
        dialect=dialect,
        empty=_parse_empty_cells(options),
        skip_blank_lines=bool(options.get("skip_blank_lines", False)),
        skip_rows=_parse_count("skiprows", options) or 0,
        max_rows=_parse_count("nrows", options),
    )


def _parse_delimiter(options: Mapping[str, Json]) -> str:
    delimiter = options.get("delimiter") or options.get("sep", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ValueError(f"read_csv_kwargs: sep must be a single character, got {delimiter!r}.")
    return delimiter


def _parse_empty_cells(options: Mapping[str, Json]) -> frozenset[str]:
    values = options.get("na_values") or ()
    cells = [values] if isinstance(values, str) else list(values)
    if isinstance(values, Mapping) or not all(isinstance(cell, str) for cell in cells):
        raise ValueError(f"read_csv_kwargs: na_values must be a text or a list of texts, got {values!r}.")
    return frozenset(cells) | (EMPTY_CELLS if options.get("keep_default_na", True) else frozenset())


def _parse_count(name: str, options: Mapping[str, Json]) -> int | None:
    number = options.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"read_csv_kwargs: {name} must be a whole number of at least 0, got {number!r}.")
    return number
