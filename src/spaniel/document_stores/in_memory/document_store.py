"""The in-memory document store: how it is set up, written to, and kept in a file."""

import logging
import math
import uuid
import weakref
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from os import PathLike
from typing import Any, ClassVar, Literal, Self

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import saved_file
from spaniel.document_stores.in_memory.arguments import check_choice, checked_documents, checked_ids, checked_number
from spaniel.document_stores.in_memory.contents import SEARCH_SCOPES, Contents, Indexing, Tokenizer
from spaniel.document_stores.in_memory.searching import Searching
from spaniel.document_stores.in_memory.tokenizers import DEFAULT_REGEX, regex_tokenizer
from spaniel.document_stores.in_memory.twins import write_in_turn
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import StoreFileError
from spaniel.filters import parse_filter

logger = logging.getLogger(__name__)

_ALGORITHMS = ("BM25Okapi", "BM25L", "BM25Plus")
_BM25_PARAMETERS = ("k1", "b", "delta", "epsilon")
_SIMILARITIES = ("dot_product", "cosine")
_CJK = ("characters", "bigrams")
_VECTOR_SEARCHES = ("exact", "approximate")
_SMALL_WRITE_DOCUMENTS, _SMALL_WRITE_ITEMS = 100, 20_000  # characters and numbers: a millisecond or two of work


class InMemoryDocumentStore(Searching, Serializable):
    """Keeps documents in memory, with exact keyword and vector search over them.

    What goes in or comes out is independent of the store. Any number of threads may read beside one that writes; a write
    is seen whole or not at all. The async methods read in threads; a small async write is done at its first step, so the
    order of calls is the order of their effect.

    :param bm25_tokenization_regex: what a token is; the text is in lower case and NFC when it is applied.
    :param bm25_algorithm: ``BM25Okapi``, ``BM25L`` or ``BM25Plus``.
    :param bm25_parameters: ``k1``, ``b``, and ``epsilon`` (Okapi) or ``delta`` (L, Plus), where not the usual ones; each a
        finite number. Other names have no effect.
    :param embedding_similarity_function: ``dot_product`` or ``cosine``.
    :param index: the name of the documents; stores of one name share them. Default: a name of its own.
    :param shared: whether other stores of this process may share them by that name.
    :param async_executor: runs what async methods read; default: the event loop's own threads.
    :param return_embedding: whether returned documents carry their embedding.
    :param strict_datetime_comparison: whether a date without a time zone never equals one with a zone in a filter.
    :param search: ``all``, or ``leaves``: documents with children are kept and fetched, but in no search and no statistic.
    :param cjk: ``characters``, or ``bigrams``: tokens of Chinese, Japanese and Korean text.
    :param vector_search: ``exact``, or ``approximate``: faster over many vectors, and about 1 in 50 of the best may
        be missed.
    :param bm25_tokenizer: text to tokens, in place of the regular expression, such as one that stems.
    :raises ValueError: an option is none of its values, a BM25 parameter is no number, or documents of that name are
        searched or cut into tokens otherwise.

    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> [document.content for document in store.bm25_retrieval("apple")]
    ['red apple']
    """

    _always_written = frozenset({"strict_datetime_comparison"})
    # Documents named by the caller live as long as the process, those of a random name as long as a store of them.
    _named: ClassVar[dict[str, Contents]] = {}
    _unnamed: ClassVar[weakref.WeakValueDictionary[str, Contents]] = weakref.WeakValueDictionary()

    def __init__(
        self,
        bm25_tokenization_regex: str = DEFAULT_REGEX,
        bm25_algorithm: Literal["BM25Okapi", "BM25L", "BM25Plus"] = "BM25L",
        bm25_parameters: dict[str, Any] | None = None,
        embedding_similarity_function: Literal["dot_product", "cosine"] = "dot_product",
        index: str | None = None,
        shared: bool = True,
        async_executor: Executor | None = None,
        return_embedding: bool = True,
        *,
        strict_datetime_comparison: bool = False,
        search: Literal["all", "leaves"] = "all",
        cjk: Literal["characters", "bigrams"] = "characters",
        bm25_tokenizer: Tokenizer | None = None,
        vector_search: Literal["exact", "approximate"] = "exact",
    ) -> None:
        if bm25_algorithm not in _ALGORITHMS:
            raise ValueError(f"BM25 algorithm '{bm25_algorithm}' is not supported. Choose one of {list(_ALGORITHMS)}.")
        check_choice("embedding_similarity_function", embedding_similarity_function, _SIMILARITIES)
        check_choice("search", search, SEARCH_SCOPES)
        check_choice("cjk", cjk, _CJK)
        check_choice("vector_search", vector_search, _VECTOR_SEARCHES)
        self.bm25_tokenization_regex = bm25_tokenization_regex
        self.bm25_algorithm = bm25_algorithm
        self.bm25_parameters = _checked_parameters(bm25_parameters or {})
        self.embedding_similarity_function = embedding_similarity_function
        self.shared = shared
        self.async_executor = async_executor
        self.return_embedding = return_embedding
        self.strict_datetime_comparison = strict_datetime_comparison
        self.search = search
        self.cjk = cjk
        self.bm25_tokenizer = bm25_tokenizer
        self.vector_search = vector_search
        self._tokenizer = bm25_tokenizer or regex_tokenizer(bm25_tokenization_regex)
        self.index = str(uuid.uuid4()) if index is None else index
        self._contents = self._open(self._unnamed if index is None else self._named)
        if vector_search == "approximate":
            self._contents.prepare_approximate_search()

    def _open(self, registry: dict[str, Contents] | weakref.WeakValueDictionary[str, Contents]) -> Contents:
        indexing = Indexing(self.search, self.cjk, self.bm25_tokenization_regex, self.bm25_tokenizer)
        contents = Contents(indexing, self._tokenizer)
        if not self.shared:
            return contents
        contents = self._unnamed.get(self.index) or registry.setdefault(self.index, contents)
        if contents.indexing != indexing:
            raise ValueError(
                f"The documents of index '{self.index}' are indexed with {contents.indexing}, but this store asks for "
                f"{indexing}. Use the same settings, another index, or shared=False."
            )
        return contents

    def _init_parameters(self) -> dict[str, Any]:
        parameters = super()._init_parameters()
        del parameters["async_executor"]  # threads can't be written down
        if self.bm25_tokenizer is not None:
            parameters["bm25_tokenizer"] = serialize_callable(self.bm25_tokenizer)
        return parameters

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the store that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or the module of `bm25_tokenizer` is not allowed (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = data.get("init_parameters") or {}
        if isinstance(name := parameters.get("bm25_tokenizer"), str):
            data = {**data, "init_parameters": {**parameters, "bm25_tokenizer": deserialize_callable(name)}}
        return default_from_dict(cls, data)

    # --- writing -----------------------------------------------------------------------------------------------------

    def write_documents(self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Return how many documents were written: all that were not skipped, or an error and none.

        :param documents: any iterable of documents.
        :param policy: what happens with an id that is stored already, or twice in the batch; ``NONE`` means ``FAIL``.
        :raises ValueError: something else than documents is given, or an embedding is no finite vector.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already.
        """
        written, skipped = self._contents.write(checked_documents(documents), DuplicatePolicy(policy))
        for id in skipped:
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        return written

    async def write_documents_async(
        self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Return what `write_documents` returns, without blocking the event loop."""
        batch = checked_documents(documents)
        return await self._contents.writer.run(partial(self.write_documents, batch, policy), small=_is_small(batch))

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
        self._contents.delete(checked_ids(document_ids))

    async def delete_documents_async(self, document_ids: Iterable[str]) -> None:
        """Do what `delete_documents` does, without blocking the event loop."""
        ids = checked_ids(document_ids)
        delete = partial(self.delete_documents, ids)
        await self._contents.writer.run(delete, small=len(ids) <= _SMALL_WRITE_DOCUMENTS)

    def delete_all_documents(self) -> None:
        """Delete every document."""
        self._contents.clear()

    delete_all_documents_async = write_in_turn(delete_all_documents)

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Return how many documents matched a filter and were deleted.

        :raises FilterError: the filter is malformed, or empty.
        """
        return self._contents.delete_matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)

    delete_by_filter_async = write_in_turn(delete_by_filter)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Return how many documents matched a filter and got `meta` merged into theirs; ids stay.

        :raises FilterError: the filter is malformed, or empty.
        :raises ValueError: `meta` is no dict.
        """
        if not isinstance(meta, Mapping):
            raise ValueError(f"meta must be a dict of what to change, not {type(meta).__name__}.")
        strict = self.strict_datetime_comparison
        return self._contents.update_matching(parse_filter(filters), meta, strict_dates=strict)

    update_by_filter_async = write_in_turn(update_by_filter)

    @property
    def executor(self) -> Executor:
        """What runs async methods: the executor that was given, else the thread of the async writes."""
        return self.async_executor or self._contents.writer.thread

    def shutdown(self) -> None:
        """Wait for the async writes that are queued. The store can still be used."""
        self._contents.writer.shutdown()

    # --- files -------------------------------------------------------------------------------------------------------

    def save_to_disk(self, path: str | PathLike[str]) -> None:
        """Write the settings and all documents to a file, whole or not at all.

        :raises StoreFileError: a document's metadata holds something that can't be written. The old file stays then.
        :raises SerializationError: `bm25_tokenizer` has no name to load it by. The old file stays then.
        """
        documents = [saved_file.fields_of(document) for _, document in self._contents.all()]
        saved_file.write_file(path, {**self.to_dict(), "documents": documents})

    @classmethod
    def load_from_disk(cls, path: str | PathLike[str]) -> Self:
        """Return the store that `save_to_disk` wrote. Documents that this process holds under its index stay.

        :raises FileNotFoundError: there is no such file.
        :raises StoreFileError: it is damaged, or no saved store.
        :raises DeserializationError: it is of another class, or its `bm25_tokenizer` is not allowed.
        """
        data = saved_file.read_file(path)
        try:
            documents = [Document.from_dict(fields) for fields in data.pop("documents")]
            store = cls.from_dict(data)
            store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise StoreFileError(f"{path} is no saved store: {error}") from error
        return store


def _checked_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    for name in _BM25_PARAMETERS:
        if name in parameters and not math.isfinite(checked_number(f"bm25_parameters[{name!r}]", parameters[name])):
            raise ValueError(f"bm25_parameters[{name!r}] must be finite, but is {parameters[name]}.")
    # Haystack takes any names, so this is no error.
    if unknown := [name for name in parameters if name not in _BM25_PARAMETERS]:
        logger.warning("bm25_parameters %s have no effect; the names are %s.", unknown, list(_BM25_PARAMETERS))
    return parameters


def _is_small(documents: list[Document]) -> bool:
    items = sum(len(document.content or "") + len(document.embedding or ()) for document in documents)
    return len(documents) <= _SMALL_WRITE_DOCUMENTS and items <= _SMALL_WRITE_ITEMS
