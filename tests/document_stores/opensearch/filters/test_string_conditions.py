import pytest

from spaniel import Document
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, build_marks, default_mapping
from spaniel.filters import matches, parse_filter
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.filters.queries import queries_of, query_of

TEXTS = ["a" * 20, "ab" * 300, "abc" * 40 + "x", "😀" * 9, "a😀b", "x" * 11_000, "", "%_\\*?"]


@pytest.fixture(scope="module")
def index(client):
    index = RawIndex(client, default_mapping(3, LUCENE))
    sources = {str(number): {"text": text} for number, text in enumerate(TEXTS)}
    index.write({key: source | {MARKS: build_marks(source)} for key, source in sources.items()})
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
def test_patterns_of_any_size_match(index, operator, value):
    filters = {"field": "meta.text", "operator": operator, "value": value}
    documents = {str(number): Document(id=str(number), meta={"text": text}) for number, text in enumerate(TEXTS)}
    expected = {key for key, document in documents.items() if matches(parse_filter(filters), document)}
    queries = queries_of(filters, Fields(index.properties()))
    answers = index.ids([query for query, _ in queries])
    found = {
        key
        for (_, check), keys in zip(queries, answers, strict=True)
        for key in keys
        if not check or matches(parse_filter(filters), documents[key])
    }
    assert found == expected


def test_lower_bound_excludes_overlong_strings(index):
    fields = Fields(index.properties())
    queries = [
        query_of({"field": "text", "operator": each, "value": "y"}, fields) for each in ("contains", "not contains")
    ]
    assert index.ids(queries) == [set(), set("01234567") - {"5"}]
