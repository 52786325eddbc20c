"""Values that an index holds without showing them: every filter answers as the evaluator does on
the documents.
"""

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from spaniel.filters import matches, parse_filter
from tests.document_stores.opensearch.filters.filter_cases import LUCENE

pytestmark = pytest.mark.server

KEYWORD, TEXT = {"type": "keyword"}, {"type": "text"}
ID = {"id": KEYWORD, "content": TEXT}


def of(**rules):
    return {"properties": ID | rules}


NUMBERS = [1, 2, None]
WORDS = ["red", "a long red one", None]

# mapping, field, values
CASES = {
    "the root is not dynamic": ({"dynamic": False, **of()}, "views", NUMBERS),
    "the root takes what templates name": ({"dynamic": "false_allow_templates", **of()}, "views", NUMBERS),
    "the root is not indexed": ({"enabled": False}, "views", NUMBERS),
    "an object is not dynamic": (of(info={"dynamic": False, "properties": {}}), "info.views", NUMBERS),
    "an object in one that is not dynamic": (
        of(info={"dynamic": False, "properties": {"in": {"properties": {}}}}),
        "info.in.views",
        NUMBERS,
    ),
    "an object is not indexed": (of(info={"type": "object", "enabled": False}), "info.views", NUMBERS),
    "an object as a whole": (of(info={"type": "object", "enabled": False}), "info", [{"a": 1}, {}, None]),
    "an object that holds nothing": (of(), "info", [{"a": 1}, {"a": None}, {}, None]),
    "our own headings": (default_mapping(3, LUCENE), "headings", [[[1, "A"]], [], None]),
    "inside a geo_point": (of(at={"type": "geo_point"}), "at.lat", [1.5, 2.5, None]),
    "inside a flat_object": (of(at={"type": "flat_object"}), "at.lat", ["a", "b", None]),
    "inside an integer_range": (of(at={"type": "integer_range"}), "at.gte", [1, 2, None]),
    "a keyword without index": (of(word=KEYWORD | {"index": False}), "word", WORDS),
    "a keyword without index and column": (of(word=KEYWORD | {"index": False, "doc_values": False}), "word", WORDS),
    "a keyword without column": (of(word=KEYWORD | {"doc_values": False}), "word", WORDS),
    "a keyword that ignores long strings": (of(word=KEYWORD | {"ignore_above": 5}), "word", WORDS),
    "a date as a keyword that ignores it": (
        of(day=KEYWORD | {"ignore_above": 5}),
        "day",
        ["2024-05-01", "2024-05-01T10:00:00", None],
    ),
    "a normalizer": (of(word=KEYWORD | {"normalizer": "lowercase"}), "word", ["Red", "red", None]),
    "a normalizer that ignores": (of(word=KEYWORD | {"normalizer": "lowercase", "ignore_above": 2}), "word", WORDS),
    "a value for null": (of(word=KEYWORD | {"null_value": "red"}), "word", WORDS),
    "copies of another field": (of(title=TEXT | {"copy_to": "word"}, word=KEYWORD), "word", WORDS),
    "a text without index": (of(word=TEXT | {"index": False}), "word", WORDS),
    "a text": (of(word=TEXT), "word", WORDS),
    "a wildcard": (of(word={"type": "wildcard"}), "word", ["red", "", None]),
    "a binary": (of(word={"type": "binary"}), "word", ["YQ==", "Yg==", None]),
    "a number without index": (of(views={"type": "long", "index": False}), "views", NUMBERS),
    "a number without index and column": (
        of(views={"type": "long", "index": False, "doc_values": False}),
        "views",
        NUMBERS,
    ),
    "a number without column": (of(views={"type": "long", "doc_values": False}), "views", NUMBERS),
    "a number that ignores objects": (
        of(views={"type": "long", "ignore_malformed": True}),
        "views",
        [1, {"a": 1}, None],
    ),
    "a value for null in numbers that ignore objects": (
        of(views={"type": "long", "null_value": 1, "ignore_malformed": True}),
        "views",
        NUMBERS,
    ),
    "a keyword without index that ignores long strings": (
        of(word=KEYWORD | {"index": False, "ignore_above": 5}),
        "word",
        WORDS,
    ),
    "two keywords that ignore long strings": (
        of(word=KEYWORD | {"ignore_above": 2, "fields": {"all": KEYWORD | {"ignore_above": 5}}}),
        "word",
        [*WORDS, "a"],
    ),
    "an empty text": (of(word=TEXT), "word", ["red", "", "!!", None]),
    "a keyword with a wildcard inside": (
        of(word=KEYWORD | {"ignore_above": 2, "fields": {"all": {"type": "wildcard"}}}),
        "word",
        ["red", "", "a", None],
    ),
    "a flag without column": (of(flag={"type": "boolean", "doc_values": False}), "flag", [True, False, None]),
    "a date without index": (
        of(day={"type": "date", "index": False, "doc_values": False}),
        "day",
        ["2024-05-01", None],
    ),
    "an ip": (of(ip={"type": "ip"}), "ip", ["1.2.3.4", "::1", None]),
    "a hidden field of a nested object": (
        of(refs={"type": "nested", "properties": {"word": KEYWORD | {"index": False, "doc_values": False}}}),
        "refs.word",
        WORDS,
    ),
    "a long string of a nested object": (
        of(refs={"type": "nested", "properties": {"word": KEYWORD | {"ignore_above": 5}}}),
        "refs.word",
        WORDS,
    ),
}


def nest(field, value):
    *outer, last = field.split(".")
    meta = {last: value}
    for name in reversed(outer):
        meta = {name: meta if value is not None or name != outer[0] else {}}
    return meta


def at(field, value):
    """Return the metadata with a value; a place needs both of its numbers."""
    if field == "at.lat" and isinstance(value, float):
        return {"at": {"lat": value, "lon": 1.0}}
    if field == "at.gte" and value is not None:
        return {"at": {"gte": value, "lte": 9}}
    return {} if value is None else nest(field, value)


def asked(values):
    """Return comparisons that should tell the values from each other."""
    given = [value for value in values if value is not None]
    for value in (*given, None):
        yield from ([operator, value] for operator in ("==", "!="))
    yield from (["in", given[:1]], ["not in", given[:1]], ["in", [None, given[0]]])
    yield from (["contains all", []],)
    first = given[0]
    if isinstance(first, str):  # of numbers nothing says whether they are elements of a list
        yield ["contains any", given[:1]]
        yield from ([operator, first[:1]] for operator in ("contains", "not contains", "starts with"))
        yield from (["like", f"{first[:1]}%"], ["not like", "%e%"], ["like", "%"], [">", "2024-05-01T05:00:00"])
    if isinstance(first, int | float) and not isinstance(first, bool):
        yield from ([operator, first] for operator in (">", ">=", "<", "<="))


@pytest.fixture
def opened(opensearch_url):
    stores = []

    def open_store(name):
        stores.append(OpenSearchDocumentStore(hosts=opensearch_url, index=name))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def sources(field, values):
    return {str(n): {"id": str(n), "content": f"apple {n}"} | at(field, value) for n, value in enumerate(values)}


def filters_of(field, values):
    return [{"field": f"meta.{field}", "operator": operator, "value": value} for operator, value in asked(values)]


@pytest.mark.parametrize("case", CASES)
def test_filters_and_counts_equal_the_evaluator(new_index, opened, case):
    mapping, field, values = CASES[case]
    index = new_index(mapping)
    index.write(sources(field, values))
    store = opened(index.name)
    documents = store.filter_documents()
    assert len(documents) == len(values)
    wrong = {}
    for each in filters_of(field, values):
        node = parse_filter(each)
        expected = [document.id for document in documents if matches(node, document)]
        found = [document.id for document in store.filter_documents(each)]
        iterated = [document.id for document in store.iterate(each)]
        if not found == iterated == expected or store.count_documents_by_filter(each) != len(expected):
            wrong[each["operator"], str(each["value"])] = (found, iterated, expected)
    assert wrong == {}


@pytest.mark.parametrize("case", [name for name, (mapping, *_) in CASES.items() if mapping.get("enabled") is not False])
def test_filtered_search_equals_the_evaluator(new_index, opened, case):
    mapping, field, values = CASES[case]
    index = new_index(mapping)
    index.write(sources(field, values))
    store = opened(index.name)
    documents = store.filter_documents()
    for each in filters_of(field, values)[:8]:
        node = parse_filter(each)
        expected = {document.id for document in documents if matches(node, document)}
        assert {document.id for document in store.bm25_retrieval("apple", filters=each)} == expected, each


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("operator", ["==", "!="])
def test_changes_by_filter_equal_the_evaluator(new_index, opened, case, operator):
    mapping, field, values = CASES[case]
    index = new_index(mapping)
    index.write(sources(field, values))
    store = opened(index.name)
    each = {"field": f"meta.{field}", "operator": operator, "value": None}
    node = parse_filter(each)
    documents = store.filter_documents()
    gone = {document.id for document in documents if matches(node, document)}
    assert store.update_by_filter(each, {"seen": "yes"}) == len(gone)
    assert {document.id for document in store.filter_documents() if document.meta.get("seen")} == gone
    assert store.delete_by_filter(each) == len(gone)
    assert {document.id for document in store.filter_documents()} == {document.id for document in documents} - gone


@pytest.mark.parametrize(
    "case", ["the root is not dynamic", "a number without column", "a number without index and column"]
)
def test_numbers_are_counted_despite_hidden_fields(new_index, opened, case):
    mapping, field, values = CASES[case]
    index = new_index(mapping)
    index.write(sources(field, values))
    store = opened(index.name)
    assert store.get_metadata_field_min_max(field) == {"min": 1, "max": 2}
    assert store.get_metadata_field_unique_values(field) == ([1, 2], 2)
    assert store.count_unique_metadata_by_filter({}, [field]) == {field: 2}


def test_unmapped_fields_are_listed(new_index, opened):
    index = new_index({"dynamic": False, "properties": ID | {"year": {"type": "integer"}}})
    index.write({"1": {"id": "1", "views": 1, "year": 2020}, "2": {"id": "2", "word": "red", "info": {"a": 1}}})
    kinds = {name: each["type"] for name, each in opened(index.name).get_metadata_fields_info().items()}
    assert kinds == {"views": "long", "year": "integer", "word": "keyword", "info": "keyword"}


@pytest.mark.parametrize(
    "case", ["a text", "a keyword without column", "a keyword that ignores long strings", "a text without index"]
)
def test_strings_are_counted_despite_hidden_fields(new_index, opened, case):
    mapping, field, values = CASES[case]
    index = new_index(mapping)
    index.write(sources(field, values))
    store = opened(index.name)
    assert store.get_metadata_field_unique_values(field) == (["a long red one", "red"], 2)
    assert store.count_unique_metadata_by_filter({}, [f"meta.{field}"]) == {field: 2}
    assert store.get_metadata_field_min_max(field) == {"min": "a long red one", "max": "red"}


def test_field_hidden_in_another_index_is_verified(new_index, opened, client):
    shown, hidden = new_index(of(views={"type": "long"})), new_index({"dynamic": False, **of()})
    shown.write({"a": {"id": "a", "views": 1}, "b": {"id": "b"}})
    hidden.write({"c": {"id": "c", "views": 1}, "d": {"id": "d"}})
    store = opened(f"{shown.name},{hidden.name}")
    each = {"field": "views", "operator": "==", "value": None}
    assert [document.id for document in store.filter_documents(each)] == ["b", "d"]
    assert [document.id for document in store.filter_documents({**each, "value": 1})] == ["a", "c"]


def test_alias_is_resolved_in_verification(new_index, opened):
    hidden = KEYWORD | {"index": False, "doc_values": False}
    index = new_index(of(word=hidden, other={"type": "alias", "path": "word"}))
    index.write({"a": {"id": "a", "word": "red"}, "b": {"id": "b"}})
    store = opened(index.name)
    each = {"field": "other", "operator": "==", "value": "red"}
    assert [document.id for document in store.filter_documents(each)] == ["a"]
    assert store.delete_by_filter({**each, "value": None}) == 1


def test_hidden_nested_conditions_match_the_same_object(new_index, opened):
    hidden = KEYWORD | {"index": False, "doc_values": False}
    index = new_index(of(refs={"type": "nested", "properties": {"law": KEYWORD, "part": hidden}}))
    index.write(
        {
            "both": {"id": "both", "refs": [{"law": "a", "part": "1"}, {"law": "b", "part": "2"}]},
            "one": {"id": "one", "refs": [{"law": "a", "part": "2"}]},
            "none": {"id": "none"},
        }
    )
    store = opened(index.name)
    law, part = (
        {"field": f"refs.{name}", "operator": "==", "value": value} for name, value in [("law", "a"), ("part", "2")]
    )
    found = store.filter_documents({"operator": "AND", "conditions": [law, part]})
    assert [document.id for document in found] == ["one"]
    assert [document.id for document in store.filter_documents(part)] == ["both", "one"]


def test_malformed_value_does_not_count_as_missing(opened, opensearch_index):
    """Of an object under a field of numbers the server keeps no trace but the document."""
    with opened(opensearch_index) as store:
        store.embedding_dim, store.method = 3, LUCENE
    store = OpenSearchDocumentStore(hosts=store.hosts, index=opensearch_index, embedding_dim=3, method=LUCENE)
    store.write_documents([Document(id="a", meta={"year": 5})])
    store.write_documents([Document(id="b", meta={"year": {"from": 1}}), Document(id="c")])
    assert store.delete_by_filter({"field": "year", "operator": "==", "value": None}) == 1
    assert [document.id for document in store.filter_documents()] == ["a", "b"]
    store.close()
