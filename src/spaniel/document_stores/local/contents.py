"""What a local store holds: its documents in a database, and indexes over them that follow it."""

from __future__ import annotations

import os
import time
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.embedded.contents import SEARCH_SCOPES, Indexing
from spaniel.document_stores.local.checking import problems_of_database
from spaniel.document_stores.local.failures import told, told_of_files, told_of_rows
from spaniel.document_stores.local.folder import LOCK
from spaniel.document_stores.local.index_files import IndexFiles
from spaniel.document_stores.local.indexes import Indexes
from spaniel.document_stores.local.json_text import to_json
from spaniel.document_stores.local.keyword_source import MovedError
from spaniel.document_stores.local.lock import WriterLock
from spaniel.document_stores.local.lookups import add_lookup, has_lookup
from spaniel.document_stores.local.reads import Reads
from spaniel.document_stores.local.transaction import Transaction
from spaniel.document_stores.local.view import View
from spaniel.document_stores.local.writer import QueuedWriter
from spaniel.errors import StoreFileError
from spaniel.filters.field import field_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.contents import Tokenizer
    from spaniel.document_stores.local.database import Database
    from spaniel.document_stores.local.files import Files
    from spaniel.document_stores.local.rows import EmbeddingType
    from spaniel.document_stores.types.policy import DuplicatePolicy
    from spaniel.filters import Filter

T = TypeVar("T")

_TAIL = 10_000  # documents of which the index is in memory: every process that opens the store reads them
_TAIL_AT_THE_END = 100
_SECONDS_BEFORE_A_FORK = 1.0


class LocalContents(Reads):
    """The documents of one folder, for all stores of this process that have it open.

    A write goes to the database first; when it is safe there, the indexes follow.

    :param folder: the store.
    :param indexing: which documents are searched, and by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    :param database: of the folder.
    :param files: of its index.
    """

    def __init__(
        self, folder: Path, database: Database, files: Files, indexing: Indexing, tokenizer: Tokenizer | None
    ) -> None:
        self.folder = folder
        self.database = database
        self.indexing = indexing
        self.timeout = 0.0
        self.embedding_type: EmbeddingType | None = database.settings["embedding_dtype"]
        self.tokenizer = tokenizer
        self._lock = WriterLock(folder / LOCK)
        names = ("search", "cjk", "bm25_tokenization_regex", "bm25_tokenizer")
        self._files = IndexFiles(files, {name: database.settings[name] for name in names})
        self._start()
        _open_contents.add(self)

    def _start(self) -> None:
        self._fork_has_turn = False
        self.writer = QueuedWriter()
        self._indexes = Indexes(self.indexing, self.tokenizer, self._files)
        self._is_searched = SEARCH_SCOPES[self.indexing.search]
        self._transaction: Transaction | None = None

    def release(self) -> None:
        """Let other processes write, until this one writes again."""
        self._end_writing(self.database.drop_writer)

    def close(self) -> None:
        """Wait for the writes that are queued, and let the files and the lock go."""
        self.writer.shutdown()
        self._end_writing(self.database.close)

    def _end_writing(self, close: Callable[[], object]) -> None:
        """Write the index, close connections, and let the lock go, whatever fails."""
        with self.writer:
            try:
                if self._lock.is_held:
                    self._indexes.wait()
                    self._indexes.seal(_TAIL_AT_THE_END)
                with told(self.database.file):
                    close()
            finally:
                self._lock.release()

    def before_fork(self) -> None:
        """Wait for a small write and for reads in other threads, and close the connections: a fork must inherit none."""
        self._fork_has_turn = self.writer.wait_for_turn(_SECONDS_BEFORE_A_FORK)
        self.database.before_fork(_SECONDS_BEFORE_A_FORK, writer=self._fork_has_turn)

    def after_fork(self) -> None:
        """Go on in the process that was forked."""
        self.database.after_fork()
        if self._fork_has_turn:
            self.writer.end_turn()

    def forked(self) -> None:
        """Start anew in a forked process: files, locks and threads belong to its parent."""
        self.database.forked()
        self._lock.forget()
        self._start()

    # --- writing -----------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Make one change of all that the block does; within it, a block of its own is whole or not at all."""
        with self.writer:
            if self._transaction is not None:
                with self._transaction.part():
                    yield self._transaction
                return
            with told(self.database.file):
                connection = self.database.writer()
                if self._lock.acquire(self.timeout):
                    self._indexes.take_over()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    with self._begun(View(connection)) as transaction:
                        yield transaction
                    if transaction.changed:
                        transaction.finish()
                        self._indexes.commit(
                            lambda: connection.execute("COMMIT"),
                            transaction.changes,
                            transaction.view,
                            transaction.bulk,
                        )
                finally:
                    self.database.roll_back()
            self._indexes.seal(_TAIL)
            self.database.bound_wal()

    @contextmanager
    def _begun(self, view: View) -> Iterator[Transaction]:
        self._indexes.follow(view)
        try:
            self._indexes.keywords(view)
        except MovedError:  # the files are ahead for good, as no one else writes
            view.began = time.monotonic()
            self._indexes.keywords(view)
        transaction = Transaction(view, self._indexes, self.indexing, self.embedding_type)
        self._transaction = transaction
        try:
            with self.database.seeing(view):
                yield transaction
        finally:
            self._transaction = None

    def write(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[int, list[str]]:
        """Return how many documents were written, and the ids that were skipped.

        :raises DuplicateDocumentError: the policy is FAIL, and an id is stored already or twice in the batch.
        :raises ValueError: a document can't be stored. Nothing is written then, in both cases.
        """
        with self.transaction() as transaction:
            return transaction.write(documents, policy, progress)

    def delete(self, ids: Collection[str]) -> None:
        """Delete those of these documents that there are."""
        with self.transaction() as transaction:
            transaction.replace(list(transaction.view.slots_of(dict.fromkeys(ids)).values()), [])

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        """Return how many documents matched a filter and were deleted."""
        with self.transaction() as transaction:
            slots = self.matching_slots(filter, strict_dates=strict_dates).tolist()
            transaction.replace(slots, [])
        return len(slots)

    def update_matching(self, filter: Filter, meta: Mapping[str, Any], *, strict_dates: bool) -> int:
        """Return how many matching documents got `meta` merged into theirs.

        They keep their place in the store, unless the change tells for one of them whether it is searched: then all of
        them are written anew, and go to the end.

        :raises ValueError: something of `meta` can't be stored.
        """
        to_json(dict(meta), "the update")  # raises before anything is read
        with self.transaction() as transaction:
            found = self.matching(filter, strict_dates=strict_dates)
            before = [self._is_searched(document) for _, document in found]
            for _, document in found:
                document.meta.update(copy_value(dict(meta)))
            if before == [self._is_searched(document) for _, document in found]:
                transaction.update(found)
            else:
                transaction.replace([slot for slot, _ in found], [document for _, document in found])
        return len(found)

    def clear(self) -> None:
        """Delete everything."""
        with self.transaction() as transaction:
            transaction.clear()

    def add_lookup(self, key: str) -> None:
        """Keep a look-up of a metadata key from now on."""
        path = field_path(key)
        with self.reading() as view:
            if has_lookup(view, path):
                return
        with self.transaction() as transaction:
            add_lookup(transaction.view.connection, path)
            transaction.changed = True

    # --- maintenance -------------------------------------------------------------------------------------------------

    def problems(self) -> list[str]:
        """Return what is wrong."""

        def read() -> list[str]:
            view = self._view()
            try:
                with told(self.database.file), told_of_rows(self.database.file):
                    return [*problems_of_database(view, self.indexing.search), *self._indexes.problems(view)]
            except StoreFileError as error:
                return [str(error)]

        return self.consistently(read)

    def rebuild(self) -> None:
        """Build the index again, and write its files anew."""
        with self.transaction() as transaction, told_of_files(self.folder):
            self._indexes.rebuild(transaction.view)

    def compact(self) -> None:
        """Give room back to the disk."""
        with self.writer:
            with self.transaction() as transaction:  # after it, no process needs to know what was deleted before
                transaction.forget_deletions()
                self._indexes.seal(0)
            with told(self.database.file):
                self.database.writer().execute("VACUUM")
            self.database.bound_wal(0)


_open_contents: weakref.WeakSet[LocalContents] = weakref.WeakSet()


def _for_each(do: Callable[[LocalContents], None]) -> Callable[[], None]:
    def for_each() -> None:
        for contents in list(_open_contents):
            do(contents)

    return for_each


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_for_each(LocalContents.before_fork),
        after_in_parent=_for_each(LocalContents.after_fork),
        after_in_child=_for_each(LocalContents.forked),
    )
