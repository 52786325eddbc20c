import pytest

from spaniel.document_stores.opensearch.schema.fields import Fields, server_path
from spaniel.filters.field import field_path

DYNAMIC = {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("meta.year", "year"),
        ("year", "year"),
        ("id", "id"),
        ("content", "content"),
        ("meta.author.name", "author.name"),
        ("author.name", "author.name"),
        ("meta.id", "meta.id"),
        ("meta.content.x", "meta.content.x"),
        ("dataframe", "meta.dataframe"),
        ('meta.odd "name" *', 'odd "name" *'),
    ],
)
def test_server_path_of_a_field(name, expected):
    assert server_path(field_path(name)) == expected


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"type": "keyword"}, "string"),
        ({"type": "wildcard"}, "string"),
        (DYNAMIC, "string"),
        ({"type": "text"}, "text"),
        ({"type": "keyword", "normalizer": "lowercase"}, "text"),
        ({"type": "half_float"}, "number"),
        ({"type": "date"}, "date"),
        ({"type": "boolean"}, "boolean"),
        ({"properties": {"a": {"type": "long"}}}, "object"),
        ({"type": "nested"}, "object"),
        ({"type": "geo_point"}, "other"),
        ({"type": "object", "enabled": False}, "other"),
        ({"type": "keyword", "index": False}, "other"),
    ],
)
def test_kind_of_a_field_by_its_rule(rule, kind):
    assert Fields({"field": rule}).find(("meta", "field")).kind == kind


def test_whole_strings_of_a_text_are_in_its_keyword():
    field = Fields({"title": DYNAMIC}).find(("meta", "title"))
    assert (field.keyword, field.max_length) == ("title.keyword", 256)


def test_sub_field_is_not_a_field_of_documents():
    assert not Fields({"title": DYNAMIC}).knows("meta.title.keyword")


def test_field_in_an_object_is_known_by_its_path():
    fields = Fields({"a": {"properties": {"b": {"properties": {"c": {"type": "long"}}}}}})
    assert [fields.knows(name) for name in ("meta.a.b.c", "a.b.c", "a.b", "a.c", "c")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_field_knows_its_innermost_nested_list():
    inner = {"type": "nested", "properties": {"x": {"type": "long"}}}
    fields = Fields({"a": {"type": "nested", "properties": {"b": inner, "y": {"type": "long"}}}})
    assert [fields.find(("meta", *path)).nested_path for path in (("a", "b", "x"), ("a", "b"), ("a", "y"), ("a",))] == [
        "a.b",
        "a",
        "a",
        None,
    ]


def test_alias_resolves_to_its_field():
    assert Fields({"y": {"type": "alias", "path": "year"}, "year": {"type": "long"}}).find(("meta", "y")).path == "year"


def test_id_falls_back_to_the_address():
    assert Fields({}).find(("id",)).keyword == "_id"
    assert Fields({"id": {"type": "keyword"}}).find(("id",)).keyword == "id"
