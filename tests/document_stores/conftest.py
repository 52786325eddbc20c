from itertools import count

import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.faces import AsyncFace, SyncFace

FACES = {"sync": SyncFace, "async": AsyncFace}


@pytest.fixture(params=[f"{kind}-{face}" for kind in ("memory", "local") for face in FACES])
def opened(request, tmp_path):
    """Opens a new store whose methods are awaited: each kind of store, by its plain methods, then by the async ones."""
    kind, face = request.param.split("-")
    numbers, stores = count(), []

    def open_store(**settings):
        if kind == "memory":
            return FACES[face](InMemoryDocumentStore(**settings))
        stores.append(LocalDocumentStore(tmp_path / f"kb{next(numbers)}", **{"search": "all"} | settings))
        return FACES[face](stores[-1])

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def store(opened):
    return opened()
