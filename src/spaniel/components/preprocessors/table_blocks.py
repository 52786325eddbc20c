"""Blocks of a table: the smaller tables that empty rows and columns leave."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


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
