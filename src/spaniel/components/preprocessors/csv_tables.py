"""Tables of CSV: read into cells, of which some are empty, and written again."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

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
