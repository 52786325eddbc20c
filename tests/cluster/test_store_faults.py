"""The store on three real nodes, while one is killed, all are full, or the index can't be had."""

import asyncio
import threading
import time

import pytest
from opensearchpy import OpenSearch

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentsRefusedError, DocumentStoreError, StoreUnavailableError
from tools.opensearch.cluster import Cluster

DOCUMENTS, BEFORE = 8000, 2000
METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
THREE_SHARDS = {
    "index.knn": True,
    "number_of_shards": 3,
    "number_of_replicas": 1,
    "index.unassigned.node_left.delayed_timeout": "1s",  # replicas are allocated at once, not after a minute
}


@pytest.fixture
def store(cluster: Cluster, cluster_index: str):
    options = {"embedding_dim": 3, "method": METHOD, "settings": THREE_SHARDS, "chunk_size": 100, "patience": 120}
    with OpenSearchDocumentStore(hosts=list(cluster.urls), index=cluster_index, **options) as store:
        yield store


def documents(first: int, last: int, word: str = "apple") -> list[Document]:
    return [
        Document(id=f"{number:06}", content=f"{word} {number}", meta={"n": number}) for number in range(first, last)
    ]


def manager_of(store: OpenSearchDocumentStore) -> int:
    with OpenSearch(store.hosts, timeout=60) as client:
        return int(client.cat.cluster_manager(format="json")[0]["node"].removeprefix("node-"))


@pytest.mark.parametrize("of_the_manager", [False, True], ids=["not the manager", "the manager"])
@pytest.mark.parametrize("policy", [DuplicatePolicy.OVERWRITE, DuplicatePolicy.FAIL])
def test_a_node_is_killed_while_the_store_writes_and_searches(cluster, store, of_the_manager, policy):
    store.write_documents(documents(0, BEFORE, "pear"), refresh=True)
    cluster.wait_green()  # each shard has its copy
    manager = manager_of(store)
    victim = manager if of_the_manager else (manager + 1) % 3
    written, failures, searches, stop = [0], [], [0], threading.Event()

    def write():
        try:
            written.append(store.write_documents(documents(BEFORE, DOCUMENTS), policy, progress=written.append))
        except Exception as error:  # noqa: BLE001 (the test reports it)
            failures.append(error)

    def search():
        while not stop.is_set():
            try:
                count = store.count_documents_by_filter({"field": "n", "operator": "<", "value": BEFORE})
                found = store.filter_documents({"field": "n", "operator": "<", "value": BEFORE})
                hits = store.bm25_retrieval("pear", top_k=5)
            except Exception as error:  # noqa: BLE001 (the test reports it)
                failures.append(error)
                return
            if (count, len(found), len(hits)) != (BEFORE, BEFORE, 5):
                failures.append(AssertionError(f"{count} counted, {len(found)} found, {len(hits)} hits"))
                return
            searches[0] += 1

    threads = [threading.Thread(target=each, daemon=True) for each in (write, search)]
    for thread in threads:
        thread.start()
    while written[-1] < (DOCUMENTS - BEFORE) // 6 and not failures:
        time.sleep(0.01)
    cluster.kill(victim)
    before, searched = written[-1], searches[0]
    threads[0].join(timeout=180)
    ended = not threads[0].is_alive()
    time.sleep(2)
    stop.set()
    threads[1].join(timeout=180)

    assert failures == []
    assert ended
    assert before < DOCUMENTS - BEFORE, "the writer had ended before the kill"
    assert searches[0] > searched, "no search was complete after the kill"
    assert written[-1] == DOCUMENTS - BEFORE
    cluster.wait_green()
    assert [document.id for document in store.filter_documents()] == [f"{number:06}" for number in range(DOCUMENTS)]


async def test_the_async_client_goes_on_when_a_node_is_killed(cluster, store):
    await store.write_documents_async(documents(0, 500), refresh=True)
    await asyncio.to_thread(cluster.wait_green)
    writing = asyncio.create_task(store.write_documents_async(documents(500, 5000), refresh=True))
    await asyncio.sleep(0.5)
    await asyncio.to_thread(cluster.kill, (manager_of(store) + 1) % 3)
    assert len(await store.filter_documents_async({"field": "n", "operator": "<", "value": 500})) == 500
    assert await writing == 4500
    assert await store.count_documents_async() == 5000
    await store.close_async()


def test_documents_that_are_read_page_by_page_are_complete_when_a_node_is_killed_on_the_way(cluster, store):
    store.write_documents(documents(0, 20_000), refresh=True)
    cluster.wait_green()
    found: list[list[Document]] = []
    reader = threading.Thread(target=lambda: found.append(store.filter_documents()))
    reader.start()
    time.sleep(0.3)
    cluster.kill((manager_of(store) + 1) % 3)
    reader.join(timeout=180)
    assert [document.id for document in found[0]] == [f"{number:06}" for number in range(20_000)]


def test_a_shard_without_any_copy_is_an_error_in_bounded_time(cluster, cluster_index):
    settings = {**THREE_SHARDS, "number_of_replicas": 0}
    with OpenSearchDocumentStore(
        hosts=list(cluster.urls), index=cluster_index, method=METHOD, settings=settings, patience=5, timeout=20
    ) as store:
        store.write_documents(documents(0, 300), refresh=True)
        cluster.kill((manager_of(store) + 1) % 3)
        cluster.wait_for("red")
        for ask in (store.filter_documents, lambda: store.bm25_retrieval("apple")):
            began = time.monotonic()
            with pytest.raises(StoreUnavailableError, match=r"(?s)shard|can't (answer|be reached)"):
                ask()
            assert time.monotonic() - began < 60
        began = time.monotonic()
        with pytest.raises((DocumentsRefusedError, StoreUnavailableError)) as caught:
            store.write_documents(documents(300, 400), DuplicatePolicy.OVERWRITE)
        assert time.monotonic() - began < 120
        assert "shard" in str(caught.value) or "in time" in str(caught.value)


def test_a_cluster_that_is_gone_is_an_error_in_bounded_time_and_is_used_again_when_it_is_back(cluster, store):
    store.write_documents(documents(0, 300), refresh=True)
    store._index.retry_policy.seconds = 3
    for node in cluster.nodes:
        cluster.kill(node)
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError, match="can't be reached"):
        store.count_documents()
    assert time.monotonic() - began < 30
    for node in cluster.nodes:
        cluster.start(node)
    cluster.wait_for("green", nodes=3)
    assert store.count_documents() == 300


def test_a_cluster_without_room_gets_the_documents_a_little_later(cluster, store):
    """More is sent at once than the tenth of its memory that a node gives to documents under way."""
    refused = []
    text = "w" + "ord " * 25_000
    large = (Document(id=f"{number:05}", content=text) for number in range(2000))
    options = {"chunk_size": 50, "writers": 40, "patience": 200, "pool_maxsize": 40}
    with OpenSearchDocumentStore(hosts=cluster.urls[0], index=store.index, method=METHOD, **options) as many:
        send = many._connection.send

        def watched(request):
            try:
                return send(request)
            except StoreUnavailableError as error:
                refused.append(str(error))
                raise

        many._connection.send = watched
        assert many.write_documents(large, refresh=True) == 2000
        assert many.count_documents() == 2000
    assert [message for message in refused if "429" in message]


def test_an_embedding_of_another_size_is_refused_by_name(store):
    with pytest.raises(DocumentsRefusedError) as caught:
        store.write_documents([*documents(0, 5), Document(id="long", embedding=[1.0] * 7)], refresh=True)
    assert list(caught.value.refused) == ["long"]
    assert store.count_documents() == 5


def test_an_index_of_another_mapping_names_the_missing_fields(cluster, cluster_index):
    with OpenSearch(list(cluster.urls), timeout=60) as client:
        body = {
            "settings": {"number_of_shards": 1},
            "mappings": {"properties": {"content": {"type": "keyword"}, "embedding": {"type": "float"}}},
        }
        client.indices.create(index=cluster_index, body=body)
    with OpenSearchDocumentStore(hosts=list(cluster.urls), index=cluster_index) as store:
        store.write_documents(documents(0, 3), refresh=True)
        assert len(store.filter_documents()) == 3
        with pytest.raises(DocumentStoreError, match="custom_query"):
            store.bm25_retrieval("apple")
        with pytest.raises(DocumentStoreError, match="embedding"):
            store.embedding_retrieval([1.0, 0.0])
