"""Adapter: a store of Haystack or of one of its integrations for components of Spaniel."""

import inspect
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from haystack.core.errors import DeserializationError as TheirDeserializationError
from haystack.core.serialization import import_class_by_name

from spaniel.core.haystack_names import is_haystack_name
from spaniel.core.known_types import resolve_serializable_class
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.validation import validate_count
from spaniel.errors import DeserializationError, UnknownTypeError, WrongStoreError
from spaniel.interop.haystack.boundary import FROM_SPANIEL
from spaniel.interop.haystack.search_methods import call_arguments, family_of

logger = logging.getLogger(__name__)

_METHODS = ("count_documents", "filter_documents", "write_documents", "delete_documents")
_TOP_K = 10
_SEARCHES = {"bm25_retrieval": "bm25", "embedding_retrieval": "embedding"}


class HaystackStore(Serializable):
    """Wraps a store of Haystack for retrievers and writers of Spaniel.

    It has the public methods of the store; documents, policies and errors are Spaniel's. If the
    store can search, it also has `bm25_retrieval` and `embedding_retrieval` (table in
    docs/interop.md).

    :param store: a store that was written for Haystack, such as its ``InMemoryDocumentStore`` or
        one of an integration.
    :raises WrongStoreError: it is not one.

    >>> from haystack.document_stores.in_memory import InMemoryDocumentStore
    >>> from spaniel.components.retrievers import BM25Retriever
    >>> store = HaystackStore(InMemoryDocumentStore())
    >>> store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> [document.content for document in BM25Retriever(store, top_k=1).run("apple")["documents"]]
    ['red apple']
    """

    def __init__(self, store: Any) -> None:
        if isinstance(store, (HaystackStore, type)) or any(
            not callable(getattr(store, name, None)) for name in _METHODS
        ):
            raise WrongStoreError(
                f"HaystackStore takes a document store of Haystack, with the methods {', '.join(_METHODS)}, not {store!r:.100}."
            )
        self.store = store
        self._family = family_of(store)

    def count_documents(self) -> int:
        """Return the number of stored documents."""
        return FROM_SPANIEL.wrap(self.store.count_documents)()  # type: ignore[no-any-return]  # the protocol's method

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the matching documents, all without a filter, up to the maximum of the store.

        :raises FilterError: the store rejects the filter.
        """
        return FROM_SPANIEL.wrap(self.store.filter_documents, self._clean_filtered)(filters=filters)  # type: ignore[no-any-return]  # as above

    def write_documents(
        self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE, **options: Any
    ) -> int:
        """Write documents, and return the number that the store reports.

        :param documents: any iterable of documents.
        :param policy: policy for ids that are stored already; ``NONE`` is the store's default.
        :param options: options of the store's own method, such as ``refresh``.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is stored already. Some
            stores have written the documents before it.
        """
        write = FROM_SPANIEL.wrap(self.store.write_documents)
        return write(documents=list(documents), policy=policy, **options)  # type: ignore[no-any-return]  # as above

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Delete documents by id."""
        FROM_SPANIEL.wrap(self.store.delete_documents)(list(document_ids))

    def __getattr__(self, name: str) -> Any:
        if name in ("store", "_family"):  # unset while a copy is being made
            raise AttributeError(name)
        plain = name.removesuffix("_async")
        if plain in _SEARCHES:
            search = getattr(self._family, _SEARCHES[plain])
            method = None if search is None else getattr(self.store, search.method + name.removeprefix(plain), None)
            if method is None:
                raise AttributeError(f"{type(self.store).__name__} has no method for {name}.")
            return _wrap_search(method, batched=search.batched)
        then = self._clean_filtered if plain == "filter_documents" else None
        method = FROM_SPANIEL.wrap_method(self.store, name, then)
        if plain == "get_documents_by_id":  # the stores name the argument differently
            return lambda document_ids: method(list(document_ids))
        return method

    def _clean_filtered(self, documents: list[Document]) -> list[Document]:
        if self._family.scores_filtered:
            for document in documents:
                document.__dict__["score"] = None  # the document is not shared yet
        if len(documents) == self._family.max_filtered:
            logger.warning(
                "%s returns at most %d documents for a filter, and has returned as many: there may be more. Stores of Spaniel return all.",
                type(self.store).__name__,
                len(documents),
            )
        return documents

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialize the store.

        :raises DeserializationError: the store's class is unknown, or neither of Haystack nor of an
            allowed module (`spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = data.get("init_parameters") or {}
        inner = parameters.get("store")
        if not isinstance(inner, dict) or "type" not in inner:
            raise DeserializationError(f"HaystackStore needs the data of its 'store', with a 'type', not {inner!r}.")
        found = _resolve_class(inner["type"])
        return default_from_dict(cls, {**data, "init_parameters": {**parameters, "store": found.from_dict(inner)}})


def _resolve_class(name: str) -> Any:
    if not is_haystack_name(name):
        return resolve_serializable_class(name)
    try:
        return import_class_by_name(name)
    except (ImportError, TheirDeserializationError) as error:
        raise UnknownTypeError(f"There is no store '{name}' in the installed packages of Haystack: {error}") from error


def _wrap_search(method: Callable[..., Any], *, batched: bool) -> Callable[..., Any]:
    """Wrap a store's search, sync or async, with the arguments and the result of Spaniel's."""
    call = FROM_SPANIEL.wrap(method)

    def request(query: Any, options: dict[str, Any]) -> Any:
        count = validate_count("top_k", options.get("top_k", _TOP_K))
        arguments = call_arguments(method, {**options, "top_k": max(count, 1)})  # some reject 0
        return call([query] if batched else query, **arguments)

    def convert(found: Any, options: dict[str, Any]) -> list[Document]:
        documents = (found[0] if batched else found)[: options.get("top_k", _TOP_K)]
        return documents if options.get("return_embedding", True) else Document.copies_of(documents, embedding=False)

    def search(query: Any = None, **options: Any) -> list[Document]:
        query = _query(query, options)
        return convert(request(query, options), options)

    async def search_async(query: Any = None, **options: Any) -> list[Document]:
        query = _query(query, options)
        return convert(await request(query, options), options)

    return search_async if inspect.iscoroutinefunction(method) else search


def _query(query: Any, options: dict[str, Any]) -> Any:
    vector = options.pop("query_embedding", query)
    if not isinstance(vector, str):
        return as_vector(vector, "the query").tolist()
    if not vector:
        raise ValueError("Query should be a non-empty string, not ''.")
    return vector
