"""Which items have documents in a store already?"""

from functools import partial
from typing import Any

from spaniel.components.retrievers.over_store import OverStore
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.strategies.cached import cached
from spaniel.strategies.driver import drive, drive_async
from spaniel.strategies.requests import Strategy


@component
class CacheChecker(OverStore):
    """Returns the documents that a store has for some items, such as addresses, and the items that it has none for.

    The store is asked once, however many items there are.

    :param document_store: the store.
    :param cache_field: the metadata key under which the documents name their item. Values are equal as in the filter
        ``==``: a document whose value is a list has no item among its elements.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="known", meta={"url": "https://example.org/1"})])
    1
    >>> checked = CacheChecker(store, "url").run(["https://example.org/1", "https://example.org/2"])
    >>> [document.content for document in checked["hits"]], checked["misses"]
    (['known'], ['https://example.org/2'])
    """

    def __init__(self, document_store: SyncDocumentStore, cache_field: str) -> None:
        self.document_store = document_store
        self.cache_field = cache_field

    @component.output_types(hits=list[Document], misses=list)
    def run(self, items: list[Any]) -> dict[str, Any]:
        """Return the documents found under ``hits``, in the order of the items, and the other items under ``misses``.

        :param items: values that documents may have under `cache_field`.
        """
        return drive(self._check(items), self.document_store, _NAME)

    @component.output_types(hits=list[Document], misses=list)
    async def run_async(self, items: list[Any]) -> dict[str, Any]:
        """Return what `run` returns.

        :raises TypeError: the store has no ``filter_documents_async``.
        """
        if not hasattr(self.document_store, "filter_documents_async"):
            raise TypeError(
                f"Document store {type(self.document_store).__name__} does not provide async support: it has no "
                "'filter_documents_async'. Use run."
            )
        return await drive_async(self._check(items), self.document_store, _NAME)

    def _check(self, items: list[Any]) -> Strategy[dict[str, Any]]:
        return partial(cached, items, cache_field=self.cache_field)


_NAME = CacheChecker.__name__
