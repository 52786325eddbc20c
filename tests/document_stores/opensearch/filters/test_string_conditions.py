import pytest

from spaniel import Document
from spaniel.document_stores.opensearch.filters.filter_query import filter_query
from spaniel.document_stores.opensearch.filters.partial_queries import filter_queries
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, default_mapping, marks
from spaniel.filters import matches, parse_filter
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE

TEXTS = ["a" * 20, "ab" * 300, "abc" * 40 + "x", "😀" * 9, "a😀b", "x" * 11_000, "", "%_\\*?"]


@pytest.fixture(scope="module")
def index(client):
    index = RawIndex(client, default_mapping(3, LUCENE))
    sources = {str(number): {"text": text} for number, text in enumerate(TEXTS)}
    index.write({key: source | {MARKS: marks(source)} for key, source in sources.items()})
    yield index
    client.indices.delete(index=index.name)


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        ("like", "%a" + "_" * 19),  # as an automaton this has half a million states
        ("like", "%a" + "_" * 30),
        ("like", "%a%a%a%a%a%a%a%a%a%a%"),
        ("like", "_" * 9),
        ("like", "a_b"),
        ("like", "ab" * 299 + "__"),
        ("like", "%" + "%".join(["abc"] * 30) + "%"),
        ("like", "%_%_%_%_%_%"),
        ("like", "\\%\\_\\\\*_"),
        ("contains", "ab" * 200),
        ("contains", "\\*?"),
        ("contains", ""),
        ("starts with", "ab" * 150),
        ("starts with", "x" * 10_923),
        ("==", "x" * 11_000),
        ("contains all", ["a", "b"]),
        ("not like", "%x"),
    ],
)
def test_a_pattern_of_any_size_finds_what_fits(index, operator, value):
    filters = {"field": "meta.text", "operator": operator, "value": value}
    documents = {str(number): Document(id=str(number), meta={"text": text}) for number, text in enumerate(TEXTS)}
    expected = {key for key, document in documents.items() if matches(parse_filter(filters), document)}
    queries = filter_queries(filters, Fields(index.properties()))
    answers = index.ids([query for query, _ in queries])
    found = {
        key
        for (_, check), keys in zip(queries, answers, strict=True)
        for key in keys
        if not check or matches(parse_filter(filters), documents[key])
    }
    assert found == expected


def test_inside_a_search_a_string_that_is_too_long_is_never_found_wrongly(index):
    fields = Fields(index.properties())
    queries = [
        filter_query({"field": "text", "operator": each, "value": "y"}, fields) for each in ("contains", "not contains")
    ]
    assert index.ids(queries) == [set(), set("01234567") - {"5"}]
