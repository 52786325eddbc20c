"""The indexes of a store in this process, and the way they follow the database."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from spaniel.document_stores.embedded.indexing import SEARCH_SCOPES
from spaniel.document_stores.embedded.merger import MAX_INLINE_MERGE, SegmentMerger
from spaniel.document_stores.local.database.schema import make_index_settings
from spaniel.document_stores.local.index.changes import (
    Add,
    Change,
    Clear,
    Remove,
    UpdateMeta,
    apply_to_keywords,
    skip_cleared,
)
from spaniel.document_stores.local.index.column_set import ColumnSet, SnapshotFields, collect_fields
from spaniel.document_stores.local.index.index_files import Stamp
from spaniel.document_stores.local.index.keyword_source import BulkIndex, IndexAheadError, KeywordSource
from spaniel.document_stores.local.index.lazy_vectors import LazyVectors
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spaniel._engine import KeywordIndex, VectorIndex
    from spaniel.document_stores.embedded.columns import Bounds
    from spaniel.document_stores.embedded.columns.field_index import FieldIndex
    from spaniel.document_stores.embedded.indexing import Analyzer
    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
    from spaniel.document_stores.local.transaction import Transaction
    from spaniel.json_types import Json

logger = logging.getLogger(__name__)

_CHUNK = 2000
_MAX_REPLAYED = 20_000
_JOINED = (100, 1 << 16)
"""The least and the most documents of segments that are joined when a store is closed."""


class Indexes:
    """The keyword index, vectors and columns of a store, each built when it is first used.

    `version` is that of the snapshot whose state they have, or None during a change. A reader
    compares it with its own snapshot before and after, so readers never wait for each other.
    """

    def __init__(self, source: KeywordSource) -> None:
        self.version: tuple[str, int] | None = None
        self.update_lock = threading.RLock()
        self.source = source
        self._is_searched = SEARCH_SCOPES[source.indexing.search_scope]
        self._files = source.files
        self._merging: SegmentMerger | None = None
        self._tail = 0  # documents added or removed since the keyword index was saved
        self._columns_lock = threading.Lock()
        self._vectors = LazyVectors()
        self._drop()

    def _drop(self) -> None:
        self._keywords: KeywordIndex | None = None
        self._vectors.index = None
        self._columns = ColumnSet()
        self._next_slot = 0

    def catch_up(self, snapshot: ReadSnapshot) -> bool:
        """Bring the indexes to the state of a snapshot; return False if they are past it."""
        if self.version == snapshot.version:
            return True
        with self.update_lock:
            store_id, change = self.version or ("", -1)
            if store_id == snapshot.store_id and change >= snapshot.change:
                return change == snapshot.change
            has_other_settings = self.source.follow(snapshot)
            self.version = None
            if has_other_settings:
                self._keywords = None
            if store_id != snapshot.store_id or change < snapshot.tombstone_horizon:
                self._drop()
            else:
                try:
                    self._replay(snapshot, change)
                except StoreFileError as error:
                    self._reset(error)
            self._next_slot, self.version = snapshot.next_slot, snapshot.version
        self._merge(lambda keywords: keywords.tidy(MAX_INLINE_MERGE))  # larger merges are left to writers
        return True

    def _replay(self, snapshot: ReadSnapshot, before: int) -> None:
        if snapshot.next_slot - self._next_slot > _MAX_REPLAYED:
            self._keywords = None  # opening the files of the process that wrote is faster
            self._columns = ColumnSet()
        if self._keywords is None and self._vectors.index is None and not self._columns.paths:
            self._columns = ColumnSet()
            return
        deleted = snapshot.slots_deleted_since(before)
        self._apply([Remove([slot for slot in deleted if slot < self._next_slot])])
        changed = snapshot.documents_since(before, self._next_slot)
        while chunk := list(islice(changed, _CHUNK)):
            added = [pair for pair in chunk if pair[0] >= self._next_slot]
            searched = [pair for pair in added if self._is_searched(pair[1])]
            updated = UpdateMeta([slot for slot, _ in chunk if slot < self._next_slot])
            self._apply([updated, self.prepare(added, searched)])
        if self._tail > _MAX_REPLAYED and not self._files.is_current:
            self._keywords = None  # newer files hold the replayed documents by now

    def prepare(self, added: NumberedDocuments, searched: NumberedDocuments) -> Add:
        """Return an addition for these indexes, with texts as tokens and embeddings as vectors."""
        texts, keywords = self.source.indexing.read_texts(searched), self._keywords
        batch = None if keywords is None or not texts else self.source.indexing.prepare(keywords, texts)
        is_indexed = batch is not None or not texts
        fields = collect_fields(added, self._columns.paths)
        return Add([slot for slot, _ in added], batch, is_indexed, self._vectors.prepare(searched), fields)

    def start_bulk(self, snapshot: ReadSnapshot, changes: Sequence[Change]) -> BulkIndex | None:
        """Return an index for a large transaction, or None if its files can't be written."""
        is_cleared, changes = skip_cleared(changes)
        bulk = None
        if is_cleared or self._keywords is None or len(self._keywords) == 0:
            bulk = BulkIndex(self.source.make_empty(), self.source)
        else:
            self.flush(0)
            loaded = self._files.load(snapshot.store_id)
            if loaded is not None and (snapshot.store_id, loaded[1].change) == self.version:
                bulk = BulkIndex(loaded[0], self.source)
        if bulk is not None:
            bulk.apply(changes)
        return bulk

    def commit(self, transaction: Transaction) -> None:
        """Commit a transaction to the database, then apply its changes to the indexes."""
        snapshot = transaction.snapshot
        with self.update_lock:
            snapshot.connection.execute("COMMIT")  # raises if it fails, and the indexes stay unchanged
            self.version = None
            try:
                if transaction.rebuilt is not None:
                    source, self._keywords = transaction.rebuilt
                    self.source.adopt(source.indexing, source.stored)
                elif transaction.bulk is None:
                    self._apply(transaction.changes)
                else:
                    self._drop()
                    self._keywords, self._tail = transaction.bulk.keywords, transaction.bulk.count
            except Exception as error:  # noqa: BLE001 (the change is committed whether or not the indexes can follow)
                self._reset(error)
            except BaseException:
                self._drop()
                raise
            finally:
                self._next_slot, self.version = snapshot.next_slot, snapshot.version
        self._merge(lambda keywords: self._merging_of(keywords).after_write())

    def drop_outdated(self) -> None:
        """Drop the keyword index before a write if another process has saved a newer one."""
        if not self._files.is_current:
            with self.update_lock:
                self._keywords = None

    def flush(self, min_tail: int) -> None:
        """Save the keyword index if `min_tail` documents changed. Callers must hold the write lock."""
        if self._keywords is not None and self._tail >= min_tail:
            self._save(min_tail)

    def flush_merged(self) -> None:
        """Join segments, and save the keyword index if some were merged since: they are smaller."""
        if self._keywords is not None and (
            self._keywords.join(*_JOINED) or (not self._tail and self._files.take_snapshot(self._keywords).parts)
        ):
            self._save(0)

    def _save(self, min_tail: int) -> None:
        if self._keywords is None or self.version is None:
            return
        try:
            if self._files.is_current:
                self._files.save(self._keywords, Stamp(*self.version, self._next_slot))
            else:
                self.drop_outdated()
        except StoreFileError as error:
            self.handle_damage(error)
        except OSError as error:
            logger.warning("The keyword index can't be written to files; it stays in memory: %s", error)
            self._tail -= min_tail  # try again after the same number of changes
        else:
            self._tail = 0

    def handle_damage(self, error: StoreFileError) -> None:
        """Ignore the damaged files of the keyword index, and drop the indexes."""
        with self.update_lock:
            self._reset(error)

    def _reset(self, error: Exception) -> None:
        if isinstance(error, StoreFileError):
            self._files.distrust(error)
        else:
            logger.warning("The indexes in memory are built again: %r", error)
        self._drop()

    def _apply(self, changes: Sequence[Change]) -> None:
        if self._keywords is not None:
            self._keywords, count = apply_to_keywords(self._keywords, changes, self.source.make_empty)
            self._tail += count
        for change in changes:
            self._vectors.apply(change)
            with self._columns_lock:
                if isinstance(change, Clear):
                    self._columns = ColumnSet()
                else:
                    self._columns.apply(change)

    def wait_for_merges(self) -> None:
        """Wait until no segments are being merged."""
        self._merge(lambda keywords: self._merging_of(keywords).wait())

    def _merge(self, merge: Callable[[KeywordIndex], object]) -> None:
        if (keywords := self._keywords) is not None:
            try:
                merge(keywords)
            except Exception as error:  # noqa: BLE001 (the documents are committed whether or not a merge fails)
                with self.update_lock:
                    self._reset(error)

    def _merging_of(self, keywords: KeywordIndex) -> SegmentMerger:
        if self._merging is None or self._merging.keywords is not keywords:
            self._merging = SegmentMerger(keywords)
        return self._merging

    def keywords(self, snapshot: ReadSnapshot) -> KeywordIndex:
        """Return the keyword index."""
        found = self._keywords
        if found is None:
            with self._pin_at(snapshot):
                if self._keywords is None:
                    self._keywords, self._tail = self.source.open(snapshot)
                found = self._keywords
        return found

    def vectors(self, snapshot: ReadSnapshot) -> VectorIndex:
        """Return the vectors."""
        found = self._vectors.index
        if found is None:
            with self._pin_at(snapshot):
                found = self._vectors.read(snapshot)
        return found

    def prepare_approximate_search(self) -> None:
        """Prepare current and future vectors for approximate search."""
        with self.update_lock:
            self._vectors.prepare_approximate_search()

    def find_bounds(
        self, snapshot: ReadSnapshot, find: Callable[[FieldIndex], Bounds], changed: Iterable[int]
    ) -> Bounds:
        """Return the bounds that the columns give."""
        with self._columns_lock:
            if self.version != snapshot.version:
                raise IndexAheadError
            fields = SnapshotFields(self._columns, snapshot, changed)
            return fields.correct_stale(find(fields))

    def rebuild(self, transaction: Transaction, given: Analyzer | None, stored: Mapping[str, Json]) -> None:
        """Build the keyword index from the documents of a transaction, and save it.

        :param given: the analyzer, if it is a new one.
        :param stored: the settings; if others than before, the commit saves both.
        """
        snapshot = transaction.snapshot
        if stored != self.source.stored:
            analyzer = self.source.indexing.analyzer if given is None else given
            indexing = make_index_settings({"analyzer": analyzer}, stored)
            transaction.rebuild(KeywordSource(indexing, stored, self._files))
            return
        keywords, _ = self.source.build(snapshot)
        with self._pin_at(snapshot):
            self._keywords, self._tail = keywords, 0
        self._files.save(keywords, Stamp(snapshot.store_id, snapshot.change, snapshot.next_slot))

    @contextmanager
    def _pin_at(self, snapshot: ReadSnapshot) -> Iterator[None]:
        """Keep the indexes at the state of a snapshot for a block."""
        with self.update_lock:
            if self.version != snapshot.version:
                raise IndexAheadError
            yield
