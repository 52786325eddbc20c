"""Writes documents into a store."""

from typing import Any, Self

from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.types import DuplicatePolicy, SyncDocumentStore
from spaniel.errors import DeserializationError


@component
class DocumentWriter(Serializable):
    """Writes documents into a store and says how many it wrote.

    :param document_store: any document store.
    :param policy: what happens with an id that the store holds already; ``NONE`` leaves it to the store.

    >>> from spaniel import Document
    >>> class ListStore:
    ...     def write_documents(self, documents, policy):
    ...         return len(documents)
    >>> DocumentWriter(ListStore()).run([Document(content="a"), Document(content="b")])
    {'documents_written': 2}
    """

    def __init__(self, document_store: SyncDocumentStore, policy: DuplicatePolicy = DuplicatePolicy.NONE) -> None:
        self.document_store = document_store
        self.policy = policy

    @component.output_types(documents_written=int)
    def run(self, documents: list[Document], policy: DuplicatePolicy | None = None) -> dict[str, int]:
        """Return how many documents were written.

        :param documents: what to write.
        :param policy: for this call; None means the constructor's.
        :returns: ``{"documents_written": n}``.
        """
        written = self.document_store.write_documents(documents=documents, policy=policy or self.policy)
        return {"documents_written": written}

    @component.output_types(documents_written=int)
    async def run_async(self, documents: list[Document], policy: DuplicatePolicy | None = None) -> dict[str, int]:
        """Return how many documents were written, without blocking the event loop.

        :param documents: what to write.
        :param policy: for this call; None means the constructor's.
        :returns: ``{"documents_written": n}``.
        :raises TypeError: the store has no ``write_documents_async``.
        """
        write = getattr(self.document_store, "write_documents_async", None)
        if write is None:
            raise TypeError(
                f"Document store {type(self.document_store).__name__} does not provide async support: it has no "
                "'write_documents_async'. Use run."
            )
        return {"documents_written": await write(documents=documents, policy=policy or self.policy)}

    def close(self) -> None:
        """Close the store, if it can be closed."""
        if hasattr(self.document_store, "close"):
            self.document_store.close()

    async def close_async(self) -> None:
        """Close the store's asynchronous side, if it can be closed."""
        if hasattr(self.document_store, "close_async"):
            await self.document_store.close_async()

    def _init_parameters(self) -> dict[str, Any]:
        return {**super()._init_parameters(), "policy": self.policy.name}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the writer that `to_dict` wrote.

        :raises DeserializationError: the store is missing or of an unknown type, or the policy has an unknown name.
        """
        parameters = data.get("init_parameters") or {}
        if "policy" in parameters:
            data = {**data, "init_parameters": {**parameters, "policy": _policy_named(parameters["policy"])}}
        return default_from_dict(cls, data)


def _policy_named(name: object) -> DuplicatePolicy:
    try:
        return DuplicatePolicy[str(name)]
    except KeyError as error:
        names = [policy.name for policy in DuplicatePolicy]
        raise DeserializationError(f"There is no duplicate policy {name!r}; there are {names}.") from error
