import pytest
from haystack.components.preprocessors import CSVDocumentSplitter as ReferenceSplitter
from haystack.core.serialization import component_to_dict
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import CSVDocumentSplitter
from tests.components.preprocessors.documents import ours, plain, theirs
from tests.components.preprocessors.tables import documents_of, sheets

thresholds = st.tuples(st.none() | st.integers(1, 3), st.none() | st.integers(1, 3)).filter(any)


@settings(max_examples=200, deadline=None)
@given(documents_of(sheets()), thresholds, st.sampled_from(["threshold", "threshold", "row-wise"]))
def test_tables_equal_the_reference_in_id_text_and_meta(many, gaps, mode):
    expected = ReferenceSplitter(*gaps, split_mode=mode).run(theirs(many))["documents"]

    assert plain(CSVDocumentSplitter(*gaps, split_mode=mode).run(ours(many))["documents"]) == plain(expected)


options = st.fixed_dictionaries(
    {},
    optional={
        "sep": st.just(";"),
        "quotechar": st.just("'"),
        "doublequote": st.just(True),
        "skipinitialspace": st.booleans(),
        "skip_blank_lines": st.booleans(),
        "skiprows": st.integers(0, 3),
        "nrows": st.integers(1, 3),
        "header": st.none(),
        "dtype": st.just("object"),
    },
)


@settings(max_examples=200, deadline=None)
@given(sheets(["", "", "", "a", "b c", " b", "'x;y,z'", "日"], ";"), options)
def test_the_options_of_pandas_equal_the_reference(text, options):
    many = [{"content": text}]
    expected = ReferenceSplitter(read_csv_kwargs=options).run(theirs(many))["documents"]

    found = CSVDocumentSplitter(read_csv_kwargs=options).run(ours(many))["documents"]

    assert [(each.content, each.meta.get("row_idx_start")) for each in found] == [
        (each.content, each.meta.get("row_idx_start")) for each in expected
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        {"row_split_threshold": 0},
        {"column_split_threshold": -1},
        {"row_split_threshold": None, "column_split_threshold": None},
        {"split_mode": "columns"},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError, match=r".") as expected:
        ReferenceSplitter(**parameters)

    with pytest.raises(ValueError, match=str(expected.value).rstrip(".")):
        CSVDocumentSplitter(**parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"row_split_threshold": None, "read_csv_kwargs": {"sep": ";"}},
        {"column_split_threshold": 1, "split_mode": "row-wise"},
    ],
)
def test_the_serialised_form_is_the_reference_s_and_comes_back(parameters):
    expected = component_to_dict(ReferenceSplitter(**parameters), "splitter")

    written = CSVDocumentSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert CSVDocumentSplitter.from_dict(written).to_dict() == written


def test_logs_unparsable_and_empty_tables(caplog):
    split = CSVDocumentSplitter().run([Document(id="broken", content='a,"b'), Document(id="blank", content=",\n")])

    assert [document.id for document in split["documents"]] == ["broken"]
    assert "broken is not a table and is kept unchanged: the quote in the row of line 1 is not closed" in caplog.text
    assert "blank is omitted" in caplog.text
