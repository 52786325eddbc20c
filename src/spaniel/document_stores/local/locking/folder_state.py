"""An open folder in this process: its database, its indexes, and the order of its writers."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from spaniel.document_stores.local.database.error_translation import translate_errors
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.shapes import Shapes
from spaniel.document_stores.local.files import LOCK, Files
from spaniel.document_stores.local.index.index_files import IndexFiles
from spaniel.document_stores.local.index.indexes import Indexes
from spaniel.document_stores.local.index.keyword_source import IndexAheadError, KeywordSource
from spaniel.document_stores.local.locking.write_queue import Claim, WriteQueue, current_claim, make_ended_error
from spaniel.document_stores.local.locking.writer_lock import WriterLock
from spaniel.document_stores.local.transaction import Transaction
from spaniel.errors import DocumentStoreError, StoreLockedError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from spaniel.document_stores.embedded.indexing import IndexSettings
    from spaniel.document_stores.local.database.connections import Database
    from spaniel.document_stores.local.database.schema import EmbeddingType

_MAX_TAIL = 10_000  # unsaved documents of the index: every process that opens the store reads them
_MAX_TAIL_ON_CLOSE = 100
_MAX_FORK_WAIT = 1.0  # seconds


class FolderState:
    """The documents of a folder, shared by all stores of this process that have it open.

    A change is committed to the database first; the indexes follow.
    """

    def __init__(self, folder: Path, database: Database, files: Files, indexing: IndexSettings) -> None:
        self.folder = folder
        self.database = database
        self.embedding_type: EmbeddingType | None = database.settings["embedding_dtype"]
        self.is_forked = False
        self.num_stores = 1
        self.lock = WriterLock(folder / LOCK)
        self._source = KeywordSource(indexing, database.settings, IndexFiles(files, database.settings))
        self._start()

    def _start(self) -> None:
        self.queue = WriteQueue(self)
        self.start_thread()
        self.connection_lock = threading.RLock()
        self.indexes = Indexes(self._source)
        self._fork_claim: Claim | None = None

    @property
    def indexing(self) -> IndexSettings:
        """The settings of the indexes, as of the last change that this process knows."""
        return self._source.indexing

    def start_thread(self) -> None:
        """Use a new writer thread, which the first write starts."""
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spaniel-writer")

    def current_claim(self) -> Claim | None:
        """Return the claim that the current context writes under."""
        return None if self.is_forked else current_claim(self)

    def make_claim(self, *, is_block: bool) -> Claim:
        """Return a claim in the queue of the context's transaction, or of all writers."""
        if self.is_forked:
            raise StoreLockedError(
                f"'{self.folder}' was opened before this process was forked, so it is read-only. Open it again to write.",
                "the parent process",
            )
        outer = self.current_claim()
        return Claim(self.queue if outer is None else outer.members, is_block=is_block)

    @contextmanager
    def write_lock(self, timeout: float, action: str) -> Iterator[None]:
        """Exclude all other writers of this process; `action` names the caller in errors."""
        claim = self.current_claim()
        self.reject_in_transaction(action)
        if claim is not None:
            yield
            return
        with self._hold(self.make_claim(is_block=False), timeout) as claim, claim.in_context():
            yield

    def reject_in_transaction(self, action: str) -> None:
        """Check that the current context is in no transaction."""
        claim = self.current_claim()
        if claim is not None and claim.open_transaction is not None:
            raise DocumentStoreError(f"{action} can't run inside a transaction. Call it before or after.")

    @contextmanager
    def transaction(self, timeout: float, *, is_block: bool = False) -> Iterator[Transaction]:
        """Commit the block as one change; a nested block is a part that rolls back by itself."""
        claim = self.current_claim()
        if claim is not None and claim.open_transaction is None:  # a queued write that has not begun
            with self._run_transaction(claim, timeout) as transaction:
                yield transaction
            return
        with (
            self._hold(self.make_claim(is_block=is_block), timeout) as claim,
            self._run_transaction(claim, timeout) as transaction,
            claim.in_context(),
        ):
            yield transaction

    @contextmanager
    def _hold(self, claim: Claim, timeout: float) -> Iterator[Claim]:
        claim.queue.acquire(claim, timeout)
        try:
            yield claim
        finally:
            claim.end()

    @contextmanager
    def _run_transaction(self, claim: Claim, timeout: float) -> Iterator[Transaction]:
        with (
            translate_errors(self.database.file),
            nullcontext() if claim.is_block else self.connection_lock,
            self.database.hide_snapshot(),
        ):
            transaction = self._begin(claim, timeout)
            try:
                yield transaction
            except BaseException:
                self._roll_back(claim)
                raise
            self._commit(claim)

    @asynccontextmanager
    async def transaction_async(self, timeout: float) -> AsyncIterator[None]:  # noqa: ASYNC109 (a queue position has to be withdrawn)
        """Commit the block as `transaction` does, without blocking the event loop."""
        claim = self.make_claim(is_block=True)
        await claim.queue.acquire_async(claim, timeout)
        try:
            await self._run_in_thread(claim, partial(self._begin, claim, timeout))
            with claim.in_context():
                yield
            await self._run_in_thread(claim, partial(self._commit, claim))
        except BaseException:
            if claim.transaction is not None:
                await self._run_in_thread(claim, partial(self._roll_back, claim))
            raise
        finally:
            claim.end()

    async def _run_in_thread(self, claim: Claim, work: Callable[[], object]) -> None:
        """Run a step of a transaction in the writer thread, to its end even when cancelled."""

        def run() -> None:
            with translate_errors(self.database.file):
                work()

        step = asyncio.wrap_future(self.thread.submit(run))
        cancelled: BaseException | None = None
        while not step.done():
            try:
                await asyncio.wait({step})
            except asyncio.CancelledError as error:
                claim.is_cancelled, cancelled = True, error
        if cancelled is not None:
            raise cancelled from step.exception()
        step.result()

    def _begin(self, claim: Claim, timeout: float) -> Transaction:
        outer = claim.queue.outer
        with self.connection_lock:
            if outer is None:
                claim.transaction = self._begin_outermost(claim, timeout)
            elif outer.has_ended or outer.open_transaction is None:
                raise make_ended_error()
            else:
                claim.transaction = outer.open_transaction
                claim.transaction.begin_part(claim)
            return claim.transaction

    def _begin_outermost(self, claim: Claim, timeout: float) -> Transaction:
        self.database.check_writable()
        self.lock.acquire(timeout, lambda: claim.is_cancelled)
        try:
            self.database.check_in_place()
            connection = self.database.writer()
            self.indexes.drop_outdated()
            connection.execute("BEGIN IMMEDIATE")
            snapshot = ReadSnapshot(connection, Shapes())
            self.indexes.catch_up(snapshot)
            try:
                self.indexes.keywords(snapshot)
            except IndexAheadError:  # no other process writes, so the files stay ahead
                snapshot.began = time.monotonic()
                self.indexes.keywords(snapshot)
            return Transaction(snapshot, self.indexes, self.indexing, self.embedding_type)
        except BaseException:
            self._abort()
            raise

    def _commit(self, claim: Claim) -> None:
        with self.connection_lock:
            transaction, outer = claim.transaction, claim.queue.outer
            if transaction is None or (outer is not None and outer.has_ended):
                claim.transaction = None
                raise make_ended_error()
            if claim.is_block:
                claim.reject_members()
            if (inner := claim.members.holder) is not None and inner.is_block:
                self._roll_back(claim)
                raise DocumentStoreError(
                    "A transaction ended while a transaction inside it was still open, so both were rolled back. Await "
                    "inner tasks before it ends."
                )
            if outer is not None:
                transaction.end_part(claim)
                claim.transaction = None
                return
            try:
                if transaction.changed:
                    transaction.finish()
                    self.indexes.commit(transaction)
                self.database.roll_back()
                self.indexes.flush(_MAX_TAIL if transaction.rebuilt is None else 0)
                self.database.limit_wal()
            finally:
                claim.transaction = None
                self._abort()

    def _roll_back(self, claim: Claim) -> None:
        with self.connection_lock:
            transaction, claim.transaction, outer = claim.transaction, None, claim.queue.outer
            if claim.is_block:
                claim.reject_members()
            if outer is None:
                self._abort()
            elif transaction is not None and not outer.has_ended:
                transaction.roll_back_part(claim)

    def _abort(self) -> None:
        try:
            self.database.roll_back()
        finally:
            self.lock.release()

    def release(self, timeout: float) -> None:
        """Save the tail of the index, and close the connection that writes."""
        if not self.is_forked:
            with self.write_lock(timeout, "release()"):
                self._end_writing(self.database.close_writer)

    def close(self) -> None:
        """Wait for the queued writes, and close the files."""
        if self.is_forked:
            self.database.close()
            return
        with self.write_lock(0, "close()"):
            self._end_writing(self.database.close)
            self.lock.close()
        self.thread.shutdown(wait=True)

    def _end_writing(self, close: Callable[[], object]) -> None:
        with self.connection_lock:
            try:
                if self.database.has_writer:
                    with suppress(StoreLockedError, StoreWriteError):  # the next writer saves the index
                        self.lock.acquire(0)
                        self.indexes.wait_for_merges()
                        if self.database.is_in_place():
                            self.indexes.flush(_MAX_TAIL_ON_CLOSE)
                            self.indexes.flush_merged()
                with translate_errors(self.database.file):
                    close()
            finally:
                self.lock.release()

    def before_fork(self) -> None:
        """Close connections, so that the child inherits none; wait for a short write and reads."""
        claim = Claim(self.queue, is_block=False)
        self._fork_claim = claim if self.queue.try_acquire(claim, _MAX_FORK_WAIT) else None
        self.database.before_fork(_MAX_FORK_WAIT, close_writer=self._fork_claim is not None)

    def after_fork(self) -> None:
        """Continue in the parent."""
        self.database.after_fork()
        if self._fork_claim is not None:
            self.queue.release(self._fork_claim)

    def reset_after_fork(self) -> None:
        """Become read-only in the child: files, locks and threads belong to the parent."""
        self.database.reset_after_fork()
        self.lock.reset_after_fork()
        self._start()
        self.is_forked = True
