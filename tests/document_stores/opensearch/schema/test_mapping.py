import pytest

from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, MAX_TERM_UNITS, build_marks, default_mapping
from tests.document_stores.opensearch.filters.filter_cases import LUCENE


def test_mapping_has_a_layout_version():
    assert default_mapping(3)["_meta"] == {"spaniel": {"layout": 1}}


def test_mapping_of_embeddings_has_dimension_and_method():
    embedding = default_mapping(3, LUCENE)["properties"]["embedding"]
    assert embedding == {"type": "knn_vector", "index": True, "dimension": 3, "method": LUCENE}


def test_kept_fields_are_not_indexed():
    assert default_mapping(3)["properties"]["__kept"] == {"type": "object", "enabled": False}


def test_nested_fields_are_mapped_as_nested():
    assert default_mapping(3, None, ["refs"])["properties"]["refs"] == {"type": "nested"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"tags": ["a"], "word": "a"}, ["list tags"]),
        ({"author": {"names": ["a"]}}, ["list author.names"]),
        ({"authors": [{"name": "a"}, {"names": ["b"]}]}, ["list authors", "list authors.names"]),
        ({"notes": ["x" * (MAX_TERM_UNITS + 1)]}, ["list notes", "long notes"]),
        ({"note": "x" * MAX_TERM_UNITS}, []),
        ({"note": "😀" * (MAX_TERM_UNITS // 2 + 1)}, ["long note"]),
        ({"content": "x" * 20_000, "embedding": [0.1], "blob": {"data": [1]}}, []),
        ({"content": None, "__kept": {"content": "text"}}, ["kept content"]),
    ],
)
def test_marks_list_lists_long_strings_and_kept_fields(source, expected):
    assert build_marks(source) == expected


@pytest.mark.parametrize(
    "values",
    [
        ["2024-05-01", "no date", "2024-05-01T10:00:00.123456+02:00"],
        [1, 1.5, 2**70, -1e300],
        [1.5, 1, 2**63],
        ["a", "x" * 40_000, "😀" * 20_000],
        [["a"], "a", []],
        [[1, 1.5, 2**70], 1],
        [[{"x": 1.5}, {"x": 1}]],
        [["2024-05-01", "no date"], "2024-05-02"],
    ],
)
def test_mixed_values_of_a_field_can_be_written(new_index, values):
    index = new_index(default_mapping(3, LUCENE))
    index.write({str(number): {"field": value} for number, value in enumerate(values)})
    assert index.ids([{"match_all": {}}]) == [{str(number) for number in range(len(values))}]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", "keyword"),
        ("2024-05-01", "keyword"),
        ("2024", "keyword"),
        (1, "double"),
        (1.5, "double"),
        (True, "boolean"),
    ],
)
def test_first_value_determines_the_type_of_a_field(new_index, value, kind):
    index = new_index(default_mapping(3, LUCENE))
    index.write({"1": {"field": value}})
    assert index.properties()["field"]["type"] == kind


def test_only_a_field_whose_first_value_is_a_date_has_dates(new_index):
    index = new_index(default_mapping(3, LUCENE))
    index.write({"1": {"date": "2024-05-01", "year": "2024", "word": "a"}})
    fields = Fields(index.properties())
    assert [fields.find(("meta", name)).dates for name in ("date", "year", "word")] == ["date.date", None, None]


def test_index_without_marks_is_recognised():
    assert Fields(default_mapping(3)["properties"]).marked
    assert not Fields({"content": {"type": "text"}}).marked
    assert not Fields({MARKS: {"type": "text"}}).marked
