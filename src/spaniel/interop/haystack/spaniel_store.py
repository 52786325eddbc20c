"""Adapter: a store of Spaniel for components of Haystack."""

from collections.abc import Sequence
from typing import Any, Self

from haystack.core.serialization import default_to_dict
from haystack.dataclasses import Document
from haystack.document_stores.types import DuplicatePolicy

from spaniel.core.known_types import allow_modules
from spaniel.core.serialization import default_from_dict
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.interop.haystack.boundary import FROM_HAYSTACK
from spaniel.interop.haystack.trusted_modules import find_trusted_modules


class SpanielStore:
    """The document store that `as_haystack_store` returns, with all public methods of the wrapped
    store.

    :param store: a document store of Spaniel.
    """

    def __init__(self, store: SyncDocumentStore) -> None:
        self.store = store

    def count_documents(self) -> int:
        """Return the number of stored documents."""
        return FROM_HAYSTACK.wrap(self.store.count_documents)()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the matching documents in store order; all without a filter.

        :raises haystack.errors.FilterError: the filter is malformed.
        """
        return FROM_HAYSTACK.wrap(self.store.filter_documents)(filters)  # type: ignore[return-value]  # converted

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE, **options: Any
    ) -> int:
        """Write documents, all or none, and return the number of those that were not skipped.

        :param documents: documents of Haystack.
        :param policy: policy for ids that are stored already; ``NONE`` is the store's default.
        :param options: options of the store's own method, such as ``refresh``.
        :raises haystack.document_stores.errors.DuplicateDocumentError: the policy is ``FAIL`` and
            an id is stored already.
        """
        return FROM_HAYSTACK.wrap(self.store.write_documents)(documents, policy, **options)  # type: ignore[arg-type]  # converted

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Delete documents by id; unknown ids are ignored."""
        FROM_HAYSTACK.wrap(self.store.delete_documents)(list(document_ids))

    def __getattr__(self, name: str) -> Any:
        if name == "store":  # unset while a copy is being made
            raise AttributeError(name)
        return FROM_HAYSTACK.wrap_method(self.store, name)

    def to_dict(self) -> dict[str, Any]:
        """Serialize the store's settings, not its documents."""
        return default_to_dict(self, store=self.store)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialize the store.

        :raises spaniel.errors.DeserializationError: the store's class is unknown, or its module is
            not allowed.
        """
        with allow_modules(find_trusted_modules(data)):
            return default_from_dict(cls, data)


def as_haystack_store(store: SyncDocumentStore) -> SpanielStore:
    """Wrap a store for components of Haystack, such as its ``DocumentWriter``.

    It takes and returns Haystack's documents, policies and errors. Load a saved pipeline with
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
