"""Knowledge bases on a cluster, for tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from spaniel import Document, KnowledgeBase
from spaniel.document_stores.urls import open_store

FEW = "replicas=0&shards=1"


def url_of(server: str, index: str, options: str = FEW) -> str:
    return f"opensearch://{server.removeprefix('http://')}/{index}?{options}"


@pytest.fixture
def place(opensearch_url: str, opensearch_index: str) -> str:
    """The URL of an index that is not there yet."""
    return url_of(opensearch_url, opensearch_index)


@pytest.fixture
def kb(place: str) -> Iterator[KnowledgeBase]:
    """A knowledge base of nothing yet."""
    opened = KnowledgeBase(place)
    yield opened
    opened.close()


def everything(place: str) -> dict[str, Document]:
    """Return all documents of an index, by id."""
    with open_store(place) as store:
        store.refresh()
        return {document.id: document for document in store.iterate()}


def requests_of(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that fills with the requests of a store from now on."""
    sent: list[str] = []
    send = store._connection.send

    def noted(request: Any) -> Any:
        sent.append(f"{request.method} {request.path.rpartition('/')[2]}")
        return send(request)

    monkeypatch.setattr(store._connection, "send", noted)
    return sent
