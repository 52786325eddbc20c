"""Look-up of items in a document store."""

from functools import partial
from typing import Any

from spaniel.components.lifecycle import StoreComponent
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.json_types import Json
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies.cache_lookup import find_cached
from spaniel.strategies.stages import run_stage


@component
class CacheChecker(StoreComponent):
    """Finds the documents of items, such as addresses, in a store, and the items without any.

    All items are looked up in a single request.

    :param document_store: the store.
    :param cache_field: the metadata key of a document's item. Values are compared as by the filter
        ``==``: a list is not equal to its elements.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="known", meta={"url": "https://example.org/1"})])
    1
    >>> checked = CacheChecker(store, "url").run(["https://example.org/1", "https://example.org/2"])
    >>> [document.content for document in checked["hits"]], checked["misses"]
    (['known'], ['https://example.org/2'])
    """

    document_store: SyncDocumentStore

    def __init__(self, document_store: SyncDocumentStore, cache_field: str) -> None:
        self.document_store = document_store
        self.cache_field = cache_field

    @component.output_types(hits=list[Document], misses=list)
    @sync_method
    def run(self, items: list[Json]) -> Program[dict[str, Any]]:
        """Return the documents under ``hits``, and the items without documents under ``misses``.

        :param items: values of `cache_field`.
        :raises TypeError: `run_async` is called, and the store has no async methods.
        """
        look_up = partial(find_cached, items, cache_field=self.cache_field)
        return (yield from run_stage(look_up, self.document_store, CacheChecker.__name__, needs_async=True))

    run_async = async_method(run)
