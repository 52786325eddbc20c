"""Writing of documents to a store."""

from typing import Self

from spaniel.components.lifecycle import StoreComponent
from spaniel.core.component import component
from spaniel.core.serialization import default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.types import DuplicatePolicy, SyncDocumentStore
from spaniel.errors import DeserializationError
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method


@component
class DocumentWriter(StoreComponent):
    """Writes documents to a store and returns the number of documents written.

    :param document_store: any document store.
    :param policy: handling of ids that the store already contains; ``NONE`` leaves it to the store.

    >>> from spaniel import Document
    >>> class ListStore:
    ...     def write_documents(self, documents, policy):
    ...         return len(documents)
    >>> DocumentWriter(ListStore()).run([Document(content="a"), Document(content="b")])
    {'documents_written': 2}
    """

    document_store: SyncDocumentStore

    def __init__(self, document_store: SyncDocumentStore, policy: DuplicatePolicy = DuplicatePolicy.NONE) -> None:
        self.document_store = document_store
        self.policy = policy

    @component.output_types(documents_written=int)
    @sync_method
    def run(self, documents: list[Document], policy: DuplicatePolicy | None = None) -> Program[dict[str, int]]:
        """Write documents, and return the number of documents written.

        :param documents: the documents.
        :param policy: overrides the constructor's.
        :returns: ``{"documents_written": n}``.
        :raises TypeError: `run_async` is called, and the store lacks ``write_documents_async``.
        """
        arguments = {"documents": documents, "policy": policy or self.policy}
        written = yield Call(self.document_store, SyncDocumentStore.write_documents, arguments, in_thread="forbid")
        return {"documents_written": written}

    run_async = async_method(run)

    def _init_parameters(self) -> JsonObject:
        return {**super()._init_parameters(), "policy": self.policy.name}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the writer that `to_dict` wrote.

        :raises DeserializationError: the store is missing or of an unknown type, or the policy has
            an unknown name.
        """
        parameters = data.get("init_parameters") or {}
        if "policy" in parameters:
            try:
                policy = DuplicatePolicy[str(parameters["policy"])]
            except KeyError as error:
                names = [policy.name for policy in DuplicatePolicy]
                message = f"There is no duplicate policy {parameters['policy']!r}; there are {names}."
                raise DeserializationError(message) from error
            data = {**data, "init_parameters": {**parameters, "policy": policy}}
        return default_from_dict(cls, data)
