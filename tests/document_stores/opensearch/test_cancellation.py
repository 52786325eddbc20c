"""A cancelled call of the store: its requests end at once."""

import asyncio
import time

import pytest

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from spaniel.document_stores.types import DuplicatePolicy
from tests.document_stores.faces import named
from tests.document_stores.opensearch.scripted import Scripted

MAPPING = {"docs": {"mappings": default_mapping(2)}}


class Slow(Scripted):
    """Takes three seconds for each request but the first, and notes those that were cancelled."""

    def __init__(self):
        super().__init__(MAPPING)
        self.cancelled = []

    async def send_async(self, request):
        if self.answers:
            return self.send(request)
        try:
            await asyncio.sleep(3)
        except asyncio.CancelledError:
            self.cancelled.append(request.path)
            raise


@pytest.fixture
def store():
    made = OpenSearchDocumentStore(index="docs", chunk_size=1)
    made._connection = Slow()
    made._index.has_vectors = True  # skips a request
    return made


async def cancelled(call):
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(call, 0.2)
    assert len(asyncio.all_tasks()) == 1
    assert time.monotonic() - began < 1


async def test_concurrent_bulk_requests_are_cancelled(store):
    await cancelled(store.write_documents_async(named("1", "2"), DuplicatePolicy.OVERWRITE))
    assert store._connection.cancelled == ["/docs/_bulk"] * 2


async def test_lookups_before_a_write_are_cancelled(store):
    await cancelled(store.write_documents_async(named("1", "2")))
    assert store._connection.cancelled == ["/docs/_mget"] * 2


async def test_search_is_cancelled(store):
    await cancelled(store.bm25_retrieval_async("word"))
    assert store._connection.cancelled == ["/docs/_search"]
