"""Rollback of writes with the policy FAIL that fail or are cancelled."""

import asyncio

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import StoreUnavailableError
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.lossy import LossyConnection, lost_after

pytestmark = pytest.mark.server


def numbered(count):
    return [Document(id=f"{n:03}", content=f"apple {n}") for n in range(count)]


@pytest.fixture
async def store(opensearch_url, opensearch_index):
    options = {"embedding_dim": 3, "method": LUCENE, "chunk_size": 10, "patience": 0.3}
    store = OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, **options)
    store.write_documents([Document(id="there")], refresh=True)
    yield store
    store.close()
    await store.close_async()


class FailingError(Exception):
    pass


def failing(count, error):
    yield from numbered(count)
    raise error


@pytest.mark.parametrize(
    "error", [FailingError(), KeyboardInterrupt(), SystemExit()], ids=lambda error: type(error).__name__
)
def test_documents_written_before_an_error_are_deleted(store, error):
    with pytest.raises(type(error)):
        store.write_documents(failing(55, error))
    store.refresh()
    assert [document.id for document in store.filter_documents()] == ["there"]


def test_other_policies_do_not_undo(store):
    with pytest.raises(FailingError):
        store.write_documents(failing(55, FailingError()), DuplicatePolicy.OVERWRITE)
    store.refresh()
    assert 40 <= store.count_documents() - 1 <= 55


@pytest.mark.parametrize("at", [1, 3, 6])
def test_documents_of_lost_answers_are_deleted(store, at):
    """From the n-th on, requests that create are executed without an answer; their rollback is
    answered.
    """
    store._connection = connection = LossyConnection(store._connection)
    creating = 0

    def fault(send):
        nonlocal creating
        request = connection.requests[-1]
        creating += request.path.endswith("_bulk") and request.body.startswith(b'{"create"')
        return lost_after(send) if creating >= at and request.body and b'{"create"' in request.body else send()

    connection._fault, connection._at = fault, range(10_000)
    with pytest.raises(StoreUnavailableError, match="Nothing was written"):
        store.write_documents(numbered(80))
    store.refresh()
    assert [document.id for document in store.filter_documents()] == ["there"]


@pytest.mark.parametrize("after", [0.005, 0.02, 0.05, 0.1])
async def test_cancelled_write_is_undone(store, after):
    task = asyncio.create_task(store.write_documents_async(numbered(2000)))
    await asyncio.sleep(after)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(1.0)
    await store.refresh_async()
    assert [document.id for document in await store.filter_documents_async()] == ["there"]
