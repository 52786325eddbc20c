import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from tests.document_stores.faces import AsyncFace, SyncFace


@pytest.fixture(params=[SyncFace, AsyncFace], ids=["sync", "async"])
def opened(request):
    """Opens a store whose methods are awaited: the plain ones, then the async ones."""
    return lambda **settings: request.param(InMemoryDocumentStore(**settings))


@pytest.fixture
def store(opened):
    return opened()
