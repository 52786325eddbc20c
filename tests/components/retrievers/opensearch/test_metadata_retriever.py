"""Metadata that fits a query, on a real server."""

import logging
import uuid

import pytest
from opensearchpy import OpenSearch

from spaniel import Document
from spaniel.components.retrievers.opensearch import OpenSearchMetadataRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError, StoreRequestError, WrongStoreError

BOOKS = [
    Document(id=str(number), content="a book", meta=meta)
    for number, meta in enumerate(
        [
            {"topic": "Python", "author": "Ada Lovelace", "year": 2020, "tags": ["snakes", "code"]},
            {"topic": "Java", "author": "Grace Hopper", "year": 2021, "tags": ["coffee"]},
            {"topic": "Python", "author": "Grace Hopper", "year": 2022, "tags": ["snakes"]},
            {"topic": "JavaScript", "author": "Ada Lovelace", "year": 2022},
            {"topic": "Cooking", "author": "Julia Child", "year": 1961, "at": {"city": "Paris"}},
            {"topic": "Python", "author": "Ada Lovelace", "year": 2023, "tags": ["snakes", "code"]},
            {"topic": "50% off * all?", "author": "no one"},
        ]
    )
]


@pytest.fixture(scope="module")
def store(server):
    return server.store(BOOKS)


@pytest.fixture
def find(server, store):
    def find(query, fields=("topic",), **options):
        retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=list(fields))
        rows = server.run(retriever, query=query, **options)["metadata"]
        return [row[fields[0]] for row in rows] if len(fields) == 1 else rows

    return find


def test_values_that_fit_come_once_and_best_first(find):
    assert find("Java") == ["Java", "JavaScript"]


def test_all_parts_are_asked_in_one_request(server, store):
    retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic", "author"])
    result, requests = server.counted(retriever, query="Python, Grace Hopper, , Python")
    assert requests == 1
    assert result["metadata"][0] == {"topic": "Python", "author": "Grace Hopper"}


@pytest.mark.parametrize(("query", "found"), [
    ("python", ["Python"]),
    ("PYTHON", ["Python"]),
    ("pyhton", ["Python"]),
    ("ava", ["Java", "JavaScript"]),
    ("Kooking", ["Cooking"]),
    ("nothing like it", []),
    ("  ,, ", []),
])  # fmt: skip
def test_case_parts_of_values_and_typing_errors_are_forgiven(find, query, found):
    assert find(query) == found


def test_strict_forgives_case_and_parts_only(find):
    assert find("jAVA", mode="strict") == ["Java", "JavaScript"]
    assert find("pyhton", mode="strict") == []


@pytest.mark.parametrize("query", ["50%", "off *", "* all?", "50% off * all?"])
def test_query_syntax_of_the_server_is_plain_text(find, query):
    assert find(query, mode="strict") == ["50% off * all?"]


def test_exact_matches_weigh_more(find):
    both = ["topic", "author"]
    assert find("Ada Lovelace", both)[0]["author"] == "Ada Lovelace"
    assert find("Python, Ada Lovelace", both)[0] == {"topic": "Python", "author": "Ada Lovelace"}


def test_the_number_of_edits_may_be_set(find):
    assert find("Pithon", fuzziness=1) == ["Python"]
    assert find("Pithun", fuzziness=1) == []
    assert find("Pithun", fuzziness=2) == ["Python"]
    assert find("Pithon", fuzziness=1, prefix_length=2) == []


def test_lists_of_texts_are_searched_and_returned_whole(find):
    assert find("code", ["tags"]) == [["snakes", "code"]]


def test_a_field_inside_an_object_is_searched(find):
    assert find("paris", ["at.city"]) == ["Paris"]
    assert find("paris", ["meta.at.city", "topic"]) == [{"at.city": "Paris", "topic": "Cooking"}]


def test_fields_that_hold_no_text_are_returned_and_not_searched(find):
    assert find("Cooking", ["topic", "year"]) == [{"topic": "Cooking", "year": 1961}]
    assert find("1961", ["year"]) == []


def test_only_documents_that_match_the_filter_count(find):
    late = {"field": "meta.year", "operator": ">=", "value": 2022}
    assert find("Python", ["topic", "author", "year"], filters=late)[0]["year"] in (2022, 2023)
    assert find("Java", filters=late) == ["JavaScript"]


def test_no_more_than_wanted_are_returned_and_none_twice(find):
    assert find("Python", ["topic", "author"], top_k=1) == [{"topic": "Python", "author": "Ada Lovelace"}]
    assert find("Python", ["topic"], top_k=2) == ["Python"]
    assert find("Python", top_k=0) == []


def test_no_fields_find_nothing(find):
    assert find("Python", metadata_fields=[]) == []


def test_more_documents_than_are_looked_at_do_not_hide_the_best(server):
    documents = [Document(id=f"{number:04}", content="a", meta={"topic": "Javan"}) for number in range(1200)]
    store = server.store([*documents, Document(id="z", content="a", meta={"topic": "Java"})])
    retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic"])
    assert server.run(retriever, query="Java")["metadata"] == [{"topic": "Java"}, {"topic": "Javan"}]


def test_text_without_keywords_is_searched_by_words(server, opensearch_url):
    index = f"retrievers-{uuid.uuid4().hex}"
    server.indexes.append(index)
    properties = {"topic": {"type": "text"}, "tag": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}}
    with OpenSearch(hosts=opensearch_url, timeout=60) as client:
        client.indices.create(index=index, body={"mappings": {"properties": properties}})
    store = server.store_of(index, [Document(id="1", meta={"topic": "The Python language", "tag": "one two"})])
    retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic", "tag"])
    for query in ("python", "pithon", "one tw"):
        assert len(server.run(retriever, query=query)["metadata"]) == 1
    assert len(server.run(retriever, query="python lang", mode="strict")["metadata"]) == 1


# --- failures


def test_a_failure_is_raised_or_a_warning(server, store, caplog):
    def retriever(**options):
        return OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic"], **options)

    with pytest.raises(StoreRequestError, match="lots"):
        server.run(retriever(fuzziness="lots"), query="Python")
    with caplog.at_level(logging.WARNING, "spaniel"):
        assert server.run(retriever(fuzziness="lots", raise_on_failure=False), query="Python") == {"metadata": []}
    assert "lots" in caplog.text


@pytest.mark.parametrize("options", [
    {"metadata_fields": []}, {"metadata_fields": "topic"}, {"top_k": 0}, {"mode": "loose"}, {"jaccard_n": 0},
    {"prefix_length": -1}, {"max_expansions": 0}, {"tie_breaker": "much"}, {"exact_match_weight": None},
])  # fmt: skip
def test_a_parameter_that_can_t_be_is_refused(store, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        OpenSearchMetadataRetriever(document_store=store, **({"metadata_fields": ["topic"]} | options))


def test_wrong_arguments_of_a_run_are_raised_all_the_same(server, store):
    retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic"], raise_on_failure=False)
    with pytest.raises(ValueError, match="mode must be either 'strict' or 'fuzzy'"):
        server.run(retriever, query="Python", mode="loose")
    with pytest.raises(FilterError):
        server.run(retriever, query="Python", filters={"field": "meta.year"})


def test_a_run_may_ask_another_store_of_the_same_kind(server, store):
    retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["topic"])
    other = server.store([Document(id="1", meta={"topic": "Pythons"})])
    assert server.run(retriever, query="Python", document_store=other)["metadata"] == [{"topic": "Pythons"}]
    with pytest.raises(WrongStoreError):
        server.run(retriever, query="Python", document_store=InMemoryDocumentStore())
