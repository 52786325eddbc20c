import pytest

from spaniel.components.preprocessors.csv_options import table_format
from spaniel.components.preprocessors.csv_tables import TableFormat, read_table


def test_the_first_row_says_how_many_columns_there_are():
    assert read_table("a,b,c\nd\n").rows == [["a", "b", "c"], ["d", "", ""]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no rows"),
        ("\na,b", "first line is empty"),
        ("a\nb\nc,d", "line 3 has 2 cells, the first row has 1"),
        ('a,"b\n', "the quote in the row of line 1 has no end"),
        ('a\n"', "the quote in the row of line 2 has no end"),
    ],
)
def test_a_text_that_is_no_table_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        read_table(text)


def test_a_table_is_read_and_written_the_same():
    text = 'a,"b,c"\n"say ""hi""","two\nlines"\n""\n'
    table = read_table(text)

    assert table.written(range(2), range(2)) == "".join(text.rpartition('""\n')[:1])
    assert table.written([2], [0]) == '""\n'


def test_a_cell_may_be_long():
    assert read_table("x" * 200_000).rows == [["x" * 200_000]]


def test_blank_lines_within_quotes_stay():
    assert read_table('a\n\n"\n\n"\n \nb', TableFormat(skip_blank_lines=True)).rows == [["a"], ["\n\n"], ["b"]]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"header": 0}, "header is 0, but must be None"),
        ({"dtype": "int"}, "dtype is 'int'"),
        ({"usecols": [0]}, "'usecols' is not supported. Known are delimiter, doublequote"),
        ({"sep": r"\s+"}, "single character"),
        ({"nrows": -1}, "nrows must be a whole number of at least 0, not -1"),
        ({"skiprows": [1]}, "skiprows must be a whole number"),
        ({"na_values": {"a": 1}}, "na_values must be a text or a list of texts"),
    ],
)
def test_an_option_that_is_not_possible_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        table_format(options)
