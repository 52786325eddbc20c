"""The local document store."""

import asyncio
import logging
import os
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import Context
from functools import partial
from types import TracebackType
from typing import ClassVar, Self

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.async_methods import in_reader_thread, in_writer_thread
from spaniel.document_stores.embedded.document_store import EmbeddedDocumentStore
from spaniel.document_stores.embedded.indexing import Analyzer, SearchScope
from spaniel.document_stores.embedded.scoring import BM25Algorithm, Similarity, VectorSearch
from spaniel.document_stores.embedded.writer import is_small_write
from spaniel.document_stores.local.database.schema import EmbeddingType
from spaniel.document_stores.local.files import DEFAULT_ACCESS, FileAccess
from spaniel.document_stores.local.local_state import LocalState, Records
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.document_stores.local.locking.open_stores import open_folder, release_folder
from spaniel.document_stores.local.maintenance.jsonl import read_lines
from spaniel.document_stores.local.maintenance.operations import MaintenanceMethods
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_documents, validate_each, validate_number
from spaniel.errors import StoreLockedError

logger = logging.getLogger(__name__)


class LocalDocumentStore(MaintenanceMethods, EmbeddedDocumentStore):
    """Keeps documents in a folder, with exact keyword and vector search.

    A write that returned survives a crash of the process and of the machine; a write in flight is
    atomic. A single process at a time writes; any number may read meanwhile, and see every write.
    Stores of a process that open the same folder share their memory. A store that was opened before
    a fork can be read in the child.

    :param path: the folder, which is created if it is missing.
    :param bm25_algorithm: ``BM25Okapi``, ``BM25L`` or ``BM25Plus``.
    :param bm25_parameters: ``k1``, ``b``, and ``epsilon`` (Okapi) or ``delta`` (L, Plus).
    :param embedding_similarity_function: ``dot_product`` or ``cosine``.
    :param async_executor: threads for async reads; default: those of the event loop.
    :param return_embedding: return documents with their embedding.
    :param strict_datetime_comparison: in a filter, a date without a time zone never equals one with
        a zone.
    :param vector_search: ``exact``, or ``approximate``: faster over many vectors, but may miss some
        of the best (at most 1 in 30 in measurements).
    :param timeout: seconds that a write waits for other processes, and for other transactions.
    :param search: ``leaves``: documents with children are stored and fetched, but neither searched
        nor in any statistic; or ``all``. This and the following options are chosen when the folder
        is created, and stored in it; None accepts the stored value.
    :param analyzer: the words of texts and queries (docs/analyzers.md): ``standard`` (default),
        Haystack's; a language such as ``english``, ``auto``, ``cjk`` or ``code``; a compiled
        regular expression; or a function from text to tokens, of which the folder stores the name.
    :param fields: metadata keys whose words are searched too, with their weights. Keys of one
        weight are one field. With fields, or an analyzer of words, scores are those of
        docs/scores.md.
    :param bm25_tokenization_regex: pattern of a token, applied to the text in lower case and NFC.
    :param embedding_dtype: ``float16``, ``float32`` or ``float64`` to round embeddings. Default:
        they are stored exactly.
    :raises ValueError: an option has an unknown value.
    :raises DocumentStoreError: the folder can't be opened, is not a store, or has other settings.
    :raises StoreFileError: the store is damaged, or of another format.

    >>> import tempfile
    >>> from spaniel import Document
    >>> folder = tempfile.mkdtemp()
    >>> with LocalDocumentStore(folder) as store:
    ...     store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> with LocalDocumentStore(folder) as store:
    ...     [document.content for document in store.bm25_retrieval("apple")]
    ['red apple']
    """

    _state: LocalState
    _file_access: ClassVar[FileAccess] = DEFAULT_ACCESS  # tests inject failures here

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        bm25_algorithm: BM25Algorithm = "BM25L",
        bm25_parameters: Mapping[str, float] | None = None,
        embedding_similarity_function: Similarity = "dot_product",
        async_executor: Executor | None = None,
        return_embedding: bool = True,
        strict_datetime_comparison: bool = False,
        vector_search: VectorSearch = "exact",
        timeout: float = 10.0,
        search: SearchScope | None = None,
        analyzer: Analyzer | None = None,
        fields: Mapping[str, float] | None = None,
        bm25_tokenization_regex: str | None = None,
        embedding_dtype: EmbeddingType | None = None,
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
        self.path = os.fspath(path)
        self.timeout = validate_number("timeout", timeout)
        given = {
            "search": search,
            "analyzer": analyzer,
            "fields": fields,
            "bm25_tokenization_regex": bm25_tokenization_regex,
            "embedding_dtype": embedding_dtype,
        }
        folder_state = open_folder(self.path, given, self._file_access)
        self._close = self._release_when_collected(folder_state)
        self.embedding_dtype = folder_state.embedding_type
        self._attach(LocalState(folder_state, self.timeout))

    def write_documents(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Return the number of written documents: all that were not skipped, or an error and none.

        The call is a single transaction. It holds a batch of the documents at a time, so an
        iterator may yield more than fit into memory.

        :param documents: any iterable of documents.
        :param policy: handling of ids that are stored or given twice; ``NONE`` means ``FAIL``.
        :param progress: called after each batch with the number of documents so far. They are
            durable when the call returns.
        :raises ValueError: an item is not a document, or a document can't be stored.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is stored already.
        :raises StoreLockedError: another process is writing.
        :raises StoreWriteError: the disk is full or fails, or the folder is read-only.
        """
        checked = validate_documents(documents) if isinstance(documents, (list, tuple)) else validate_each(documents)
        written, skipped = self._state.write(checked, DuplicatePolicy(policy), progress)
        for id in skipped:
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        return written

    async def write_documents_async(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Write documents as `write_documents` does, without blocking the event loop.

        :param progress: called in the writer thread.
        """
        small = isinstance(documents, list) and is_small_write(validate_documents(documents))
        if small:
            documents = [document.independent_copy() for document in documents]
        write = partial(self.write_documents, documents, policy, progress=progress)
        return await self._state.writer.run(write, small=small)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes and deletions of the block as a single change, or roll them back.

        The block sees its own changes; others see them when the block ends. Inside it documents are
        fetched and filtered, but not ranked. Tasks and `asyncio.to_thread` calls that start inside
        belong to the transaction; other writers wait for its end. A nested transaction is a part
        that rolls back by itself.

        :raises StoreLockedError: another writer does not end within `timeout`; at once if waiting
            would block the event loop whose task has to end it.

        >>> import tempfile
        >>> from spaniel import Document
        >>> store = LocalDocumentStore(tempfile.mkdtemp())
        >>> with store.transaction():
        ...     store.delete_all_documents()
        ...     store.write_documents([Document(content="new")])
        1
        >>> store.close()
        """
        with self._state.transaction(is_block=True):
            yield

    @asynccontextmanager
    async def transaction_async(self) -> AsyncIterator[None]:
        """Commit the block as `transaction` does, without blocking the event loop.

        >>> import asyncio, tempfile
        >>> from spaniel import Document
        >>> async def main():
        ...     with LocalDocumentStore(tempfile.mkdtemp()) as store:
        ...         async with store.transaction_async():
        ...             await store.write_documents_async([Document(content="new")])
        ...         return await store.count_documents_async()
        >>> asyncio.run(main())
        1
        """
        async with self._state.folder_state.transaction_async(self.timeout):
            yield

    def exclusive(self) -> AbstractContextManager[None]:
        """Keep the lock between processes from the first write of the block until its end."""
        return self._state.folder_state.lock.hold()

    def add_lookup(self, key: str) -> None:
        """Index the texts of a metadata key, for ``==``, ``in`` and `get_documents_by_key`.

        Without a look-up, the first filter on a key reads that key of all documents; with it, a
        process that has just opened the store finds texts at once, and a transaction finds its own
        writes. Every write costs a little more.

        :param key: a metadata key, with or without ``meta.``.
        :raises ValueError: the key is not a single key, or holds a quotation mark.
        """
        self._state.add_lookup(key)

    @property
    def records(self) -> Records:
        """JSON values by key beside the documents, for the application that manages them."""
        return Records(self._state)

    @property
    def version(self) -> int:
        """The number of the last change, by any process: every write increases it."""
        with self._state.reading() as snapshot:
            return snapshot.change

    @property
    def store_id(self) -> str:
        """The id of this store, which no other store has, nor a later store in the same folder."""
        with self._state.reading() as snapshot:
            return snapshot.store_id

    count_documents_async = in_reader_thread(EmbeddedDocumentStore.count_documents)  # waits for queued writes

    def import_(
        self,
        path: str | os.PathLike[str],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Write the documents of a file of `export`, all or none, and return their number.

        :param path: the file.
        :param policy: handling of ids that are stored already; ``NONE`` means ``FAIL``.
        :param progress: as for `write_documents`.
        :raises FileNotFoundError: the file does not exist.
        :raises StoreFileError: a line is not a document.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is stored already.
        """
        return self.write_documents(read_lines(path), policy, progress=progress)

    import_async = in_writer_thread(import_)

    def release(self) -> None:
        """Save the index, and close the connection that writes. The store stays open.

        :raises StoreWriteError: the disk fails.
        """
        self._state.folder_state.release(self.timeout)

    def close(self) -> None:
        """Wait for the queued writes, and release the folder; other stores of it stay open.

        :raises DocumentStoreError: a transaction is open. The store stays open.
        """
        folder_state = self._state.folder_state
        folder_state.reject_in_transaction("close()")
        if self._close.detach() is None:
            return
        try:
            release_folder(folder_state)
        except StoreLockedError:
            self._close = self._release_when_collected(folder_state)
            raise

    def _release_when_collected(self, folder_state: FolderState) -> "weakref.finalize[..., Self]":
        # In a context of its own: garbage collection can run while a context variable is assigned,
        # and CPython crashes if a finalizer then assigns one in the same context, as closing does.
        return weakref.finalize(self, Context().run, release_folder, folder_state)

    async def close_async(self) -> None:
        """Close the store as `close` does, without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        closed = "" if self._close.alive else ", closed"
        return f"{type(self).__name__}({self.path!r}{closed})"
