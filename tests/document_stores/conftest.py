from itertools import count, product

import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.faces import AsyncFace, SyncFace

FACES = {"sync": SyncFace, "async": AsyncFace}


@pytest.fixture(params=["-".join(each) for each in product(("memory", "local"), ("all", "leaves"), FACES)])
def opened(request, tmp_path):
    """Opens a new store whose methods are awaited: each kind of store, by its plain methods, then
    by the async ones.

    Documents without children are searched with either value of `search`, so the same tests hold
    for both.
    """
    kind, search, face = request.param.split("-")
    numbers, stores = count(), []

    def open_store(**settings):
        if kind == "memory":
            return FACES[face](InMemoryDocumentStore(**{"search": search} | settings))
        stores.append(LocalDocumentStore(tmp_path / f"kb{next(numbers)}", **{"search": search} | settings))
        return FACES[face](stores[-1])

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def store(opened):
    return opened()
