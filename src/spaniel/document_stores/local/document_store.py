"""The local document store: how it is opened, written to, and closed."""

from __future__ import annotations

import asyncio
import logging
import os
import weakref
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from spaniel.document_stores.embedded.async_methods import in_reader_thread
from spaniel.document_stores.embedded.document_store import EmbeddedDocumentStore
from spaniel.document_stores.embedded.store_state import CJK, SEARCH_SCOPES, Cjk, SearchScope, Tokenizer
from spaniel.document_stores.embedded.tokenizers import regex_tokenizer
from spaniel.document_stores.embedded.writer import is_small_write
from spaniel.document_stores.local.database.settings import EMBEDDING_TYPES
from spaniel.document_stores.local.files import SYSTEM, System
from spaniel.document_stores.local.locking.open_stores import open_folder, release
from spaniel.document_stores.local.maintenance.operations import Maintenance
from spaniel.document_stores.local.store_state import LocalContents, Records, Storage
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_choice, validate_each, validate_number
from spaniel.errors import StoreLockedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from types import TracebackType

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.scoring import BM25Algorithm, Similarity, VectorSearch
logger = logging.getLogger(__name__)


class LocalDocumentStore(Maintenance, EmbeddedDocumentStore):
    """Keeps documents in a folder, with exact keyword and vector search over them.

    A write that returned survives a crash of the process and of the machine; one in flight is there whole or not at all.
    Processes take turns to write, each for one write or transaction; any number may read meanwhile, and see every write. Stores
    of one process that open the same folder share what they hold. A store that was opened before a fork can be read in the child.

    :param path: the folder; it is made if it is missing.
    :param bm25_algorithm: ``BM25Okapi``, ``BM25L`` or ``BM25Plus``.
    :param bm25_parameters: ``k1``, ``b``, and ``epsilon`` (Okapi) or ``delta`` (L, Plus), where not the usual ones.
    :param embedding_similarity_function: ``dot_product`` or ``cosine``.
    :param async_executor: runs what async methods read; default: the event loop's own threads.
    :param return_embedding: whether returned documents carry their embedding.
    :param strict_datetime_comparison: whether a date without a time zone never equals one with a zone in a filter.
    :param vector_search: ``exact``, or ``approximate``: faster over many vectors, and some of the best may be
        missed (in measurements at most 1 in 30).
    :param timeout: seconds that a write waits for another process that writes, or for a transaction of another task or thread.
    :param search: ``leaves``: documents with children are kept and fetched, but in no search and no statistic; or ``all``.
        This and the following are chosen when the folder is made, and kept in it; None: as they are there.
    :param cjk: ``characters`` (default) or ``bigrams``: tokens of Chinese, Japanese and Korean text.
    :param bm25_tokenization_regex: what a token is; the text is in lower case and NFC when it is applied.
    :param bm25_tokenizer: text to tokens, in place of the regular expression. The folder keeps its name only.
    :param embedding_dtype: ``float16``, ``float32`` or ``float64``: what embeddings are rounded to. Default: they are kept
        exactly.
    :raises ValueError: an option is none of its values.
    :raises DocumentStoreError: the folder holds something else, can't be opened, or is indexed with other settings.
    :raises StoreFileError: the store is damaged, or of a newer format.

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

    _state: LocalContents
    _system: ClassVar[System] = SYSTEM  # tests put another in its place

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
        cjk: Cjk | None = None,
        bm25_tokenization_regex: str | None = None,
        bm25_tokenizer: Tokenizer | None = None,
        embedding_dtype: Literal["float16", "float32", "float64"] | None = None,
    ) -> None:
        super().__init__(
            bm25_algorithm=bm25_algorithm,
            bm25_parameters=bm25_parameters,
            bm25_tokenizer=bm25_tokenizer,
            embedding_similarity_function=embedding_similarity_function,
            vector_search=vector_search,
            async_executor=async_executor,
            return_embedding=return_embedding,
            strict_datetime_comparison=strict_datetime_comparison,
        )
        for name, value, choices in (
            ("search", search, SEARCH_SCOPES),
            ("cjk", cjk, CJK),
            ("embedding_dtype", embedding_dtype, EMBEDDING_TYPES),
        ):
            if value is not None:
                validate_choice(name, value, choices)
        self.path = os.fspath(path)
        self.timeout = validate_number("timeout", timeout)
        given = {
            "search": search,
            "cjk": cjk,
            "bm25_tokenization_regex": bm25_tokenization_regex,
            "bm25_tokenizer": bm25_tokenizer,
            "embedding_dtype": embedding_dtype,
        }
        if bm25_tokenization_regex is not None:
            regex_tokenizer(bm25_tokenization_regex)  # raises before a folder is made
        self._opened = open_folder(self.path, given, bm25_tokenizer, self._system)
        self._close = weakref.finalize(self, release, self._opened)
        state = LocalContents(self._opened.state, self.timeout)
        self.embedding_dtype = state.embedding_type
        self._attach(state)

    # --- writing -----------------------------------------------------------------------------------------------------

    def write_documents(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Return how many documents were written: all that were not skipped, or an error and none.

        The whole call is one transaction. No more than a batch of the documents is held at once, so an iterator may give
        more than fit into memory.

        :param documents: any iterable of documents.
        :param policy: what happens with an id that is stored already, or given twice; ``NONE`` means ``FAIL``.
        :param progress: called after each batch with the number of documents so far. They are safe when the call returns.
        :raises ValueError: something else than documents is given, or a document can't be stored.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already.
        :raises StoreLockedError: another process is writing.
        :raises StoreWriteError: the disk is full or fails, or the folder is read-only.
        """
        written, skipped = self._state.write(_checked(documents), DuplicatePolicy(policy), progress)
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
        """Return what `write_documents` returns, without blocking the event loop.

        :param progress: called in the thread of the writer.
        """
        small = isinstance(documents, list) and is_small_write(list(validate_each(documents)))
        if small:
            documents = [document.independent_copy() for document in documents]
        write = partial(self.write_documents, documents, policy, progress=progress)
        return await self._state.writer.run(write, small=small)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make one change of all that the block writes and deletes: all of it is made, or nothing.

        The block sees what it has done; others see it when the block is over. Inside it documents are fetched and filtered,
        but not ranked. Tasks and `asyncio.to_thread` calls that are started inside belong to the transaction; other writers wait
        for its end. A transaction inside a transaction is a part that is whole or not at all.

        :raises StoreLockedError: another process, task or thread is writing and does not end within `timeout`; at once where
            waiting would block the event loop whose task has to end it.

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
        """Make one change of all that the block does, as `transaction` does, without blocking the event loop.

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
        async with self._state.transaction_async():
            yield

    def exclusive(self) -> AbstractContextManager[None]:
        """Let no other process write from the first write of the block until its end, in several transactions."""
        return self._state.exclusive()

    def add_lookup(self, key: str) -> None:
        """Keep a look-up of a metadata key from now on, so that its texts are found without reading other documents.

        A process that has just opened a store finds them at once then, and a transaction finds what it has written. Without
        a look-up, the first filter on a key reads that key of all documents. Every write costs a little more with it.

        :param key: with or without ``meta.``; values that are text are looked up, by ``==``, ``in`` and
            `get_documents_by_key`.
        :raises ValueError: it is no single key, or holds a quotation mark.
        """
        self._state.add_lookup(key)

    @property
    def records(self) -> Records:
        """JSON values by key, kept beside the documents for whoever manages them."""
        return Records(self._state)

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The number of the last change, by any process: it is another one when something was written."""
        return self._state.version()

    @property
    def lineage(self) -> str:
        """What tells this store from any other, also from a later one in the same folder."""
        with self._state.reading() as view:
            return view.lineage

    @property
    def storage(self) -> Mapping[str, Document]:
        """The documents by id, to be read; the ids are read without the documents."""
        return Storage(self._state)

    count_documents_async = in_reader_thread(EmbeddedDocumentStore.count_documents)  # waits for writes that are queued

    # --- closing -----------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Write the index to files, and close the connection that writes. The store stays open.

        :raises StoreWriteError: the disk fails.
        """
        self._state.release()

    def close(self) -> None:
        """Wait for the writes that are queued, and let the folder go. What shares it in this process stays open.

        :raises DocumentStoreError: it is called inside a transaction, or one of another task is open. The store stays open.
        """
        self._state.refuse_in_transaction("close()")
        if self._close.detach() is None:
            return
        try:
            release(self._opened)
        except StoreLockedError:
            self._close = weakref.finalize(self, release, self._opened)
            raise

    async def close_async(self) -> None:
        """Do what `close` does, without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._close.alive else ", closed"
        return f"{type(self).__name__}({self.path!r}{state})"


def _checked(documents: Iterable[Document]) -> Iterable[Document]:
    """Return documents that are checked one by one, or a list that is checked."""
    return list(validate_each(documents)) if isinstance(documents, (list, tuple)) else validate_each(documents)
