import pytest
from haystack.components.preprocessors import CSVDocumentCleaner as ReferenceCleaner
from haystack.core.serialization import component_to_dict
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import CSVDocumentCleaner
from spaniel.components.preprocessors.csv_tables import TableFormat, read_table
from tests.components.preprocessors.documents import ours, plain, theirs
from tests.components.preprocessors.tables import documents_of, sheets

parameters_of_cleaners = st.fixed_dictionaries(
    {
        "ignore_rows": st.integers(0, 3),
        "ignore_columns": st.integers(0, 2),
        "remove_empty_rows": st.booleans(),
        "remove_empty_columns": st.booleans(),
        "keep_id": st.booleans(),
    }
)


def _has_more(text, rows, columns):
    try:
        table = read_table(text or "", TableFormat(skip_blank_lines=True))
    except ValueError:
        return True
    return any(1 in cells[columns:] for cells in table.filled[rows:])


@settings(max_examples=200, deadline=None)
@given(documents_of(sheets()), parameters_of_cleaners)
def test_cleaned_documents_equal_the_reference(many, parameters):
    rows, columns = parameters["ignore_rows"], parameters["ignore_columns"]
    # Haystack loses the ignored rows and columns too if there is no other text:
    # test_haystack_differences.py.
    assume(not (rows or columns) or all(_has_more(each["content"], rows, columns) for each in many))
    expected = ReferenceCleaner(**parameters).run(theirs(many))["documents"]

    assert plain(CSVDocumentCleaner(**parameters).run(ours(many))["documents"]) == plain(expected)


@pytest.mark.parametrize("parameters", [{}, {"ignore_rows": 1, "remove_empty_columns": False, "keep_id": True}])
def test_the_serialised_form_is_the_reference_s_and_comes_back(parameters):
    expected = component_to_dict(ReferenceCleaner(**parameters), "cleaner")

    written = CSVDocumentCleaner(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert CSVDocumentCleaner.from_dict(written).to_dict() == written


def test_logs_unparsable_tables(caplog):
    (kept,) = CSVDocumentCleaner().run([Document(id="broken", content="a\nb,c")])["documents"]

    assert kept == Document(id="broken", content="a\nb,c")
    assert "broken is not a table and is kept unchanged: line 2 has 2 cells, the first row has 1" in caplog.text
