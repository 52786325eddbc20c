"""The in-memory document store: how it is set up, written to, and kept in a file."""

import logging
import uuid
import weakref
from collections.abc import Iterable
from concurrent.futures import Executor
from functools import partial
from os import PathLike
from typing import Any, ClassVar, Literal, Self

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.arguments import check_choice, checked_documents
from spaniel.document_stores.embedded.contents import CJK, SEARCH_SCOPES, Indexing, Tokenizer
from spaniel.document_stores.embedded.ranking import VECTOR_SEARCHES, check_ranking, checked_parameters
from spaniel.document_stores.embedded.tokenizers import DEFAULT_REGEX, regex_tokenizer
from spaniel.document_stores.embedded.writing import Writing, is_small
from spaniel.document_stores.in_memory import saved_file
from spaniel.document_stores.in_memory.contents import Contents
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import StoreFileError

logger = logging.getLogger(__name__)


class InMemoryDocumentStore(Writing, Serializable):
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
    :param vector_search: ``exact``, or ``approximate``: faster over many vectors, and some of the best may be
        missed (in measurements at most 1 in 30).
    :param bm25_tokenizer: text to tokens, in place of the regular expression, such as one that stems.
    :raises ValueError: an option is none of its values, a BM25 parameter is no number, or documents of that name are
        searched or cut into tokens otherwise.

    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> [document.content for document in store.bm25_retrieval("apple")]
    ['red apple']
    """

    _contents: Contents
    _own_options = frozenset({"search", "cjk", "bm25_tokenizer", "vector_search"})
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
        check_ranking(bm25_algorithm, embedding_similarity_function)
        check_choice("search", search, SEARCH_SCOPES)
        check_choice("cjk", cjk, CJK)
        check_choice("vector_search", vector_search, VECTOR_SEARCHES)
        self.bm25_tokenization_regex = bm25_tokenization_regex
        self.bm25_algorithm = bm25_algorithm
        self.bm25_parameters = checked_parameters(bm25_parameters or {})
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
        return await self._contents.writer.run(partial(self.write_documents, batch, policy), small=is_small(batch))

    def shutdown(self) -> None:
        """Wait for the async writes that are queued, and for merges. The store can still be used."""
        super().shutdown()
        self._contents.merging.wait()

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
