from uuid import uuid4

import pytest
from opensearchpy import OpenSearch

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from tests.document_stores.faces import AsyncFace, SyncFace

FACES = {"sync": SyncFace, "async": AsyncFace}
METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
ONE_SHARD = {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0}


@pytest.fixture(params=FACES)
async def opened(request, opensearch_url, opensearch_index):
    """Opens stores of a new index with awaitable methods: once by the plain methods, once by the
    async ones.
    """
    stores = []

    def open_store(**settings):
        defaults = {"embedding_dim": 3, "method": METHOD, "settings": ONE_SHARD, "return_embedding": True}
        store = OpenSearchDocumentStore(hosts=opensearch_url, **({"index": opensearch_index} | defaults | settings))
        stores.append(store)
        return FACES[request.param](store)

    yield open_store
    for store in stores:
        store.close()
        await store.close_async()


@pytest.fixture
def store(opened):
    return opened()


@pytest.fixture(scope="session")
def client(opensearch_url):
    with OpenSearch(opensearch_url, timeout=60) as client:
        yield client


@pytest.fixture
def new_index(client):
    """Creates indexes for this test only."""
    made = []

    def make(mappings=None, settings=None):
        made.append(RawIndex(client, mappings, settings))
        return made[-1]

    yield make
    for index in made:
        client.indices.delete(index=index.name)


class RawIndex:
    """An index without a store."""

    def __init__(self, client, mappings, settings=None):
        self.client, self.name = client, f"filters-{uuid4().hex[:12]}"
        body = {"settings": {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0} | (settings or {})}
        client.indices.create(index=self.name, body=body | ({"mappings": mappings} if mappings else {}))

    def write(self, sources):
        """Write sources by id."""
        lines = []
        for key, source in sources.items():
            lines += [{"index": {"_id": key}}, source]
        answer = self.client.bulk(index=self.name, body=lines, params={"refresh": "true"})
        assert not answer["errors"], answer

    def replace(self, sources):
        """Replace all documents."""
        everything = {"query": {"match_all": {}}}
        self.client.delete_by_query(index=self.name, body=everything, params={"refresh": "true"})
        self.write(sources)

    def properties(self):
        return self.client.indices.get_mapping(index=self.name)[self.name]["mappings"]["properties"]

    def ids(self, queries):
        """Return the ids that each query finds."""
        if not queries:
            return []
        lines = []
        for query in queries:
            lines += [{}, {"query": {"bool": {"filter": [query]}}, "size": 1000, "_source": False}]
        answers = self.client.msearch(index=self.name, body=lines)["responses"]
        for query, answer in zip(queries, answers, strict=True):
            assert "error" not in answer, (query, answer)
        return [{hit["_id"] for hit in answer["hits"]["hits"]} for answer in answers]
