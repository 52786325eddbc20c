import pytest

from spaniel.dataclasses import ByteStream, Document
from spaniel.filters.field import field_path, field_value


def read(document, field):
    return field_value(document, field_path(field))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("meta.year", 2024),
        ("year", 2024),
        ("meta.author.name", "Ada"),
        ("author.name", "Ada"),
        ("meta.author", {"name": "Ada"}),
        ("id", "1"),
        ("meta.id", "inner"),
        ("content", "text"),
        ("score", 0.5),
        ("meta.meta.deep", 7),
        ("meta.", "no name"),
        ("meta.missing", None),
        ("missing", None),
        ("meta.year.month", None),
        ("meta.author.age", None),
        ("meta.nothing.name", None),
        ("to_dict", None),
        ("blob.mime_type", None),
    ],
)
def test_a_field_is_found_with_or_without_meta(field, value):
    meta = {"year": 2024, "author": {"name": "Ada"}, "id": "inner", "nothing": None, "meta": {"deep": 7}, "": "no name"}
    assert read(Document(id="1", content="text", score=0.5, meta=meta), field) == value


def test_meta_alone_is_all_of_it():
    assert read(Document(meta={"a": 1}), "meta") == {"a": 1}


@pytest.mark.parametrize(
    ("meta", "value"),
    [
        ({"a.b.c": 1}, 1),
        ({"a": {"b.c": 1}}, 1),
        ({"a.b": {"c": 1}}, 1),
        ({"a.b.c": 2, "a": {"b": {"c": 1}}}, 1),
        ({"a.b.c": 2, "a": {"b": {"c": None}}}, None),
        ({"a.b.c": 1, "a": {"b": 5}}, 1),
        ({"a.b": {"c": 1}, "a": {"b": {"d": 5}}}, 1),
    ],
)
def test_a_key_that_holds_dots_is_found_where_no_nested_path_is(meta, value):
    assert read(Document(meta=meta), "meta.a.b.c") == value
    assert read(Document(meta=meta), "a.b.c") == value


def test_a_byte_stream_has_fields_and_metadata_too():
    stream = ByteStream(b"x", mime_type="text/plain", meta={"year": 2024})
    assert [read(stream, field) for field in ("mime_type", "meta.year", "year", "id")] == [
        "text/plain",
        2024,
        2024,
        None,
    ]
