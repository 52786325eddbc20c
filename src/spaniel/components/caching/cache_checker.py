"""Which items have documents in a store already?"""

from functools import partial
from typing import Any

from spaniel.components.lifecycle import StoreComponent
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies.cache_lookup import find_cached
from spaniel.strategies.stages import run_stage


@component
class CacheChecker(StoreComponent):
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
    @sync_method
    def run(self, items: list[Any]) -> Program[dict[str, Any]]:
        """Return the documents found under ``hits``, in the order of the items, and the other items under ``misses``.

        :param items: values that documents may have under `cache_field`.
        :raises TypeError: `run_async` is called, and the store has no async methods.
        """
        checked = partial(find_cached, items, cache_field=self.cache_field)
        return (yield from run_stage(checked, self.document_store, CacheChecker.__name__, needs_async=True))

    run_async = async_method(run)
