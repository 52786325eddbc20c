"""Every way to run a retriever over a store, so that one test body covers them all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore
from tests.modes import Run, run_component, run_component_async


@dataclass(frozen=True)
class Way:
    """A kind of store, and how its retrievers are run."""

    name: str
    wrap: Callable[[Any], Any]
    runner: Run

    def store(self, documents: Iterable[Document] = (), **settings: Any) -> Any:
        """Return a store of this kind that holds the documents."""
        store = InMemoryDocumentStore(**settings)
        store.write_documents(documents)
        return self.wrap(store)

    def run(self, retriever: Any, **inputs: Any) -> Any:
        """Return the result of the retriever."""
        return self.runner(retriever, **inputs)

    def ids(self, retriever: Any, **inputs: Any) -> list[str]:
        """Return the ids of the documents that the retriever returns."""
        return ids(self.run(retriever, **inputs)["documents"])

    def __str__(self) -> str:
        return self.name


WAYS = [
    Way("in memory", lambda store: store, run_component),
    Way("in memory, async", lambda store: store, run_component_async),
    Way("async only", AsyncOnlyStore, run_component_async),
    Way("plain", PlainStore, run_component),
    Way("plain, async", PlainStore, run_component_async),
]
COUNTED = [
    Way("counted", CountingStore, run_component),
    Way("counted, async", CountingStore, run_component_async),
    Way("counted, plain", lambda store: CountingStore(PlainStore(store)), run_component),
    Way("counted, plain, async", lambda store: CountingStore(PlainStore(store)), run_component_async),
]


@pytest.fixture(scope="session", params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Way:
    """A kind of store, and a way to run over it: any."""
    return request.param


@pytest.fixture(scope="session", params=WAYS[:3], ids=str)
def own_way(request: pytest.FixtureRequest) -> Way:
    """The same over the in-memory store itself."""
    return request.param


@pytest.fixture(scope="session", params=COUNTED, ids=str)
def counted(request: pytest.FixtureRequest) -> Way:
    """The same over a store that counts its calls."""
    return request.param


def ids(documents: Sequence[Document]) -> list[str]:
    return [document.id for document in documents]
