"""A change of a local store, while it is being made."""

from __future__ import annotations

import contextvars
from collections.abc import Sized
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spaniel.document_stores.embedded.indexing import SEARCH_SCOPES, IndexSettings
from spaniel.document_stores.embedded.writer import choose_documents, make_duplicate_error
from spaniel.document_stores.local.database.json_text import to_json
from spaniel.document_stores.local.database.nodes import (
    delete_nodes,
    delete_unneeded_nodes,
    insert_nodes,
)
from spaniel.document_stores.local.database.schema import write_settings
from spaniel.document_stores.local.index.changes import Change, Clear, Remove, UpdateMeta
from spaniel.document_stores.local.index.keyword_source import MIN_BULK_DOCUMENTS, BulkIndex
from spaniel.document_stores.local.index.lookups import add_to_lookups, rebuild_lookups
from spaniel.document_stores.local.locking.write_queue import clear_claims
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from spaniel._engine import KeywordIndex
    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
    from spaniel.document_stores.local.database.schema import EmbeddingType
    from spaniel.document_stores.local.index.indexes import Indexes
    from spaniel.document_stores.local.index.keyword_source import KeywordSource

_UPDATE = "UPDATE nodes SET updated = ?, shape = NULL, children = NULL, meta = ? WHERE slot = ?"
_CLEAR = """
DELETE FROM nodes; DELETE FROM attachments; DELETE FROM trees; DELETE FROM lookup_runs; DELETE FROM tombstones
"""
_SAVE = "UPDATE state SET change = ?, documents = ?, next_slot = ?, forgotten = ?"
_MAX_BATCH_DOCUMENTS, _MAX_BATCH_CHARACTERS = 8192, 16_000_000
_MIN_THREADED_DOCUMENTS = 500


class _Part(NamedTuple):
    """The state of a transaction at the begin of a part."""

    owner: object
    num_changes: int
    num_touched: int
    num_documents: int
    next_slot: int
    tombstone_horizon: int
    changed: bool


class Transaction:
    """Writes and deletions in order; the database has them when the caller commits."""

    def __init__(
        self, snapshot: ReadSnapshot, indexes: Indexes, indexing: IndexSettings, embedding_type: EmbeddingType | None
    ) -> None:
        self.snapshot = snapshot
        self.changes: list[Change] = []
        self.bulk: BulkIndex | None = None
        self.rebuilt: tuple[KeywordSource, KeywordIndex] | None = None
        self.changed = False
        self.touched: list[int] = []
        self._parts: list[_Part] = []
        self._change = snapshot.change + 1
        self._first_slot = snapshot.next_slot
        self._indexes = indexes
        self._is_searched = SEARCH_SCOPES[indexing.search_scope]
        self._embedding_type = embedding_type

    def begin_part(self, owner: object) -> None:
        """Begin a part that can roll back by itself; parts are nested."""
        self._check_open()
        now = self.snapshot
        now.connection.execute(f"SAVEPOINT part{len(self._parts)}")
        counts = (now.count, now.next_slot, now.tombstone_horizon, self.changed)
        self._parts.append(_Part(owner, len(self.changes), len(self.touched), *counts))

    def end_part(self, owner: object) -> None:
        """Keep the changes of a part."""
        self._check_open()
        self._check_innermost(owner)
        self._parts.pop()
        self.snapshot.connection.execute(f"RELEASE part{len(self._parts)}")

    def roll_back_part(self, owner: object) -> None:
        """Undo the changes of a part."""
        self._check_innermost(owner)
        part, now = self._parts.pop(), self.snapshot
        del self.changes[part.num_changes :], self.touched[part.num_touched :]
        now.count, now.next_slot, now.tombstone_horizon = part.num_documents, part.next_slot, part.tombstone_horizon
        self.changed = part.changed
        now.shapes.forget()
        if self.bulk is not None:
            self.bulk.give_up("a part of the change was rolled back")
        if now.connection.in_transaction:
            name = f"part{len(self._parts)}"
            now.connection.execute(f"ROLLBACK TO {name}; RELEASE {name}")

    def _check_open(self) -> None:
        if not self.snapshot.connection.in_transaction:  # SQLite rolls back by itself if the disk is full or fails
            raise StoreWriteError(
                "The transaction was rolled back by an error before this one. Begin a new transaction."
            )

    def _check_innermost(self, owner: object) -> None:
        if not self._parts or self._parts[-1].owner is not owner:
            raise DocumentStoreError("Transactions inside a transaction must end in the reverse order of their begin.")

    def write(
        self, documents: Iterable[Document], policy: DuplicatePolicy, progress: Callable[[int], None] | None
    ) -> tuple[int, list[str]]:
        """Return the number of written documents, and the ids that were skipped."""
        total = len(documents) if isinstance(documents, Sized) else None
        iterator, written, skipped = iter(documents), 0, list[str]()
        while batch := _take_batch(iterator):
            ids = self._write_batch(batch, policy, total)
            skipped += ids
            written += len(batch) - len(ids)
            if progress is not None:
                progress(written)
        return written, skipped

    def _write_batch(self, batch: Sequence[Document], policy: DuplicatePolicy, total: int | None) -> list[str]:
        """Write a batch, and return the ids that were skipped."""
        if policy is not DuplicatePolicy.OVERWRITE and policy is not DuplicatePolicy.SKIP:
            self._check_new(batch, total)
            self.replace([], batch)
            return []
        stored = self.snapshot.slots_of(document.id for document in batch) if self.snapshot.count else {}
        chosen, skipped = choose_documents(batch, policy, stored)
        self.replace([stored[document.id] for document in chosen if document.id in stored], chosen)
        return skipped

    def _check_new(self, batch: Sequence[Document], total: int | None) -> None:
        stored = self.snapshot.slots_of(document.id for document in batch) if self.snapshot.count else {}
        known: set[str] = set()
        for document in batch:
            if document.id in known or document.id in stored:
                in_batch = document.id in known or stored[document.id] >= self._first_slot
                raise make_duplicate_error(document.id, total, in_batch=in_batch)
            known.add(document.id)

    def replace(self, removed: Sequence[int], added: Sequence[Document]) -> None:
        """Delete the documents of some slots, and write others."""
        if removed:
            self._delete(removed)
            self.snapshot.count -= len(removed)
            self._record(Remove(removed))
        if not added:
            return
        numbered = list(enumerate(added, self.snapshot.next_slot))
        searched = [pair for pair in numbered if self._is_searched(pair[1])]
        self._start_bulk_if_large()
        prepare = partial(self._indexes.prepare, numbered, searched)
        if len(added) < _MIN_THREADED_DOCUMENTS:
            addition = prepare()
            self._insert(numbered, searched)
        else:
            with ThreadPoolExecutor(1) as pool:
                context = contextvars.copy_context()
                context.run(clear_claims)  # a tokenizer that reads the store must see the state before
                prepared = pool.submit(context.run, prepare)
                self._insert(numbered, searched)
                addition = prepared.result()
        self.snapshot.count += len(added)
        self.snapshot.next_slot += len(added)
        self._record(addition)

    def _insert(self, added: NumberedDocuments, searched: NumberedDocuments) -> None:
        connection, slots = self.snapshot.connection, {slot for slot, _ in searched}
        insert_nodes(connection, added, slots, self._embedding_type, self.snapshot.shapes)
        add_to_lookups(connection, added)

    def _delete(self, slots: Sequence[int]) -> None:
        delete_nodes(self.snapshot.connection, slots)
        committed = ((slot, self._change) for slot in slots if slot < self._first_slot)
        self.snapshot.connection.executemany("INSERT INTO tombstones VALUES (?, ?)", committed)

    def update(self, changed: NumberedDocuments, keys: Collection[str]) -> None:
        """Write new metadata of documents, which stay searched or not, and keep their slots.

        :param keys: those that may have changed.
        """
        rows = [(self._change, to_json(document.meta, f"document '{document.id}'"), slot) for slot, document in changed]
        self.snapshot.connection.executemany(_UPDATE, rows)
        add_to_lookups(self.snapshot.connection, changed, keys)
        self._record(UpdateMeta([slot for slot, _ in changed]))

    def clear(self) -> None:
        """Delete every document."""
        if not self.snapshot.count:
            return
        slots = self.snapshot.slots()
        self.snapshot.connection.execute(_CLEAR)
        self.snapshot.count, self.snapshot.tombstone_horizon = 0, self._change
        self._record(Clear(slots))

    def rebuild(self, source: KeywordSource) -> None:
        """Store other settings, and build the index of the commit with them."""
        write_settings(self.snapshot.connection, source.stored)
        self.rebuilt = source, source.build(self.snapshot)[0]
        self.changed = True

    def forget_deleted(self) -> None:
        """Delete the rest of deleted documents; older indexes have to be built again."""
        self.snapshot.connection.execute("DELETE FROM tombstones")
        delete_unneeded_nodes(self.snapshot.connection)
        rebuild_lookups(self.snapshot)
        self.snapshot.tombstone_horizon, self.changed = self._change - 1, True

    def finish(self) -> None:
        """Write the counts of the new state, right before the commit."""
        self._check_open()
        now = self.snapshot
        now.change = self._change
        now.connection.execute(_SAVE, (now.change, now.count, now.next_slot, now.tombstone_horizon))

    def _record(self, change: Change) -> None:
        if not change.slots:
            return
        if self.bulk is None:
            self.changes.append(change)
        else:
            self.bulk.apply([change])
        self.touched += change.slots
        self.changed = True

    def _start_bulk_if_large(self) -> None:
        if self.bulk is None and self.snapshot.next_slot - self._first_slot >= MIN_BULK_DOCUMENTS:
            self.bulk = self._indexes.start_bulk(self.snapshot, self.changes)
            if self.bulk is not None:
                self.changes.clear()


def _take_batch(documents: Iterator[Document]) -> list[Document]:
    batch, characters = [], 0
    for document in islice(documents, _MAX_BATCH_DOCUMENTS):
        batch.append(document)
        characters += len(document.content or "") + 8 * len(document.embedding or ())
        if characters > _MAX_BATCH_CHARACTERS:
            break
    return batch
