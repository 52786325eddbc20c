"""The fixtures `opensearch_url` and `opensearch_index`, on the real server of this run."""

from opensearchpy import AsyncOpenSearch, OpenSearch

VECTORS = {
    "settings": {"index.knn": True, "number_of_replicas": 0},
    "mappings": {
        "properties": {
            "vector": {"type": "knn_vector", "dimension": 2, "method": {"name": "hnsw", "engine": "lucene"}},
            "text": {"type": "text"},
        }
    },
}


def test_words_and_vectors_are_found(opensearch_url, opensearch_index):
    with OpenSearch(opensearch_url) as client:
        client.indices.create(index=opensearch_index, body=VECTORS)
        for name, vector in {"north": [0.0, 1.0], "east": [1.0, 0.0]}.items():
            client.index(
                index=opensearch_index, id=name, body={"text": f"to the {name}", "vector": vector}, refresh=True
            )

        words = client.search(index=opensearch_index, body={"query": {"match": {"text": "north"}}})
        near = client.search(
            index=opensearch_index, body={"query": {"knn": {"vector": {"vector": [0.9, 0.1], "k": 1}}}, "size": 1}
        )

    assert [hit["_id"] for hit in words["hits"]["hits"]] == ["north"]
    assert [hit["_id"] for hit in near["hits"]["hits"]] == ["east"]


async def test_the_async_client_reaches_it_too(opensearch_url, opensearch_index):
    async with AsyncOpenSearch(opensearch_url) as client:
        assert not await client.indices.exists(index=opensearch_index)
        assert (await client.cluster.health())["status"] in {"green", "yellow"}
