"""The state of one folder in this process: its database, its indexes, and the order of those who write."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from spaniel.document_stores.local.database.error_translation import told
from spaniel.document_stores.local.database.read_snapshot import View
from spaniel.document_stores.local.files import LOCK
from spaniel.document_stores.local.index.index_files import IndexFiles
from spaniel.document_stores.local.index.indexes import Indexes
from spaniel.document_stores.local.index.keyword_source import MovedError
from spaniel.document_stores.local.locking.write_queue import Claim, WriteQueue, current_claim, ended_error
from spaniel.document_stores.local.locking.writer_lock import WriterLock
from spaniel.document_stores.local.transaction import Transaction
from spaniel.errors import DocumentStoreError, StoreLockedError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from spaniel.document_stores.embedded.store_state import IndexSettings, Tokenizer
    from spaniel.document_stores.local.database.connections import Database
    from spaniel.document_stores.local.database.rows import EmbeddingType
    from spaniel.document_stores.local.files import Files

_TAIL = 10_000  # documents of which the index is in memory: every process that opens the store reads them
_TAIL_AT_THE_END = 100
_SECONDS_BEFORE_A_FORK = 1.0


class FolderState:
    """The documents of one folder, for all stores of this process that have it open.

    A change goes to the database first; when it is committed there, the indexes follow.

    :param folder: the store.
    :param database: of the folder.
    :param files: of its index.
    :param indexing: which documents are searched, and by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    """

    def __init__(
        self, folder: Path, database: Database, files: Files, indexing: IndexSettings, tokenizer: Tokenizer | None
    ) -> None:
        self.folder = folder
        self.database = database
        self.indexing = indexing
        self.tokenizer = tokenizer
        self.embedding_type: EmbeddingType | None = database.settings["embedding_dtype"]
        self.is_forked = False
        self.lock = WriterLock(folder / LOCK)
        names = ("search", "cjk", "bm25_tokenization_regex", "bm25_tokenizer")
        self._files = IndexFiles(files, {name: database.settings[name] for name in names})
        self._start()
        _open_states.add(self)

    def _start(self) -> None:
        self.queue = WriteQueue(self)
        self.thread = _new_thread()
        self.connection_lock = threading.RLock()
        self.indexes = Indexes(self.indexing, self.tokenizer, self._files)
        self._fork_claim: Claim | None = None

    # --- who writes --------------------------------------------------------------------------------------------------

    def current(self) -> Claim | None:
        """Return the claim that the current context writes under.

        :raises DocumentStoreError: it was started inside a transaction that has ended.
        """
        return None if self.is_forked else current_claim(self)

    def new_claim(self, *, is_block: bool) -> Claim:
        """Return a claim in the queue of the transaction that the current context is in, or of all writers.

        :raises StoreLockedError: this process was forked from the one that opened the store.
        """
        if self.is_forked:
            raise StoreLockedError(
                f"The store '{self.folder}' was opened before this process was forked, so only its parent may write with it. "
                "Open the store again in this process.",
                "the parent process",
            )
        outer = self.current()
        return Claim(self.queue if outer is None else outer.members, is_block=is_block)

    @contextmanager
    def turn(self, timeout: float, action: str) -> Iterator[None]:
        """Let nobody else of this process write for the block.

        :param action: for the error, such as ``compact()``.
        :raises DocumentStoreError: the current context is in a transaction.
        """
        claim = self.current()
        self.refuse_in_transaction(action)
        if claim is not None:
            yield
            return
        with self._held(self.new_claim(is_block=False), timeout) as claim:
            claim.enter_context()
            try:
                yield
            finally:
                claim.leave_context()

    def refuse_in_transaction(self, action: str) -> None:
        """Refuse what concerns the store as a whole inside a transaction.

        :raises DocumentStoreError: the current context is in one.
        """
        claim = self.current()
        if claim is not None and claim.open_transaction is not None:
            raise DocumentStoreError(
                f"{action} can't run inside a transaction. Call it before or after the transaction."
            )

    @contextmanager
    def transaction(self, timeout: float, *, is_block: bool = False) -> Iterator[Transaction]:
        """Make one change of all that the block does; within a transaction it is a part that is whole or not at all.

        :param timeout: seconds to wait for other processes, and for other transactions of this one.
        :param is_block: the block is a caller's, whose tasks and threads belong to the transaction.
        """
        claim = self.current()
        if claim is not None and claim.open_transaction is None:  # a queued write that has not begun
            with self._changing(claim, timeout) as transaction:
                yield transaction
            return
        with (
            self._held(self.new_claim(is_block=is_block), timeout) as claim,
            self._changing(claim, timeout) as transaction,
        ):
            claim.enter_context()
            try:
                yield transaction
            finally:
                claim.leave_context()

    @contextmanager
    def _held(self, claim: Claim, timeout: float) -> Iterator[Claim]:
        claim.queue.acquire(claim, timeout)
        try:
            yield claim
        finally:
            claim.end()

    @contextmanager
    def _changing(self, claim: Claim, timeout: float) -> Iterator[Transaction]:
        with (
            told(self.database.file),
            nullcontext() if claim.is_block else self.connection_lock,
            self.database.hidden_view(),
        ):
            transaction = self._begin(claim, timeout)
            try:
                yield transaction
            except BaseException:
                self._roll_back(claim)
                raise
            self._commit(claim)

    @asynccontextmanager
    async def transaction_async(self, seconds: float) -> AsyncIterator[None]:
        """Make one change of all that the block does, as `transaction` does, without blocking the event loop."""
        claim = self.new_claim(is_block=True)
        await claim.queue.acquire_async(claim, seconds)
        try:
            try:
                await self._in_thread(claim, partial(self._begin, claim, seconds))
                claim.enter_context()
                yield
                await self._in_thread(claim, partial(self._commit, claim))
            except BaseException:
                if claim.transaction is not None:
                    await self._in_thread(claim, partial(self._roll_back, claim))
                raise
            finally:
                claim.leave_context()
        finally:
            claim.end()

    async def _in_thread(self, claim: Claim, work: Callable[[], object]) -> None:
        """Do a step of a transaction in the writer's thread; when cancelled, wait for its end all the same."""
        step = asyncio.wrap_future(self.thread.submit(self._translated, work))
        cancelled: BaseException | None = None
        while not step.done():
            try:
                await asyncio.wait({step})
            except asyncio.CancelledError as error:
                claim.is_abandoned, cancelled = True, error
        if cancelled is not None:
            raise cancelled from step.exception()
        step.result()

    def _translated(self, work: Callable[[], object]) -> None:
        with told(self.database.file):
            work()

    # --- a change ----------------------------------------------------------------------------------------------------

    def _begin(self, claim: Claim, timeout: float) -> Transaction:
        outer = claim.queue.outer
        with self.connection_lock:
            if outer is None:
                claim.transaction = self._begun(claim, timeout)
            elif outer.has_ended or outer.open_transaction is None:
                raise ended_error()
            else:
                claim.transaction = outer.open_transaction
                claim.transaction.begin_part(claim)
            return claim.transaction

    def _begun(self, claim: Claim, timeout: float) -> Transaction:
        self.database.check_writable()
        self.lock.acquire(timeout, lambda: claim.is_abandoned)
        try:
            self.database.check_place()
            connection = self.database.writer()
            self.indexes.take_over()
            connection.execute("BEGIN IMMEDIATE")
            view = View(connection)
            self.indexes.follow(view)
            try:
                self.indexes.keywords(view)
            except MovedError:  # the files are ahead for good, as no one else writes
                view.began = time.monotonic()
                self.indexes.keywords(view)
            return Transaction(view, self.indexes, self.indexing, self.embedding_type)
        except BaseException:
            self._abandon()
            raise

    def _commit(self, claim: Claim) -> None:
        with self.connection_lock:
            transaction, outer = claim.transaction, claim.queue.outer
            if transaction is None or (outer is not None and outer.has_ended):
                claim.transaction = None
                raise ended_error()
            if claim.is_block:
                claim.refuse_members()
            if (inner := claim.members.holder()) is not None and inner.is_block:
                self._roll_back(claim)
                raise DocumentStoreError(
                    "A transaction ended while another one, which was begun inside it, was still open, so nothing of both was "
                    "written. Await the tasks that write before the transaction ends."
                )
            if outer is not None:
                transaction.end_part(claim)
                claim.transaction = None
                return
            try:
                if transaction.changed:
                    transaction.finish()
                    commit = partial(transaction.view.connection.execute, "COMMIT")
                    self.indexes.commit(commit, transaction.changes, transaction.view, transaction.bulk)
                self.database.roll_back()
                self.indexes.seal(_TAIL)
                self.database.bound_wal()
            finally:
                claim.transaction = None
                self._abandon()

    def _roll_back(self, claim: Claim) -> None:
        with self.connection_lock:
            transaction, claim.transaction, outer = claim.transaction, None, claim.queue.outer
            if claim.is_block:
                claim.refuse_members()
            if outer is None:
                self._abandon()
            elif transaction is not None and not outer.has_ended:
                transaction.roll_back_part(claim)

    def _abandon(self) -> None:
        try:
            self.database.roll_back()
        finally:
            self.lock.release()

    # --- closing and forking -----------------------------------------------------------------------------------------

    def release(self, timeout: float) -> None:
        """Write the tail of the index to files, and close the connection that writes."""
        if not self.is_forked:
            with self.turn(timeout, "release()"):
                self._end_writing(self.database.drop_writer)

    def close(self) -> None:
        """Wait for the writes that are queued, and close the files."""
        if self.is_forked:
            self.database.close()
            return
        with self.turn(0, "close()"):
            self._end_writing(self.database.close)
            self.lock.close()
        self.thread.shutdown(wait=True)

    def _end_writing(self, close: Callable[[], object]) -> None:
        with self.connection_lock:
            try:
                if self.database.has_written:
                    with suppress(StoreLockedError, StoreWriteError):  # the index is derived: the next writer writes it
                        self.lock.acquire(0)
                        self.indexes.wait()
                        if self.database.is_in_place():
                            self.indexes.seal(_TAIL_AT_THE_END)
                with told(self.database.file):
                    close()
            finally:
                self.lock.release()

    def shutdown_thread(self) -> None:
        """Wait for what the writer's thread does, and end it. A later write starts another one."""
        thread, self.thread = self.thread, _new_thread()
        thread.shutdown(wait=True)

    def before_fork(self) -> None:
        """Wait for a small write and for reads in other threads, and close the connections: a fork must inherit none."""
        claim = Claim(self.queue, is_block=False)
        self._fork_claim = claim if self.queue.acquire_within(claim, _SECONDS_BEFORE_A_FORK) else None
        self.database.before_fork(_SECONDS_BEFORE_A_FORK, writer=self._fork_claim is not None)

    def after_fork(self) -> None:
        """Go on in the process that was forked."""
        self.database.after_fork()
        if self._fork_claim is not None:
            self.queue.release(self._fork_claim)

    def forked(self) -> None:
        """Start anew in a forked process, to read only: files, locks and threads belong to its parent."""
        self.database.forked()
        self.lock.forget()
        self._start()
        self.is_forked = True


def _new_thread() -> ThreadPoolExecutor:  # starts its thread with the first write
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="spaniel-writer")


_open_states: weakref.WeakSet[FolderState] = weakref.WeakSet()


def _for_each(do: Callable[[FolderState], None]) -> Callable[[], None]:
    def for_each() -> None:
        for state in list(_open_states):
            do(state)

    return for_each


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_for_each(FolderState.before_fork),
        after_in_parent=_for_each(FolderState.after_fork),
        after_in_child=_for_each(FolderState.forked),
    )
