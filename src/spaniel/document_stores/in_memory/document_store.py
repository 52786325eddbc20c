"""The in-memory document store."""

import logging
import uuid
import weakref
from collections.abc import Iterable, Mapping, MutableMapping
from concurrent.futures import Executor
from functools import partial
from os import PathLike
from typing import ClassVar, Self

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.document_store import EmbeddedDocumentStore
from spaniel.document_stores.embedded.indexing import (
    SEARCH_SCOPES,
    STANDARD,
    Analyzer,
    IndexSettings,
    SearchScope,
    validate_analyzer,
    validate_fields,
)
from spaniel.document_stores.embedded.scoring import BM25Algorithm, Similarity, VectorSearch
from spaniel.document_stores.embedded.tokenizers import DEFAULT_REGEX
from spaniel.document_stores.embedded.writer import is_small_write
from spaniel.document_stores.in_memory import saved_file
from spaniel.document_stores.in_memory.memory_state import MemoryState
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_choice, validate_documents
from spaniel.errors import StoreFileError

logger = logging.getLogger(__name__)


class InMemoryDocumentStore(EmbeddedDocumentStore):
    """Keeps documents in memory, with exact keyword and vector search.

    Documents are copied when they are written or returned. Any number of threads may read beside
    a writer; a write is seen wholly or not at all. Async methods read in threads; async
    writes take effect in the order of the calls.

    :param bm25_tokenization_regex: pattern of a token, applied to the text in lower case and NFC.
    :param bm25_algorithm: ``BM25Okapi``, ``BM25L`` or ``BM25Plus``.
    :param bm25_parameters: finite numbers ``k1``, ``b``, and ``epsilon`` (Okapi) or ``delta`` (L,
        Plus), if not the defaults. Other names have no effect.
    :param embedding_similarity_function: ``dot_product`` or ``cosine``.
    :param index: name of the documents, which stores of that name share. Default: a unique name.
    :param shared: share the documents with the other stores of this process under that name.
    :param async_executor: threads for async reads; default: those of the event loop.
    :param return_embedding: return documents with their embedding.
    :param strict_datetime_comparison: in filters, naive dates never equal dates with a time zone.
    :param search: ``all``, or ``leaves``: documents with children are stored and fetched, but not
        searched or in the statistics.
    :param analyzer: the words of texts and queries (docs/analyzers.md): ``standard``, Haystack's;
        a language such as ``english``, ``auto``, ``cjk`` or ``code``; a compiled regular
        expression; or a function from text to tokens.
    :param fields: metadata keys whose words are searched too, with their weights. Keys of one
        weight are one field. With fields, or an analyzer of words, scores are those of
        docs/scores.md.
    :param vector_search: ``exact``, or ``approximate``: faster over many vectors, but may miss some
        of the best (at most 1 in 30 in measurements).
    :raises ValueError: an option has an unknown value, a BM25 parameter is not a number, or the
        documents of that name are indexed with other settings.

    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> [document.content for document in store.bm25_retrieval("apple")]
    ['red apple']
    """

    _state: MemoryState
    _own_options = frozenset({"bm25_tokenization_regex", "search", "analyzer", "fields", "vector_search"})
    # Named documents live as long as the process, unnamed ones as long as a store of them.
    _named: ClassVar[dict[str, MemoryState]] = {}
    _unnamed: ClassVar[weakref.WeakValueDictionary[str, MemoryState]] = weakref.WeakValueDictionary()

    def __init__(
        self,
        bm25_tokenization_regex: str = DEFAULT_REGEX,
        bm25_algorithm: BM25Algorithm = "BM25L",
        bm25_parameters: Mapping[str, float] | None = None,
        embedding_similarity_function: Similarity = "dot_product",
        index: str | None = None,
        shared: bool = True,
        async_executor: Executor | None = None,
        return_embedding: bool = True,
        *,
        strict_datetime_comparison: bool = False,
        search: SearchScope = "all",
        analyzer: Analyzer = STANDARD,
        fields: Mapping[str, float] | None = None,
        vector_search: VectorSearch = "exact",
    ) -> None:
        super().__init__(
            bm25_algorithm=bm25_algorithm,
            bm25_parameters=bm25_parameters,
            embedding_similarity_function=embedding_similarity_function,
            vector_search=vector_search,
            async_executor=async_executor,
            return_embedding=return_embedding,
            strict_datetime_comparison=strict_datetime_comparison,
        )
        validate_choice("search", search, SEARCH_SCOPES)
        validate_analyzer(analyzer)
        self.shared = shared
        self.index = str(uuid.uuid4()) if index is None else index
        indexing = IndexSettings(search, analyzer, bm25_tokenization_regex, validate_fields(fields))
        indexing.tokenizer  # noqa: B018 (a wrong pattern raises now)
        state = MemoryState(indexing)
        self._attach(self._share(state, self._unnamed if index is None else self._named) if shared else state)

    def _share(self, state: MemoryState, registry: MutableMapping[str, MemoryState]) -> MemoryState:
        """Return the registered state of this index, which is `state` if there is none."""
        found = self._unnamed.get(self.index) or registry.setdefault(self.index, state)
        if found.indexing != state.indexing:
            raise ValueError(
                f"The documents of index '{self.index}' are indexed with {found.indexing}, but this store asks for "
                f"{state.indexing}. Use the same settings, another index, or shared=False."
            )
        return found

    def write_documents(self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Return the number of written documents: all that were not skipped, or an error and none.

        :param documents: any iterable of documents.
        :param policy: handling of ids stored already, or twice in the batch; ``NONE`` is ``FAIL``.
        :raises ValueError: an item is not a document, or an embedding is not a finite vector.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is stored already.
        """
        written, skipped = self._state.write(validate_documents(documents), DuplicatePolicy(policy))
        for id in skipped:
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        return written

    async def write_documents_async(
        self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Run `write_documents` without blocking the event loop."""
        batch = validate_documents(documents)
        return await self._state.writer.run(partial(self.write_documents, batch, policy), small=is_small_write(batch))

    def shutdown(self) -> None:
        """Wait for queued async writes and for merges. The store can still be used."""
        super().shutdown()
        self._state.merger.wait()

    def save_to_disk(self, path: str | PathLike[str]) -> None:
        """Write the settings and all documents to a file, wholly or not at all.

        :raises StoreFileError: a metadata value can't be written. The old file stays.
        :raises SerializationError: `analyzer` is a function without an importable name. The old
            file stays.
        """
        documents = [saved_file.document_to_fields(document) for _, document in self._state.all()]
        saved_file.write_file(path, {**self.to_dict(), "documents": documents})

    @classmethod
    def load_from_disk(cls, path: str | PathLike[str]) -> Self:
        """Return the store that `save_to_disk` wrote, joined with open documents of its index.

        :raises FileNotFoundError: the file does not exist.
        :raises StoreFileError: the file is damaged, or not a saved store.
        :raises DeserializationError: the class is another, or its `analyzer` is not allowed.
        """
        data = saved_file.read_file(path)
        try:
            documents = [Document.from_dict(fields) for fields in data.pop("documents")]
            store = cls.from_dict(data)
            store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise StoreFileError(f"{path} is not a saved store: {error}") from error
        return store
