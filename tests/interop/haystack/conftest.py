"""Stores of Haystack and of its integrations, each new and empty: real servers and engines."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore

from spaniel.interop.haystack import HaystackStore
from tests.document_stores.faces import AsyncFace, SyncFace

DIMENSION = 3
FACES = {"sync": SyncFace, "async": AsyncFace}
# The engine that the tests' OpenSearch has.
LUCENE = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}


@contextmanager
def _in_memory(_request: pytest.FixtureRequest) -> Iterator[Any]:
    yield InMemoryDocumentStore(embedding_similarity_function="cosine", index=secrets.token_hex(6))


@contextmanager
def _qdrant(_request: pytest.FixtureRequest) -> Iterator[Any]:
    from haystack_integrations.document_stores.qdrant import QdrantDocumentStore

    store = QdrantDocumentStore(":memory:", embedding_dim=DIMENSION)
    yield store
    store.close()


@contextmanager
def _pgvector(request: pytest.FixtureRequest) -> Iterator[Any]:
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    url = request.getfixturevalue("postgres_url")
    request.getfixturevalue("monkeypatch").setenv("PG_CONN_STR", url)
    name = f"spaniel_{secrets.token_hex(6)}"
    store = PgvectorDocumentStore(
        table_name=name,
        embedding_dimension=DIMENSION,
        keyword_index_name=f"{name}_words",
        hnsw_index_name=f"{name}_hnsw",
    )
    yield store
    store.delete_table()
    store.close()


@contextmanager
def _opensearch(request: pytest.FixtureRequest) -> Iterator[Any]:
    from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore

    store = OpenSearchDocumentStore(
        hosts=request.getfixturevalue("opensearch_url"),
        index=request.getfixturevalue("opensearch_index"),
        embedding_dim=DIMENSION,
        method=LUCENE,
        timeout=60,
    )
    yield store
    store.close()


KINDS: dict[str, Callable[[pytest.FixtureRequest], Any]] = {
    "memory": _in_memory,
    "qdrant": _qdrant,
    "pgvector": _pgvector,
    "opensearch": _opensearch,
}


@dataclass(frozen=True)
class Asked:
    """A store of Haystack's behind our face, and how it is asked: by its plain methods, or by its
    async ones.

    :param theirs: the store.
    :param face: ``sync`` or ``async``.
    """

    theirs: Any
    face: str

    @property
    def store(self) -> HaystackStore:
        """The store as one of ours."""
        return HaystackStore(self.theirs)

    @property
    def methods(self) -> Any:
        """Its methods, all to be awaited."""
        return FACES[self.face](self.store)

    async def run(self, component: Any, **inputs: Any) -> Any:
        """Run the component."""
        return component.run(**inputs) if self.face == "sync" else await component.run_async(**inputs)


@pytest.fixture(
    params=[pytest.param(kind, marks=[pytest.mark.server] if kind == "opensearch" else []) for kind in KINDS]
)
def theirs(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A store of Haystack's."""
    with KINDS[request.param](request) as store:
        yield store


@pytest.fixture(params=FACES)
async def asked(request: pytest.FixtureRequest, theirs: Any) -> AsyncIterator[Asked]:
    """Each store, asked either way; never both ways in one test, as a local Qdrant can't."""
    yield Asked(theirs, request.param)
    if request.param == "async" and hasattr(theirs, "close_async"):
        await theirs.close_async()
