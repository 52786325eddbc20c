"""Indexes with mappings of other software: filters equal the evaluator."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.filters import matches, parse_filter
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import ORDERED, WITHOUT_LISTS, WORDS, many
from tests.document_stores.opensearch.filters.queries import bounds_of, queries_of, query_of

KEYWORDS = {"strings": {"match_mapping_type": "string", "mapping": {"type": "keyword"}}}
MAPPINGS = {
    "the server's default": {},
    "keywords and dates": {"dynamic_templates": [KEYWORDS]},
    "texts without keywords": {"properties": {"word": {"type": "text"}, "text": {"type": "text"}}},
}

VALUES = {
    "word": st.sampled_from(WORDS),
    "text": st.sampled_from([*WORDS, "x" * 300]),
    "author.name": st.sampled_from(WORDS),
    "number": st.integers(-3, 3),
    "fraction": st.sampled_from([0.5, 1.5, -1.5, 2.0]),
    "flag": st.booleans(),
    "date": st.sampled_from(["2024-05-01", "2024-05-01T10:30:00", "2024-05-02T00:00:00.500", "1969-07-21T20:17:40"]),
    "never": st.none(),
}
ANY = st.one_of(*VALUES.values(), st.sampled_from([2**70, 1e300, "2024"]))


@pytest.fixture(scope="module", params=MAPPINGS)
def index(client, request):
    index = RawIndex(client, MAPPINGS[request.param])
    yield index
    client.indices.delete(index=index.name)


@st.composite
def metas(draw):
    meta = {name: draw(values) for name, values in VALUES.items() if draw(st.integers(0, 3))}
    return meta | ({"author": {"name": meta.pop("author.name")}} if "author.name" in meta else {})


@st.composite
def comparisons(draw):
    name = draw(st.sampled_from(list(VALUES)))
    # Nothing says which values are lists, so a number may be an element of one.
    operators = (
        [*WITHOUT_LISTS, "contains", "not contains"] if name in ("word", "text", "author.name") else WITHOUT_LISTS
    )
    operator = draw(st.sampled_from(operators))
    kind = VALUES["date"] if name == "date" else VALUES["number"] | VALUES["fraction"]
    value = st.one_of(VALUES[name], VALUES[name], ANY).filter(lambda value: not _mixes(name, value))
    given_value = draw(
        kind if operator in ORDERED else st.lists(value, max_size=3) if operator in ("in", "not in") else value
    )
    return {"field": f"meta.{name}", "operator": operator, "value": given_value}


def _mixes(name, value):
    # 1 is not True.
    return (
        isinstance(value, bool)
        if name in ("number", "fraction")
        else name == "flag" and not isinstance(value, bool | str)
    )


def logic(inner):
    return st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=3),
    )


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(many(metas(), 8, 12), many(st.recursive(comparisons(), logic, max_leaves=4), 100))
def test_filters_equal_the_evaluator(index, metas, filters):
    documents = {str(number): Document(id=str(number), meta=meta) for number, meta in enumerate(metas)}
    index.replace({key: document.to_dict() for key, document in documents.items()})
    fields = Fields(index.properties())
    asked = [queries_of(each, fields) for each in filters]
    answers = iter(index.ids([query for queries in asked for query, _ in queries]))
    for each, queries in zip(filters, asked, strict=True):
        node = parse_filter(each)
        expected = {key for key, document in documents.items() if matches(node, document)}
        found = set()
        for _, check in queries:
            found |= {key for key in next(answers) if not check or matches(node, documents[key])}
        differing = {key: documents[key].meta for key in found ^ expected}
        assert not differing, (each, f"found: {found}", f"expected: {expected}", queries, differing)


def ask(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def test_text_without_a_keyword_needs_verification(new_index):
    fields = Fields(new_index({"properties": {"title": {"type": "text"}}}).properties())
    for operator, value in [
        ("==", "Dune"),
        ("contains", "un"),
        ("like", "D%"),
        ("not in", ["Dune"]),
        (">", "2024-05-01"),
    ]:
        assert not bounds_of(ask("meta.title", operator, value), fields).exact


def test_ids_without_a_field_are_addresses(new_index):
    index = new_index()
    index.write({"a": {"content": "A"}, "b": {"content": "B"}})
    fields = Fields(index.properties())
    queries = [ask("id", "==", "a"), ask("id", "in", ["a", "b", "c"]), ask("id", "!=", "a"), ask("id", "==", None)]
    assert index.ids([query_of(each, fields) for each in queries]) == [{"a"}, {"a", "b"}, {"b"}, set()]


def test_parts_of_an_address_need_verification(new_index):
    index = new_index()
    index.write({"abc": {"content": "A"}})
    fields = Fields(index.properties())
    [query] = queries_of(ask("id", "starts with", "a"), fields)
    assert query.verify
    assert index.ids([query.query]) == [{"abc"}]


def test_date_field_has_no_spelling(new_index):
    index = new_index()
    index.write({"1": {"day": "2024-05-01T10:00:00.123Z"}})
    fields = Fields(index.properties())
    assert index.ids([query_of(ask("day", "==", "2024-05-01T12:00:00.123456+02:00"), fields)]) == [{"1"}]
    assert not bounds_of(ask("day", "like", "2024%"), fields).exact


def test_wildcard_field_matches_patterns(new_index):
    index = new_index({"properties": {"path": {"type": "wildcard"}}})
    index.write({"1": {"path": "/a/b.txt"}, "2": {"path": "/a/c*.md"}})
    fields = Fields(index.properties())
    queries = [
        ask("path", "like", "%.txt"),
        ask("path", "contains", "c*"),
        ask("path", "==", "/a/b.txt"),
        ask("path", "starts with", "/a"),
    ]
    assert index.ids([query_of(each, fields) for each in queries]) == [{"1"}, {"2"}, {"1"}, {"1", "2"}]


def test_overlong_strings_are_verified(new_index):
    index = new_index()
    index.write({"short": {"note": "a"}, "long": {"note": "a" * 300}})
    fields = Fields(index.properties())
    sure, rest = queries_of(ask("note", "starts with", "a"), fields)
    assert index.ids([sure.query, rest.query]) == [{"short"}, {"long"}]
    assert (sure.verify, rest.verify) == (False, True)


def test_objects_and_unknown_types_are_verified(new_index):
    index = new_index({"properties": {"place": {"type": "geo_point"}}})
    index.write(
        {
            "1": {"author": {"name": "Ada"}, "place": {"lat": 1, "lon": 2}},
            "2": {"author": {"name": "Grace"}},
            "3": {"x": 1},
        }
    )
    fields = Fields(index.properties())
    [author] = queries_of(ask("author", "==", {"name": "Ada"}), fields)
    [place] = queries_of(ask("place", "!=", None), fields)
    assert (author.verify, place.verify) == (True, False)
    assert index.ids([author.query, place.query]) == [{"1", "2"}, {"1"}]
