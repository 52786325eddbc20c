from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from spaniel.document_stores.opensearch.filters.clauses import none_of
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, build_marks, default_mapping
from spaniel.errors import FilterError
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.filters.queries import bounds_of, query_of

ALL, NONE = {"match_all": {}}, {"match_none": {}}

FIELDS = Fields(
    {
        "lang": {"type": "keyword"},
        "year": {"type": "long"},
        "rating": {"type": "float"},
        "public": {"type": "boolean"},
        "title": {"type": "text"},
        "size": {"type": "byte"},
    }
)


def ask(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def logic(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("filters", "query"),
    [
        (None, ALL),
        ({}, ALL),
        (logic("AND"), ALL),
        (logic("OR"), NONE),
        (logic("NOT"), NONE),
        (ask("meta.lang", "==", "en"), {"term": {"lang": {"value": "en"}}}),
        (ask("lang", "in", ["en", "de"]), {"terms": {"lang": ["en", "de"]}}),
        (ask("lang", "in", []), NONE),
        (ask("lang", "not in", []), ALL),
        (ask("lang", "!=", "en"), {"bool": {"must_not": [{"term": {"lang": {"value": "en"}}}]}}),
        (ask("lang", "==", None), {"bool": {"must_not": [{"exists": {"field": "lang"}}]}}),
        (ask("lang", "!=", None), {"exists": {"field": "lang"}}),
        (ask("lang", "starts with", "e*"), {"prefix": {"lang": {"value": "e*"}}}),
        (ask("lang", "contains", "a*b?c\\"), {"wildcard": {"lang": {"value": "*a\\*b\\?c\\\\*"}}}),
        (ask("lang", "like", "a_%\\%"), {"wildcard": {"lang": {"value": "a?*%"}}}),
        (ask("lang", "like", "en"), {"term": {"lang": {"value": "en"}}}),
        (ask("year", ">", 2020), {"range": {"year": {"gt": 2020}}}),
        (ask("year", ">", 2020.5), {"range": {"year": {"gte": 2021}}}),
        (ask("year", "<=", -0.5), {"range": {"year": {"lte": -1}}}),
        (ask("year", "<", None), NONE),
        (ask("year", "==", 2020.0), {"term": {"year": {"value": 2020}}}),
        (ask("year", "==", 2020.5), NONE),
        (ask("year", "==", Decimal(2020)), {"term": {"year": {"value": 2020}}}),
        (ask("year", "==", float("nan")), NONE),
        (ask("size", "==", 1000), NONE),
        (ask("size", "<", 1000), {"range": {"size": {"gte": -128, "lte": 127}}}),
        (ask("size", ">", 10**400), NONE),
        (ask("rating", ">", 1e300), NONE),
        (ask("public", "==", True), {"term": {"public": {"value": True}}}),
        (ask("public", ">=", 1), {"term": {"public": {"value": True}}}),
        (logic("NOT", logic("NOT", ask("lang", "==", "en"))), {"term": {"lang": {"value": "en"}}}),
        (
            logic("AND", ask("lang", "==", "en"), logic("AND", ask("year", ">", 1), ask("year", "<", 9))),
            {"bool": {"filter": [{"term": {"lang": {"value": "en"}}}, {"range": {"year": {"gt": 1}}}, {"range": {"year": {"lt": 9}}}]}},
        ),
    ],
)  # fmt: skip
def test_filter_becomes_a_query(filters, query):
    assert query_of(filters, FIELDS) == query


@pytest.mark.parametrize(
    ("field", "operator", "value"),
    [
        ("lang", "==", 5),
        ("lang", "in", [5, True, b"en", {"a": 1}]),
        ("lang", ">", 5),
        ("lang", "contains", 5),
        ("lang", "like", 5),
        ("lang", "==", "half a pair: \ud800"),
        ("year", "==", "abc"),
        ("year", "==", True),
        ("year", "like", "2%"),
        ("year", "starts with", "2"),
        ("year", "contains any", ["2"]),
        ("year", ">", "2020-01-01"),
        ("public", "==", 1),
        ("public", "==", "true"),
        ("never", "==", 1),
        ("never", "contains", "a"),
    ],
)
def test_value_of_another_type_matches_nothing(field, operator, value):
    assert query_of(ask(field, operator, value), FIELDS) == NONE
    assert query_of(logic("NOT", ask(field, operator, value)), FIELDS) == ALL


@pytest.mark.parametrize(
    "filters",
    [
        {"operator": "AND"},
        ask("lang", "in", "en"),
        ask("never", ">", "abc"),
        logic("OR", ask("lang", "~", 1)),
        [],
        "x",
        5,
    ],
)
def test_rejects_malformed_filters(filters):
    with pytest.raises(FilterError, match=r"^filters"):
        query_of(filters, FIELDS)


def test_comparison_of_text_is_bounded_by_its_presence():
    bounds = bounds_of(logic("NOT", ask("meta.title", "==", "Dune")), FIELDS)
    assert (bounds.lower, bounds.upper) == (none_of({"exists": {"field": "title"}}), ALL)


def test_presence_of_text_is_exact():
    assert query_of(ask("title", "!=", None), FIELDS) == {"exists": {"field": "title"}}


@pytest.fixture(scope="module")
def index(client):
    index = RawIndex(client, default_mapping(3, LUCENE, ["refs"]))
    sources = {
        "pair": {
            "refs": [{"law": "a", "section": 1}, {"law": "b", "section": 2}],
            "tags": ["javascript"],
            "n": [5],
        },
        "one": {"refs": {"law": "a", "section": 2}, "tags": "javascript", "n": 5},
        "none": {"day": "2024-05-01T10:00:00+02:00", "word": "2024-05-01T08:00:00Z"},
        "naive": {"day": "2024-05-01T10:00:00", "word": "no date"},
        "bare": {"refs": [{"section": 3}]},
    }
    index.write({key: source | {MARKS: build_marks(source)} for key, source in sources.items()})
    yield index
    client.indices.delete(index=index.name)


@pytest.fixture
def found(index):
    return lambda filters: index.ids([query_of(filters, Fields(index.properties()))])[0]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ask("refs.law", "==", "a"), {"pair", "one"}),
        (logic("AND", ask("refs.law", "==", "a"), ask("refs.section", "==", 2)), {"one"}),
        (logic("OR", ask("refs.law", "==", "b"), ask("refs.section", "==", 3)), {"pair", "bare"}),
        (logic("NOT", ask("refs.law", "==", "a"), ask("refs.section", "==", 2)), {"pair", "none", "naive", "bare"}),
        (
            logic(
                "AND",
                ask("refs.law", "==", "a"),
                logic("OR", ask("refs.section", "==", 2), ask("refs.section", "==", 3)),
            ),
            {"one"},
        ),
        (logic("AND", ask("refs.law", "==", "a"), logic("NOT", ask("refs.section", "==", 1))), {"one"}),
        (ask("refs.law", "!=", "a"), {"pair", "none", "naive", "bare"}),
        (ask("refs.law", "==", None), {"none", "naive", "bare"}),
        (ask("refs", "==", None), {"none", "naive"}),
    ],
)
def test_nested_conditions_match_the_same_object(found, filters, expected):
    assert found(filters) == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ask("tags", "contains", "java"), {"one"}),
        (ask("tags", "contains", "javascript"), {"pair", "one"}),
        (ask("n", "contains", 5), {"pair"}),
        (ask("tags", "==", ["javascript"]), {"pair"}),
        (ask("n", "in", [[5], None]), {"pair", "none", "naive", "bare"}),
        (ask("tags", "contains all", []), {"pair", "one"}),
        (ask("n", "contains all", []), {"pair"}),
    ],
)
def test_list_differs_from_its_element(found, filters, expected):
    assert found(filters) == expected


@pytest.mark.parametrize("field", ["day", "word"])
@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("==", datetime(2024, 5, 1, 8, tzinfo=UTC), {"none"}),
        ("==", "2024-05-01T11:00:00+03:00", {"none"}),
        ("<=", "May 1 2024 08:00 UTC+0", {"none"}),
        (">", date(2024, 4, 30), {"none"}),
        ("<", "2024-05-01T08:00:00.000001Z", {"none"}),
        ("<", "2024-05-01T08:00:00Z", set()),
    ],
)
def test_dates_are_compared_as_instants(found, field, operator, value, expected):
    documents = {"day": {"none"}, "word": {"none"}}
    assert found(ask(field, operator, value)) & documents[field] == expected


def test_date_without_a_zone_takes_the_other_zone(found):
    assert found(ask("day", "==", "2024-05-01T10:00:00-07:00")) == {"naive"}
    assert found(ask("day", "==", "2024-05-01T10:00:00")) == {"none", "naive"}
