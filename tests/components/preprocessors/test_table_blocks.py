import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.preprocessors.table_blocks import Block, blocks_of

grids = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 0, 1]), min_size=width, max_size=width).map(bytes), min_size=1, max_size=7
    )
)


@given(grids, st.none() | st.integers(1, 3), st.none() | st.integers(1, 3))
def test_each_filled_cell_is_in_one_block(grid, row_gap, column_gap):
    blocks = blocks_of(grid, row_gap=row_gap, column_gap=column_gap)

    cells = [(r, c) for top, left, bottom, right in blocks for r in range(top, bottom) for c in range(left, right)]
    assert len(cells) == len(set(cells))
    assert {(r, c) for r, row in enumerate(grid) for c, filled in enumerate(row) if filled} <= set(cells)


@given(grids, st.integers(1, 3), st.integers(1, 3))
def test_no_block_can_be_divided_further(grid, row_gap, column_gap):
    for top, left, bottom, right in blocks_of(grid, row_gap=row_gap, column_gap=column_gap):
        part = [row[left:right] for row in grid[top:bottom]]
        assert blocks_of(part, row_gap=row_gap, column_gap=column_gap) == [Block(0, 0, bottom - top, right - left)]


@pytest.mark.parametrize("gap", [3, 10**30])
def test_a_smaller_gap_divides_nothing(gap):
    assert blocks_of([b"\1", b"\0", b"\0", b"\1"], row_gap=gap, column_gap=None) == [Block(0, 0, 4, 1)]


def test_tables_within_tables_are_found_however_deep():
    # A staircase: each cut leaves one smaller table that can be cut again.
    size = 1500
    grid = [bytes([*[0] * step, 1, *[0] * (size - step - 1)]) for step in range(size)]

    assert len(blocks_of(grid, row_gap=1, column_gap=1)) == 1
    grid[1::2] = [bytes(size)] * (size // 2)
    assert len(blocks_of(grid, row_gap=1, column_gap=1)) == size // 2
