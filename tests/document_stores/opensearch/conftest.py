import os
import uuid

import pytest
from opensearchpy import OpenSearch

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from tests.document_stores.faces import AsyncFace, SyncFace

FACES = {"sync": SyncFace, "async": AsyncFace}
METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
ONE_SHARD = {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0}


@pytest.fixture(scope="session")
def opensearch_url():
    return os.environ.get("SPANIEL_TEST_OPENSEARCH", "http://127.0.0.1:9200")


@pytest.fixture
def opensearch_index(opensearch_url):
    name = f"store-{uuid.uuid4().hex}"
    yield name
    with OpenSearch(hosts=opensearch_url, timeout=60) as client:
        client.indices.delete(index=name, ignore=[404])


@pytest.fixture(params=FACES)
async def opened(request, opensearch_url, opensearch_index):
    """Opens a store of a new index whose methods are awaited: by its plain methods, then by the async ones."""
    stores = []

    def open_store(**settings):
        defaults = {"embedding_dim": 3, "method": METHOD, "settings": ONE_SHARD, "return_embedding": True}
        store = OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, **(defaults | settings))
        stores.append(store)
        return FACES[request.param](store)

    yield open_store
    for store in stores:
        store.close()
        await store.close_async()


@pytest.fixture
def store(opened):
    return opened()
