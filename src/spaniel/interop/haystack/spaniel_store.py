"""A store of Spaniel's as a store that Haystack's components take."""

from collections.abc import Sequence
from typing import Any, Self

from haystack.core.serialization import default_to_dict
from haystack.dataclasses import Document
from haystack.document_stores.types import DuplicatePolicy

from spaniel.core.known_types import allow_modules
from spaniel.core.serialization import default_from_dict
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.interop.haystack.allowed import allowed_by_haystack
from spaniel.interop.haystack.border import FROM_HAYSTACK


class SpanielStore:
    """The document store that `as_haystack_store` returns; it offers all public methods of the store, async ones too.

    :param store: a document store of Spaniel.
    """

    def __init__(self, store: SyncDocumentStore) -> None:
        self.store = store

    def count_documents(self) -> int:
        """Return how many documents the store holds."""
        return FROM_HAYSTACK.across(self.store.count_documents)()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them.

        :raises haystack.errors.FilterError: the filter is malformed.
        """
        return FROM_HAYSTACK.across(self.store.filter_documents)(filters)  # type: ignore[return-value]  # converted

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE, **options: Any
    ) -> int:
        """Return how many documents were written: all that were not skipped, or an error and none.

        :param documents: Haystack's.
        :param policy: what happens with an id that is stored already; ``NONE`` means what the store means by it.
        :param options: those of the store's own method, such as ``refresh``.
        :raises haystack.document_stores.errors.DuplicateDocumentError: the policy is ``FAIL`` and an id is there already.
        """
        return FROM_HAYSTACK.across(self.store.write_documents)(documents, policy, **options)  # type: ignore[arg-type]  # converted

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Delete the documents with these ids; ids that the store does not hold are ignored."""
        FROM_HAYSTACK.across(self.store.delete_documents)(list(document_ids))

    def __getattr__(self, name: str) -> Any:
        if name == "store":  # not there yet: a copy is being made
            raise AttributeError(name)
        return FROM_HAYSTACK.method_of(self.store, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the store's settings, not its documents, as plain data."""
        return default_to_dict(self, store=self.store)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return a store with the settings that `to_dict` wrote.

        :raises spaniel.errors.DeserializationError: the store's class is unknown, or its module is not allowed.
        """
        with allow_modules(allowed_by_haystack(data)):
            return default_from_dict(cls, data)


def as_haystack_store(store: SyncDocumentStore) -> SpanielStore:
    """Return a document store for Haystack's components: its ``DocumentWriter``, ``FilterRetriever`` and others.

    It takes and gives Haystack's documents, policies and errors. A pipeline that was saved with it is loaded with
    ``Pipeline.loads(text, allowed_modules=["spaniel"])``.

    :param store: any document store of Spaniel.

    >>> from haystack.components.writers import DocumentWriter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> DocumentWriter(as_haystack_store(store)).run([Document(content="a")])
    {'documents_written': 1}
    >>> store.count_documents()
    1
    """
    return SpanielStore(store)
