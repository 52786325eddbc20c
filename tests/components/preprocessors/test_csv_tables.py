import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.preprocessors.csv_tables import (
    Block,
    TableFormat,
    find_blocks,
    parse_read_csv_options,
    read_table,
)


def test_the_first_row_says_how_many_columns_there_are():
    assert read_table("a,b,c\nd\n").rows == [["a", "b", "c"], ["d", "", ""]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no rows"),
        ("\na,b", "first line is empty"),
        ("a\nb\nc,d", "line 3 has 2 cells, the first row has 1"),
        ('a,"b\n', "the quote in the row of line 1 is not closed"),
        ('a\n"', "the quote in the row of line 2 is not closed"),
    ],
)
def test_a_text_that_is_no_table_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        read_table(text)


def test_a_table_is_read_and_written_the_same():
    text = 'a,"b,c"\n"say ""hi""","two\nlines"\n""\n'
    table = read_table(text)

    assert table.to_csv(range(2), range(2)) == "".join(text.rpartition('""\n')[:1])
    assert table.to_csv([2], [0]) == '""\n'


def test_a_cell_may_be_long():
    assert read_table("x" * 200_000).rows == [["x" * 200_000]]


def test_blank_lines_within_quotes_stay():
    assert read_table('a\n\n"\n\n"\n \nb', TableFormat(skip_blank_lines=True)).rows == [["a"], ["\n\n"], ["b"]]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"header": 0}, "header must be None, got 0"),
        ({"dtype": "int"}, "dtype must be 'object', got 'int'"),
        ({"usecols": [0]}, "'usecols' is not supported. Supported are delimiter, doublequote"),
        ({"sep": r"\s+"}, "single character"),
        ({"nrows": -1}, "nrows must be a whole number of at least 0, got -1"),
        ({"skiprows": [1]}, "skiprows must be a whole number"),
        ({"na_values": {"a": 1}}, "na_values must be a text or a list of texts"),
    ],
)
def test_an_option_that_is_not_possible_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        parse_read_csv_options(options)


grids = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 0, 1]), min_size=width, max_size=width).map(bytes), min_size=1, max_size=7
    )
)


@given(grids, st.none() | st.integers(1, 3), st.none() | st.integers(1, 3))
def test_each_filled_cell_is_in_one_block(grid, row_gap, column_gap):
    blocks = find_blocks(grid, row_gap=row_gap, column_gap=column_gap)

    cells = [(r, c) for top, left, bottom, right in blocks for r in range(top, bottom) for c in range(left, right)]
    assert len(cells) == len(set(cells))
    assert {(r, c) for r, row in enumerate(grid) for c, filled in enumerate(row) if filled} <= set(cells)


@given(grids, st.integers(1, 3), st.integers(1, 3))
def test_no_block_can_be_divided_further(grid, row_gap, column_gap):
    for top, left, bottom, right in find_blocks(grid, row_gap=row_gap, column_gap=column_gap):
        part = [row[left:right] for row in grid[top:bottom]]
        assert find_blocks(part, row_gap=row_gap, column_gap=column_gap) == [Block(0, 0, bottom - top, right - left)]


@pytest.mark.parametrize("gap", [3, 10**30])
def test_a_smaller_gap_divides_nothing(gap):
    assert find_blocks([b"\1", b"\0", b"\0", b"\1"], row_gap=gap, column_gap=None) == [Block(0, 0, 4, 1)]


def test_tables_within_tables_are_found_however_deep():
    # A staircase: each cut leaves one smaller table that can be cut again.
    size = 1500
    grid = [bytes([*[0] * step, 1, *[0] * (size - step - 1)]) for step in range(size)]

    assert len(find_blocks(grid, row_gap=1, column_gap=1)) == 1
    grid[1::2] = [bytes(size)] * (size // 2)
    assert len(find_blocks(grid, row_gap=1, column_gap=1)) == size // 2
