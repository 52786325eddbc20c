"""The cluster itself under `kill -9`: the basis of Spaniel's guarantees, tested by the bare client."""

import threading
import time

import pytest
from opensearchpy import OpenSearch, helpers

from tools.opensearch.cluster import Cluster

DOCUMENTS = 6000
SETTINGS = {
    "number_of_shards": 3,
    "number_of_replicas": 1,
    "index.unassigned.node_left.delayed_timeout": "1s",  # replicas are allocated at once, not after a minute
}


def manager_of(client: OpenSearch) -> int:
    return int(client.cat.cluster_manager(format="json")[0]["node"].removeprefix("node-"))


@pytest.mark.parametrize("of_the_manager", [False, True], ids=["not the manager", "the manager"])
def test_every_acknowledged_document_survives_the_kill_of_a_node_during_bulk_writes(
    cluster: Cluster, cluster_index: str, of_the_manager: bool
) -> None:
    acknowledged: list[str] = []
    with OpenSearch(cluster.urls, timeout=60, max_retries=5, retry_on_timeout=True) as client:
        client.indices.create(index=cluster_index, body={"settings": SETTINGS})
        manager = manager_of(client)
        victim = manager if of_the_manager else (manager + 1) % 3

        def write() -> None:
            rows = ({"_index": cluster_index, "_id": str(each), "n": each} for each in range(DOCUMENTS))
            for written, answer in helpers.streaming_bulk(
                client, rows, chunk_size=100, max_retries=5, raise_on_error=False
            ):
                if written:
                    acknowledged.append(answer["index"]["_id"])

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        while len(acknowledged) < DOCUMENTS // 6:
            assert writer.is_alive()
            time.sleep(0.01)
        cluster.kill(victim)
        before = len(acknowledged)
        writer.join(timeout=120)
        assert not writer.is_alive(), f"{len(acknowledged)} acknowledged, {cluster.health()}\n{cluster.log_ends(200)}"
        assert before < DOCUMENTS, "the writer had ended before the kill"

        health = cluster.wait_green()
        assert health["number_of_nodes"] == 2
        client.indices.refresh(index=cluster_index)
        found = {hit["_id"] for hit in helpers.scan(client, index=cluster_index, _source=False)}

    assert set(acknowledged) - found == set()
    assert len(acknowledged) == DOCUMENTS


def test_a_cluster_without_a_majority_has_no_health_until_a_node_comes_back(cluster: Cluster) -> None:
    cluster.kill(0)
    cluster.kill(1)
    time.sleep(1)
    assert cluster.health() is None

    cluster.start(1)

    assert cluster.wait_green()["number_of_nodes"] == 2
