"""A store of Haystack's, or of one of its integrations, as a store of Spaniel's."""

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
from spaniel.interop.haystack.border import FROM_SPANIEL
from spaniel.interop.haystack.searches import call_arguments, family_of

logger = logging.getLogger(__name__)

_METHODS = ("count_documents", "filter_documents", "write_documents", "delete_documents")
_TOP_K = 10
_SEARCHES = {"bm25_retrieval": "words", "embedding_retrieval": "vectors"}


class HaystackStore(Serializable):
    """Lets Spaniel's retrievers and writers use a store of Haystack's.

    It offers what the store offers, async methods too where it has them; documents, policies and errors are Spaniel's. It
    also has `bm25_retrieval` and `embedding_retrieval` where the store can search so (docs/interop.md has the table).

    :param store: a store that was written for Haystack, such as its ``InMemoryDocumentStore`` or one of an integration.
    :raises WrongStoreError: it is none.

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
        """Return how many documents the store holds."""
        return FROM_SPANIEL.across(self.store.count_documents)()  # type: ignore[no-any-return]  # the protocol's method

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match; without a filter all of them, or as many as the store gives at once.

        :raises FilterError: the store says that the filter is malformed, or can't be answered.
        """
        return FROM_SPANIEL.across(self.store.filter_documents, self._filtered)(filters=filters)  # type: ignore[no-any-return]  # as above

    def write_documents(
        self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE, **options: Any
    ) -> int:
        """Return how many documents the store says it wrote.

        :param documents: any iterable of documents.
        :param policy: what happens with an id that is stored already; ``NONE`` means what the store means by it.
        :param options: those of the store's own method, such as ``refresh``.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already. Some stores have written the
            documents before it then.
        """
        write = FROM_SPANIEL.across(self.store.write_documents)
        return write(documents=list(documents), policy=policy, **options)  # type: ignore[no-any-return]  # as above

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Delete the documents with these ids."""
        FROM_SPANIEL.across(self.store.delete_documents)(list(document_ids))

    def __getattr__(self, name: str) -> Any:
        if name in ("store", "_family"):  # not there yet: a copy is being made
            raise AttributeError(name)
        plain = name.removesuffix("_async")
        if plain in _SEARCHES:
            search = getattr(self._family, _SEARCHES[plain])
            method = None if search is None else getattr(self.store, search.method + name.removeprefix(plain), None)
            if method is None:
                raise AttributeError(f"{type(self.store).__name__} has no method for {name}.")
            return _searching(method, many=search.many)
        method = FROM_SPANIEL.method_of(self.store, name, self._filtered if plain == "filter_documents" else None)
        return _by_position(method) if plain == "get_documents_by_id" else method

    def _filtered(self, documents: list[Document]) -> list[Document]:
        if self._family.scores_filtered:
            for document in documents:
                document.__dict__["score"] = None  # nobody else has it yet
        if len(documents) == self._family.at_most:
            logger.warning(
                "%s gives at most %d documents to a filter, and gave as many: there may be more. A store of Spaniel gives all.",
                type(self.store).__name__,
                len(documents),
            )
        return documents

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the store that `to_dict` wrote.

        :raises DeserializationError: the store's class is unknown, or neither of Haystack nor of an allowed module (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = data.get("init_parameters") or {}
        inner = parameters.get("store")
        if not isinstance(inner, dict) or "type" not in inner:
            raise DeserializationError(f"HaystackStore needs the data of its 'store', with a 'type', not {inner!r}.")
        found = _their_class(inner["type"])
        return default_from_dict(cls, {**data, "init_parameters": {**parameters, "store": found.from_dict(inner)}})


def _by_position(look_up: Callable[[list[str]], Any]) -> Callable[..., Any]:
    """Return a look-up by id with the name that its argument has here; it has several there."""

    def get_documents_by_id(document_ids: Sequence[str]) -> Any:
        return look_up(list(document_ids))

    return get_documents_by_id


def _their_class(name: str) -> Any:
    """Return the class of a store, where it is Haystack's that one, not ours of the same meaning."""
    if not is_haystack_name(name):
        return resolve_serializable_class(name)
    try:
        return import_class_by_name(name)
    except (ImportError, TheirDeserializationError) as error:
        raise UnknownTypeError(f"There is no store '{name}' in what is installed of Haystack: {error}") from error


def _searching(method: Callable[..., Any], *, many: bool) -> Callable[..., Any]:
    """Return a store's search, sync or async as it is, with the arguments and the answer of Spaniel's."""
    call = FROM_SPANIEL.across(method)

    def asked(query: Any, options: dict[str, Any]) -> Any:
        count = validate_count("top_k", options.get("top_k", _TOP_K))
        arguments = call_arguments(method, {**options, "top_k": max(count, 1)})  # some refuse 0
        return call([query] if many else query, **arguments)

    def answered(found: Any, options: dict[str, Any]) -> list[Document]:
        documents = (found[0] if many else found)[: options.get("top_k", _TOP_K)]
        return documents if options.get("return_embedding", True) else Document.copies_of(documents, embedding=False)

    def searching(query: Any = None, **options: Any) -> list[Document]:
        query = _query(query, options)
        return answered(asked(query, options), options)

    async def searching_async(query: Any = None, **options: Any) -> list[Document]:
        query = _query(query, options)
        return answered(await asked(query, options), options)

    return searching_async if inspect.iscoroutinefunction(method) else searching


def _query(query: Any, options: dict[str, Any]) -> Any:
    """Return the words or the vector to search for; stores refuse whole numbers, and those of numpy."""
    vector = options.pop("query_embedding", query)
    if not isinstance(vector, str):
        return as_vector(vector, "the query").tolist()
    if not vector:
        raise ValueError("Query should be a non-empty string, not ''.")
    return vector
