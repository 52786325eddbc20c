import os
from uuid import uuid4

import pytest


@pytest.fixture(scope="session")
def opensearch_url():
    return os.environ.get("SPANIEL_TEST_OPENSEARCH", "http://127.0.0.1:9200")


@pytest.fixture(scope="session")
def client(opensearch_url):
    opensearchpy = pytest.importorskip("opensearchpy")
    client = opensearchpy.OpenSearch(opensearch_url, timeout=60)
    if not client.ping():
        pytest.skip(f"no OpenSearch at {opensearch_url}")
    yield client
    client.close()


@pytest.fixture
def new_index(client):
    """Makes an index of a mapping, for this test only, and returns it."""
    made = []

    def make(mappings=None, settings=None):
        made.append(RawIndex(client, f"osfilters-{uuid4().hex[:12]}", mappings, settings))
        return made[-1]

    yield make
    for index in made:
        client.indices.delete(index=index.name)


class RawIndex:
    """An index, and what is asked of it without a store."""

    def __init__(self, client, name, mappings, settings=None):
        self.client, self.name = client, name
        body = {"settings": {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0} | (settings or {})}
        client.indices.create(index=name, body=body | ({"mappings": mappings} if mappings else {}))

    def write(self, sources):
        """Write documents by their id."""
        lines = []
        for key, source in sources.items():
            lines += [{"index": {"_id": key}}, source]
        answer = self.client.bulk(index=self.name, body=lines, params={"refresh": "true"})
        assert not answer["errors"], answer

    def replace(self, sources):
        """Write documents in place of all that are there."""
        everything = {"query": {"match_all": {}}}
        self.client.delete_by_query(index=self.name, body=everything, params={"refresh": "true"})
        self.write(sources)

    def properties(self):
        return self.client.indices.get_mapping(index=self.name)[self.name]["mappings"]["properties"]

    def ids(self, queries):
        """Return for each query the ids that it finds."""
        if not queries:
            return []
        lines = []
        for query in queries:
            lines += [{}, {"query": {"bool": {"filter": [query]}}, "size": 1000, "_source": False}]
        answers = self.client.msearch(index=self.name, body=lines)["responses"]
        for query, answer in zip(queries, answers, strict=True):
            assert "error" not in answer, (query, answer)
        return [{hit["_id"] for hit in answer["hits"]["hits"]} for answer in answers]
