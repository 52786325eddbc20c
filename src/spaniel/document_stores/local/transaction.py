"""A change of a local store, while it is being made."""

from __future__ import annotations

import contextvars
from collections.abc import Sized
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.store_state import SEARCH_SCOPES
from spaniel.document_stores.local.database.json_text import to_json
from spaniel.document_stores.local.database.rows import COLUMNS, EmbeddingType, row_of, stored_text
from spaniel.document_stores.local.index.changes import Clear, Remove, UpdateMeta
from spaniel.document_stores.local.index.keyword_source import LARGE
from spaniel.document_stores.local.locking.write_queue import without_claims
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError, DuplicateDocumentError, StoreWriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.store_state import IndexSettings, NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.index.changes import Change
    from spaniel.document_stores.local.index.indexes import Indexes
    from spaniel.document_stores.local.index.keyword_source import Bulk

_INSERT = f"""
INSERT INTO documents (slot, change, searched, {", ".join(COLUMNS)}) VALUES ({", ".join("?" * (3 + len(COLUMNS)))})
"""  # noqa: S608 (column names)
_UPDATE = "UPDATE documents SET change = ?, meta = ? WHERE slot = ?"
_SAVE = "UPDATE state SET change = ?, documents = ?, next_slot = ?, forgotten = ?"
_BATCH_DOCUMENTS, _BATCH_CHARACTERS = 8192, 16_000_000
_WORTH_A_THREAD = 500


class Transaction:
    """What is written and deleted, one step after the other; it is in the database when it is committed.

    :param view: of the connection that writes, in a transaction. It sees what has been done so far.
    :param indexes: of the state before.
    :param indexing: which documents are searched.
    :param embedding_type: what embeddings are rounded to; None: nothing.
    """

    def __init__(
        self, view: View, indexes: Indexes, indexing: IndexSettings, embedding_type: EmbeddingType | None
    ) -> None:
        self.view = view
        self.changes: list[Change] = []
        self.bulk: Bulk | None = None
        self.changed = False
        self.touched: list[int] = []
        self._parts: list[tuple[object, int, int, tuple[int, int, int, bool]]] = []
        self._change = view.change + 1
        self._first_slot = view.next_slot
        self._indexes = indexes
        self._is_searched = SEARCH_SCOPES[indexing.search_scope]
        self._embedding_type = embedding_type

    def begin_part(self, owner: object) -> None:
        """Begin a part that can be rolled back by itself; parts are nested.

        :param owner: ends the part.
        :raises StoreWriteError: the transaction is not open any more.
        """
        self._check_open()
        view = self.view
        counts = (view.count, view.next_slot, view.forgotten, self.changed)
        view.connection.execute(f"SAVEPOINT part{len(self._parts)}")
        self._parts.append((owner, len(self.changes), len(self.touched), counts))

    def end_part(self, owner: object) -> None:
        """Keep what a part did."""
        self._check_open()
        self._check_innermost(owner)
        self._parts.pop()
        self.view.connection.execute(f"RELEASE part{len(self._parts)}")

    def roll_back_part(self, owner: object) -> None:
        """Undo what a part did."""
        self._check_innermost(owner)
        _, changes, touched, counts = self._parts.pop()
        del self.changes[changes:], self.touched[touched:]
        self.view.count, self.view.next_slot, self.view.forgotten, self.changed = counts
        if self.bulk is not None:
            self.bulk.give_up("a part of the change was rolled back")
        if self.view.connection.in_transaction:
            part = f"part{len(self._parts)}"
            self.view.connection.execute(f"ROLLBACK TO {part}; RELEASE {part}")

    def _check_open(self) -> None:
        if not self.view.connection.in_transaction:  # SQLite rolls back by itself where the disk is full or fails
            raise StoreWriteError(
                "The transaction was rolled back by an error that was raised in it before, so nothing of it was written. Begin "
                "another one."
            )

    def _check_innermost(self, owner: object) -> None:
        if not self._parts or self._parts[-1][0] is not owner:
            raise DocumentStoreError("Transactions inside a transaction must end in the reverse order of their begin.")

    def write(
        self, documents: Iterable[Document], policy: DuplicatePolicy, progress: Callable[[int], None] | None
    ) -> tuple[int, list[str]]:
        """Return how many documents were written, and the ids that were skipped."""
        count = len(documents) if isinstance(documents, Sized) else None
        iterator, written, skipped = iter(documents), 0, list[str]()
        while batch := _batch(iterator):
            passed = self._write_batch(batch, policy, count)
            skipped += passed
            written += len(batch) - len(passed)
            if progress is not None:
                progress(written)
        return written, skipped

    def _write_batch(self, batch: Sequence[Document], policy: DuplicatePolicy, count: int | None) -> list[str]:
        if policy is not DuplicatePolicy.OVERWRITE and policy is not DuplicatePolicy.SKIP:
            self._write_new(batch, count)
            return []
        there = self.view.slots_of(document.id for document in batch) if self.view.count else {}
        chosen: dict[str, Document] = {}
        skipped = []
        for document in batch:
            if document.id in chosen or document.id in there:
                if policy is DuplicatePolicy.SKIP:
                    skipped.append(document.id)
                    continue
                chosen.pop(document.id, None)  # an overwrite goes to the end
            chosen[document.id] = document
        self.replace([there[id] for id in chosen if id in there], list(chosen.values()))
        return skipped

    def _write_new(self, batch: Sequence[Document], count: int | None) -> None:
        import apsw

        first = self.view.next_slot
        try:
            self.replace([], batch)
        except apsw.ConstraintError:  # faster than to look every id up before
            known: set[str] = set()
            for document in batch:
                slot = self.view.slots_of([document.id]).get(document.id, first)
                if document.id in known or slot < first:
                    twice = document.id in known or slot >= self._first_slot
                    raise DuplicateDocumentError(_message(document.id, twice=twice, count=count)) from None
                known.add(document.id)
            raise

    def replace(self, removed: Sequence[int], added: Sequence[Document]) -> None:
        """Take documents out, and write others."""
        if removed:
            self._delete(removed)
            self.view.count -= len(removed)
            self._append(Remove(removed))
        if not added:
            return
        numbered = list(enumerate(added, self.view.next_slot))
        searched = [pair for pair in numbered if self._is_searched(pair[1])]
        self._start_bulk_if_large()
        prepare = partial(self._indexes.prepare, numbered, searched)
        if len(added) < _WORTH_A_THREAD:
            addition = prepare()
            self._insert(numbered, searched)
        else:
            with ThreadPoolExecutor(1) as pool:
                context = contextvars.copy_context()
                context.run(without_claims)  # a tokenizer that reads the store has to see the state before
                prepared = pool.submit(context.run, prepare)
                self._insert(numbered, searched)
                addition = prepared.result()
        self.view.count += len(added)
        self.view.next_slot += len(added)
        self._append(addition)

    def _insert(self, added: NumberedDocuments, searched: NumberedDocuments) -> None:
        marked = {slot for slot, _ in searched}
        rows = (
            (slot, self._change, slot in marked, *row_of(document, self._embedding_type)) for slot, document in added
        )
        self.view.connection.executemany(_INSERT, rows)

    def _delete(self, slots: Sequence[int]) -> None:
        self.view.connection.executemany("DELETE FROM documents WHERE slot = ?", ((slot,) for slot in slots))
        old = ((slot, self._change) for slot in slots if slot < self._first_slot)
        self.view.connection.executemany("INSERT INTO tombstones VALUES (?, ?)", old)

    def update(self, changed: NumberedDocuments) -> None:
        """Write the metadata of documents anew; they keep their slots, and whether they are searched."""
        rows = [(self._change, to_json(document.meta, f"document '{document.id}'"), slot) for slot, document in changed]
        self.view.connection.executemany(_UPDATE, rows)
        self._append(UpdateMeta([slot for slot, _ in changed]))

    def clear(self) -> None:
        """Take every document out."""
        if not self.view.count:
            return
        slots = self.view.slots()
        self.view.connection.execute("DELETE FROM documents; DELETE FROM tombstones")
        self.view.count, self.view.forgotten = 0, self._change
        self._append(Clear(slots))

    def forget_deletions(self) -> None:
        """Forget which documents were deleted before; indexes that are older are built anew."""
        self.view.connection.execute("DELETE FROM tombstones")
        self.view.forgotten, self.changed = self._change - 1, True

    def set_record(self, key: str, value: Any) -> None:
        """Keep a value beside the documents."""
        bindings = (stored_text(key), to_json(value, f"record '{key}'"))
        self.view.connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", bindings)
        self.changed = True

    def delete_record(self, key: str) -> bool:
        """Return whether there was a value, and take it out."""
        self.view.connection.execute("DELETE FROM records WHERE key = ?", (stored_text(key),))
        found = self.view.connection.changes() > 0
        self.changed |= found
        return found

    def finish(self) -> None:
        """Write the state that the changes make."""
        self._check_open()
        self.view.change = self._change
        view = self.view
        view.connection.execute(_SAVE, (view.change, view.count, view.next_slot, view.forgotten))

    def _append(self, change: Change) -> None:
        if not change.slots:
            return
        if self.bulk is None:
            self.changes.append(change)
        else:
            self.bulk.fold([change])
        self.touched += change.slots
        self.changed = True

    def _start_bulk_if_large(self) -> None:
        if self.bulk is None and self.view.next_slot - self._first_slot >= LARGE:
            self.bulk = self._indexes.start_bulk(self.view, self.changes)
            if self.bulk is not None:
                self.changes.clear()


def _batch(documents: Iterator[Document]) -> list[Document]:
    batch, characters = [], 0
    for document in islice(documents, _BATCH_DOCUMENTS):
        batch.append(document)
        characters += len(document.content or "") + 8 * len(document.embedding or ())
        if characters > _BATCH_CHARACTERS:
            break
    return batch


def _message(id: str, *, twice: bool, count: int | None) -> str:
    where = "twice in this batch" if twice else "in the store"
    return (
        f"ID '{id}' already exists {where}, so none of the {'' if count is None else f'{count} '}documents were written. "
        "Pass policy=DuplicatePolicy.OVERWRITE or SKIP to allow it."
    )
