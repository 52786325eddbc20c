"""The state of an index, the terms of its queries, and stores by URL, on a real server."""

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.urls import open_store

METHOD = {"space_type": "innerproduct", "engine": "lucene", "name": "hnsw"}


@pytest.fixture
def store(opensearch_url, opensearch_index):
    options = {"embedding_dim": 2, "method": METHOD, "settings": {"index.knn": True, "number_of_replicas": 0}}
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, search="leaves", **options) as store:
        yield store


@pytest.fixture
def filled(store):
    store.write_documents(
        [
            Document(id=f"{n:02}", content=f"Red apples {n}", meta={"n": n, "path": f"{n % 2}.md"}, embedding=[n, 1])
            for n in range(25)
        ],
        refresh=True,
    )
    return store


def test_query_terms_are_analyzed_by_the_index(store) -> None:
    assert store.query_terms("Red APPLES, red!") == ["red", "apples"]


async def test_query_terms_async(store) -> None:
    async with store:
        assert await store.query_terms_async("Red APPLES, red!") == ["red", "apples"]


def test_administration_does_not_create_the_index(store) -> None:
    assert (store.exists(), store.count_if_there(), store.identity(), store.vector_size()) == (False, 0, None, None)
    assert not store.exists()


def test_state_of_an_index(filled) -> None:
    assert (filled.exists(), filled.count_if_there(), filled.vector_size(), filled.health()) == (True, 25, 2, "green")
    assert filled.search_statistics() == {"documents": 25}
    assert filled.size_in_bytes() > 1000
    assert filled.count_by_value("path") == {"0.md": 13, "1.md": 12}
    assert filled.count_by_value("nothing") == {}
    assert filled.ids_starting_with("2") == ["20", "21", "22", "23", "24"]


def test_change_number_increases_with_a_change(filled) -> None:
    before = filled.changes()
    filled.delete_documents(["00"])
    assert filled.changes() > before


def test_recreated_index_has_another_identity(filled) -> None:
    before = filled.identity()
    filled.delete_all_documents(recreate_index=True)
    assert filled.identity() != before


def test_parents_are_not_in_search_statistics(store) -> None:
    store.write_documents(
        [Document(id="p", content="Whole", meta={"__children_ids": ["c"]}), Document(id="c", content="Part")]
    )
    assert (store.count_documents(), store.search_statistics()) == (2, {"documents": 1})


def test_url_opens_the_index(opensearch_url, opensearch_index) -> None:
    place = opensearch_url.removeprefix("http://")
    with open_store(f"opensearch://{place}/{opensearch_index}?shards=2&replicas=0&embedding_dim=2") as store:
        store.write_documents([Document(id="a", content="Apples", embedding=[1, 2])])
        assert [document.id for document in store.bm25_retrieval("apples")] == ["a"]
        made = store._connection.client.transport.perform_request("GET", f"/{opensearch_index}/_settings")
        assert made[opensearch_index]["settings"]["index"]["number_of_shards"] == "2"
