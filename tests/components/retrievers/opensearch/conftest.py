"""Indexes on a real server, and how often they are asked: counted where HTTP requests are made."""

import asyncio
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from opensearchpy import AsyncHttpConnection, OpenSearch, Urllib3HttpConnection

from spaniel import Document
from spaniel.core.component import component
from spaniel.document_stores.opensearch import OpenSearchDocumentStore

METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
ONE_SHARD = {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0}


@dataclass
class Server:
    """Opens stores, and runs retrievers over them by their plain methods, or in one event loop."""

    url: str
    is_async: bool
    requests: list[tuple[str, str]] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    stores: list[OpenSearchDocumentStore] = field(default_factory=list)

    def store(self, documents: Iterable[Document] = (), **settings: Any) -> OpenSearchDocumentStore:
        """Return a store of a new index that holds the documents and has been asked once."""
        index = f"retrievers-{uuid.uuid4().hex}"
        self.indexes.append(index)
        return self.store_of(index, documents, **settings)

    def store_of(self, index: str, documents: Iterable[Document] = (), **settings: Any) -> OpenSearchDocumentStore:
        """Return a store of an index by its name."""
        defaults = {"embedding_dim": 3, "method": METHOD, "settings": ONE_SHARD}
        store = OpenSearchDocumentStore(
            hosts=self.url, index=index, connection_class=self._counted(), **(defaults | settings)
        )
        self.stores.append(store)
        if self.is_async:
            self._wait(store.write_documents_async(list(documents), refresh=True))
        else:
            store.write_documents(list(documents), refresh=True)
        self.run(_FirstUse(store))
        return store

    def _counted(self) -> type:
        requests = self.requests

        class Counted(Urllib3HttpConnection):
            def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
                requests.append((method, url))
                return super().perform_request(method, url, *args, **kwargs)

        class CountedAsync(AsyncHttpConnection):
            async def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
                requests.append((method, url))
                return await super().perform_request(method, url, *args, **kwargs)

        return CountedAsync if self.is_async else Counted

    def _wait(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    def run(self, retriever: Any, *args: Any, **inputs: Any) -> Any:
        """Return the result of a retriever."""
        if self.is_async:
            return self._wait(retriever.run_async(*args, **inputs))
        return retriever.run(*args, **inputs)

    def counted(self, retriever: Any, **inputs: Any) -> tuple[Any, int]:
        """Return the result of a retriever, and the number of its HTTP requests."""
        self.requests.clear()
        return self.run(retriever, **inputs), len(self.requests)

    def close(self) -> None:
        for store in self.stores:
            if self.is_async:
                self._wait(store.close_async())
            store.close()
        self.loop.close()
        with OpenSearch(hosts=self.url, timeout=60) as client:
            for index in self.indexes:
                client.indices.delete(index=index, ignore=[404])


class _FirstUse:
    """The first use of a store, in which it reads the mapping."""

    def __init__(self, store: OpenSearchDocumentStore) -> None:
        self.store = store

    def run(self) -> Any:
        return self.store.get_metadata_fields_info()

    async def run_async(self) -> Any:
        return await self.store.get_metadata_fields_info_async()


@pytest.fixture(scope="module", params=["plain", "async"])
def server(request: pytest.FixtureRequest, opensearch_url: str) -> Iterator[Server]:
    """A server whose stores are used by their plain methods, or by the async ones."""
    server = Server(opensearch_url, request.param == "async")
    yield server
    server.close()


@component
class Towards:
    """Embeds a text as the vector given for it."""

    def __init__(self, **vectors: list[float]) -> None:
        self.vectors = vectors

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        return {"embedding": self.vectors.get(text, [1.0, 0.0, 0.0])}

    def to_dict(self) -> dict[str, Any]:
        return {"type": f"{type(self).__module__}.Towards", "init_parameters": {}}


def ids(result: dict[str, Any]) -> list[str]:
    return [document.id for document in result["documents"]]
