"""Wrappers around a document store that show how it is used."""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.document_stores.types import DocumentStore, DuplicatePolicy

if TYPE_CHECKING:
    from spaniel.document_stores.in_memory import InMemoryDocumentStore as _Store  # the one that has_method the most
else:
    _Store = object


class _Wrapper(_Store):
    """Passes everything on to a store, and counts as an instance of its class.

    :param store: the store.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    @property  # type: ignore[misc]  # as mocks do, so that retrievers of one kind of store take its wrapper
    def __class__(self) -> Any:
        return type(self._store)

    def __getattr__(self, name: str) -> Any:
        if name == "_store":  # not there yet: a copy is being made
            raise AttributeError(name)
        value = getattr(self._store, name)
        return self._wrapped(name, value) if inspect.isroutine(value) and not name.startswith("_") else value

    def _wrapped(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        raise NotImplementedError


class CountingStore(_Wrapper):
    """Counts the calls of a store's methods, sync and async, and is like the store in everything else.

    :param store: any document store.

    >>> from spaniel.components.retrievers import FilterRetriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = CountingStore(InMemoryDocumentStore())
    >>> FilterRetriever(store).run()
    {'documents': []}
    >>> store.calls
    Counter({'filter_documents': 1})
    """

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self._log: list[str] = []  # appending is safe in threads, counting is not

    @property
    def calls(self) -> Counter[str]:
        """How often each method was called, by its name; async methods under their own."""
        return Counter(self._log)

    def forget(self) -> None:
        """Start to count anew."""
        self._log.clear()

    def _wrapped(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._log.append(name)
            return method(*args, **kwargs)

        return counted


class AsyncOnlyStore(_Wrapper):
    """Answers async calls only: a sync method that has an async twin raises, and so shows who would block the loop.

    :param store: a document store with async methods.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> AsyncOnlyStore(InMemoryDocumentStore()).count_documents()
    Traceback (most recent call last):
    AssertionError: count_documents was called, where count_documents_async should be.
    """

    def _wrapped(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        if not hasattr(self._store, f"{name}_async"):
            return method

        def refused(*_args: Any, **_kwargs: Any) -> Any:
            raise AssertionError(f"{name} was called, where {name}_async should be.")

        return refused


class PlainStore(Serializable):
    """Offers the six methods that every document store has, and nothing else: as a store of somebody else may.

    :param store: the store behind it.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> hasattr(PlainStore(InMemoryDocumentStore()), "get_documents_by_id")
    False
    """

    def __init__(self, store: DocumentStore) -> None:
        self.store = store

    def count_documents(self) -> int:
        """Return how many documents the store holds."""
        return self.store.count_documents()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""
        return self.store.filter_documents(filters)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Return how many documents were written."""
        return self.store.write_documents(documents, policy)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids."""
        self.store.delete_documents(document_ids)
