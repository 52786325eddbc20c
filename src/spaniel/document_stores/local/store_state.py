"""What a local store holds: its documents in a database, and indexes over them that follow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.embedded.store_state import SEARCH_SCOPES
from spaniel.document_stores.local.database.error_translation import told, told_of_files, told_of_rows
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.document_stores.local.database.rows import stored_text, text_of
from spaniel.document_stores.local.index.lookups import add_lookup, has_lookup
from spaniel.document_stores.local.locking.queued_writer import QueuedWriter
from spaniel.document_stores.local.maintenance.integrity import bounded, problems_of_database
from spaniel.document_stores.local.read_operations import Reads
from spaniel.errors import StoreFileError
from spaniel.filters.field import field_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from spaniel.document_stores.local.locking.folder_state import FolderState
    from spaniel.document_stores.local.transaction import Transaction
    from spaniel.document_stores.types.policy import DuplicatePolicy
    from spaniel.filters import Filter


class LocalContents(Reads):
    """The documents of one folder, as one store sees them.

    :param state: of the folder; stores of this process share it.
    :param timeout: seconds that a write waits for other processes and for transactions.
    """

    def __init__(self, state: FolderState, timeout: float) -> None:
        super().__init__(state, QueuedWriter(state, timeout))
        self.timeout = timeout
        self.folder = state.folder
        self.indexing = state.indexing
        self.tokenizer = state.tokenizer
        self.embedding_type = state.embedding_type
        self._is_searched = SEARCH_SCOPES[state.indexing.search_scope]

    # --- writing -----------------------------------------------------------------------------------------------------

    def transaction(self, *, is_block: bool = False) -> AbstractContextManager[Transaction]:
        """Make one change of all that the block does; within a transaction it is a part that is whole or not at all.

        :param is_block: the block is a caller's, whose tasks and threads belong to the transaction.
        """
        return self._state.transaction(self.timeout, is_block=is_block)

    def transaction_async(self) -> AbstractAsyncContextManager[None]:
        """Make one change of all that the block does, without blocking the event loop."""
        return self._state.transaction_async(self.timeout)

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
        self.refuse_in_transaction("check()")

        def read() -> list[str]:
            view = self._view()
            try:
                with told(self.database.file), told_of_rows(self.database.file):
                    problems = (*problems_of_database(view, self.indexing.search_scope), *self._indexes.problems(view))
                    return bounded(problems)
            except StoreFileError as error:
                return [str(error)]

        return self.consistently(read)

    def refuse_in_transaction(self, action: str) -> None:
        """Refuse what concerns the store as a whole inside a transaction.

        :param action: for the error, such as ``check()``.
        """
        self._state.refuse_in_transaction(action)

    def rebuild(self) -> None:
        """Build the index again, and write its files anew."""
        with (
            self._state.turn(self.timeout, "rebuild()"),
            self.transaction() as transaction,
            told_of_files(self.folder),
        ):
            self._indexes.rebuild(transaction.view)

    def compact(self) -> None:
        """Give room back to the disk."""
        with self._state.turn(self.timeout, "compact()"), self._state.lock.kept():
            with self.transaction() as transaction:  # after it, no process needs to know what was deleted before
                transaction.forget_deletions()
                self._indexes.seal(0)
            with told(self.database.file), self._state.connection_lock:
                self.database.writer().execute("VACUUM")
                self.database.bound_wal(0)

    def release(self) -> None:
        """Write the index, and close the connection that writes."""
        self._state.release(self.timeout)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let no other process write from the first write of the block until its end."""
        with self._state.lock.kept():
            yield


class Records(MutableMapping[str, Any]):
    """A mapping of text to JSON values, in the order of the keys. A change is safe when it returns, or with its transaction.

    :param contents: of the store.
    """

    def __init__(self, contents: LocalContents) -> None:
        self._contents = contents

    def __getitem__(self, key: str) -> Any:
        with self._contents.reading() as view:
            for (value,) in view.rows("SELECT value FROM records WHERE key = ?", (stored_text(key),)):
                return from_json(value)
        raise KeyError(key)

    def __setitem__(self, key: str, value: Any) -> None:
        with self._contents.transaction() as transaction:
            transaction.set_record(key, value)

    def __delitem__(self, key: str) -> None:
        with self._contents.transaction() as transaction:
            if not transaction.delete_record(key):
                raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        with self._contents.reading() as view:
            keys = [text_of(key) for (key,) in view.rows("SELECT key FROM records ORDER BY key")]
        return iter(keys)

    def __len__(self) -> int:
        with self._contents.reading() as view:
            ((count,),) = view.rows("SELECT count(*) FROM records")
        return int(count)


class Storage(Mapping[str, Document]):
    """The documents by id, in store order.

    :param contents: of the store.
    """

    def __init__(self, contents: LocalContents) -> None:
        self._contents = contents

    def __getitem__(self, document_id: str) -> Document:
        for document in self._contents.by_id([document_id]):
            return document
        raise KeyError(document_id)

    def __iter__(self) -> Iterator[str]:
        with self._contents.reading() as view:
            return iter([text_of(id) for (id,) in view.rows("SELECT id FROM documents ORDER BY slot")])

    def __len__(self) -> int:
        return self._contents.count()
