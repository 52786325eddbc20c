"""Wrappers of document stores for tests of stores and components."""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.document_stores.types import DocumentStore, DuplicatePolicy, SyncDocumentStore
from spaniel.json_types import Filters

__all__ = ["AsyncOnlyStore", "CountingStore", "PlainStore"]

if TYPE_CHECKING:
    from spaniel.document_stores.in_memory import InMemoryDocumentStore as _Store  # with the most methods
else:
    _Store = object

Method = Callable[..., Any]


class _Wrapper(_Store):
    """Forwards everything to a store, and is an instance of its class."""

    def __init__(self, store: SyncDocumentStore) -> None:
        self._store = store

    @property  # type: ignore[misc]  # as mocks do, so that retrievers of a kind of store accept its wrapper
    def __class__(self) -> type:
        return type(self._store)

    def __getattr__(self, name: str) -> Any:
        if name == "_store":  # not set yet: a copy is being made
            raise AttributeError(name)
        value = getattr(self._store, name)
        return self._wrap(name, value) if inspect.isroutine(value) and not name.startswith("_") else value

    def _wrap(self, name: str, method: Method) -> Method:
        raise NotImplementedError


class CountingStore(_Wrapper):
    """A store that counts the calls of its methods, sync and async.

    :param store: any document store.

    >>> from spaniel.components.retrievers import FilterRetriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = CountingStore(InMemoryDocumentStore())
    >>> FilterRetriever(store).run()
    {'documents': []}
    >>> store.calls
    Counter({'filter_documents': 1})
    """

    def __init__(self, store: SyncDocumentStore) -> None:
        super().__init__(store)
        self._log: list[str] = []  # appending is safe in threads, counting is not

    @property
    def calls(self) -> Counter[str]:
        """The number of calls per method."""
        return Counter(self._log)

    def forget(self) -> None:
        """Reset the counts."""
        self._log.clear()

    def _wrap(self, name: str, method: Method) -> Method:
        def count(*args: Any, **kwargs: Any) -> Any:
            self._log.append(name)
            return method(*args, **kwargs)

        return count


class AsyncOnlyStore(_Wrapper):
    """A store whose sync methods raise if they have an async counterpart, as they would block.

    :param store: a document store with async methods.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> AsyncOnlyStore(InMemoryDocumentStore()).count_documents()
    Traceback (most recent call last):
    AssertionError: count_documents was called, where count_documents_async should be.
    """

    def _wrap(self, name: str, method: Method) -> Method:
        if not hasattr(self._store, f"{name}_async"):
            return method

        def fail(*_args: object, **_kwargs: object) -> None:
            raise AssertionError(f"{name} was called, where {name}_async should be.")

        return fail


class PlainStore(Serializable):
    """A store with the six required methods only, as third-party stores may be.

    :param store: the store behind it.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> hasattr(PlainStore(InMemoryDocumentStore()), "get_documents_by_id")
    False
    """

    def __init__(self, store: DocumentStore) -> None:
        self.store = store

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self.store.count_documents()

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""
        return self.store.filter_documents(filters)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write documents, and return their number."""
        return self.store.write_documents(documents, policy)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids."""
        self.store.delete_documents(document_ids)
