"""Retrieval by metadata alone."""

from functools import partial

from spaniel.components.retrievers.base import StoreRetriever, validate_min_score
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.json_types import Filters
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import fetch_matching


@component
class FilterRetriever(StoreRetriever):
    """Returns the documents of any store that match a filter, in store order.

    :param document_store: the store.
    :param filters: the filter of a run that gives none.
    :param min_score: the minimum score of a returned document; documents without a score pass.
    :raises ValueError: `min_score` is not a number.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="Hello", meta={"lang": "en"}), Document(content="Hallo", meta={"lang": "de"})])
    2
    >>> retriever = FilterRetriever(store, filters={"field": "meta.lang", "operator": "==", "value": "de"})
    >>> [document.content for document in retriever.run()["documents"]]
    ['Hallo']
    """

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        filters: Filters | None = None,
        *,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store)
        self.filters = copy_value(filters)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, filters: Filters | None = None) -> Program[dict[str, list[Document]]]:
        """Return the matching documents under ``documents``.

        :param filters: overrides the constructor's; ``{}`` matches all.
        :raises FilterError: the filter is malformed.
        """
        chosen = self.filters if filters is None else filters
        matching = partial(fetch_matching, filters=chosen, min_score=self.min_score)
        return (yield from self._run_stage(matching))

    run_async = async_method(run)
