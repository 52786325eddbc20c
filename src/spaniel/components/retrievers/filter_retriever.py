"""Retrieval by metadata alone."""

from functools import partial
from typing import Any

from spaniel.components.retrievers.base import StoreRetriever, validate_min_score, validate_store
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import fetch_matching, run_stage


@component
class FilterRetriever(StoreRetriever):
    """Returns the documents of any store that match a filter, in store order.

    :param document_store: the store.
    :param filters: what documents must match, where a run gives no filter.
    :param min_score: what a document that has a score must score.
    :raises ValueError: `min_score` is no number.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="Hello", meta={"lang": "en"}), Document(content="Hallo", meta={"lang": "de"})])
    2
    >>> retriever = FilterRetriever(store, filters={"field": "meta.lang", "operator": "==", "value": "de"})
    >>> [document.content for document in retriever.run()["documents"]]
    ['Hallo']
    """

    def __init__(
        self,
        document_store: SyncDocumentStore,
        filters: dict[str, Any] | None = None,
        *,
        min_score: float | None = None,
    ) -> None:
        self.document_store = validate_store(document_store)
        self.filters = copy_value(filters)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, filters: dict[str, Any] | None = None) -> Program[dict[str, list[Document]]]:
        """Return the matching documents under ``documents``.

        :param filters: instead of the constructor's; ``{}`` matches all.
        :raises FilterError: the filter is malformed.
        """
        chosen = self.filters if filters is None else filters
        matching = partial(fetch_matching, filters=chosen, min_score=self.min_score)
        return {"documents": (yield from run_stage(matching, self.document_store, FilterRetriever.__name__))}

    run_async = async_method(run)
