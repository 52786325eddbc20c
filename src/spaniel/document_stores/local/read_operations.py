"""Reads of a local store: a snapshot of the database, and the indexes at the same state."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from spaniel._engine import KeywordIndex, SlotSet, VectorIndex
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.columns import Bounds
from spaniel.document_stores.embedded.columns.field_index import FieldIndex, holds_any
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.error_translation import translate_errors, translate_row_errors
from spaniel.document_stores.local.database.read_snapshot import MissingSlotError, ReadSnapshot
from spaniel.document_stores.local.index.indexes import Indexes
from spaniel.document_stores.local.index.keyword_source import IndexAheadError
from spaniel.document_stores.local.index.lookups import find_passing_slots, find_slots_of_any
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.document_stores.local.locking.queued_writer import QueuedWriter
from spaniel.document_stores.local.transaction import Transaction
from spaniel.errors import DamagedIndexError, DocumentStoreError, IndexVersionError, StoreFileError
from spaniel.filters import Filter, matches
from spaniel.filters.equality import members, plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json

T = TypeVar("T")

_MAX_TRIES = 5
_MAX_CANDIDATES = 1000  # look-ups that find more are slower than the columns


class ReadOperations:
    """The reading half of `LocalState`.

    A read holds a read transaction, brings the indexes to its state, and starts again if another
    thread has moved them on meanwhile.
    """

    def __init__(self, folder_state: FolderState, writer: QueuedWriter) -> None:
        self.database = folder_state.database
        self.folder_state = folder_state
        self.writer = writer

    @property
    def indexes(self) -> Indexes:
        """The indexes, which a fork replaces."""
        return self.folder_state.indexes

    def _open_transaction(self) -> Transaction | None:
        if self.database.current is not None:  # inside a read of the committed state
            return None
        claim = self.folder_state.current_claim()
        return None if claim is None else claim.open_transaction

    @contextmanager
    def reading(self) -> Iterator[ReadSnapshot]:
        """Hold a snapshot, or that of the open transaction, after the queued small writes."""
        if (snapshot := self.database.current) is not None:
            yield snapshot
            return
        claim = self.folder_state.current_claim()
        self.writer.drain(claim)
        transaction = None if claim is None else claim.open_transaction
        if transaction is None:
            with self.database.reading() as snapshot:
                yield snapshot
        else:
            file = self.database.file
            with self.folder_state.connection_lock, translate_errors(file), translate_row_errors(file):
                yield transaction.snapshot

    def read_consistently(self, read: Callable[[], T]) -> T:
        if self.database.current is not None:
            return read()
        if self._open_transaction() is not None:
            with self.reading():
                return read()
        return self._retry(read)

    def _retry(self, read: Callable[[], T]) -> T:
        for _ in range(_MAX_TRIES):
            with self.reading() as snapshot:
                if not self.indexes.catch_up(snapshot):
                    continue
                try:
                    result = read()
                except IndexAheadError:
                    continue
                except (DamagedIndexError, IndexVersionError) as error:
                    self.indexes.handle_damage(error)
                    continue
                except Exception as error:
                    if self.indexes.version != snapshot.version:
                        continue
                    if isinstance(error, MissingSlotError):
                        raise StoreFileError(
                            f"'{self.database.file}': documents are missing, so it is damaged, or its index is. Rebuild the "
                            "index; if that does not help, restore the database from a backup."
                        ) from error
                    raise
                if self.indexes.version == snapshot.version:
                    return result
        # Writers keep moving the indexes on, so they have to wait for this read.
        with self.indexes.update_lock, self.database.reading() as snapshot:
            self.indexes.catch_up(snapshot)
            return read()

    def _snapshot(self) -> ReadSnapshot:
        snapshot = self.database.current
        if snapshot is None and (transaction := self._open_transaction()) is not None:
            snapshot = transaction.snapshot
        if snapshot is None:
            raise RuntimeError("no snapshot is open")
        return snapshot

    @property
    def keywords(self) -> KeywordIndex:
        self._check_searchable()
        return self.read_consistently(lambda: self.indexes.keywords(self._snapshot()))

    def vectors(self) -> VectorIndex:
        self._check_searchable()
        return self.read_consistently(lambda: self.indexes.vectors(self._snapshot()))

    def prepare_approximate_search(self) -> None:
        self.indexes.prepare_approximate_search()

    def _check_searchable(self) -> None:
        transaction = self._open_transaction()
        if transaction is not None and transaction.changed:
            raise DocumentStoreError("Documents can't be ranked inside a transaction that has changed some.")

    def count(self) -> int:
        with self.reading() as snapshot:
            return snapshot.count

    def all(self) -> NumberedDocuments:
        with self.reading() as snapshot:
            return list(snapshot.documents())

    def ids(self) -> list[str]:
        with self.reading() as snapshot:
            return snapshot.ids()

    def get_by_id(self, ids: Collection[str]) -> list[Document]:
        with self.reading() as snapshot:
            return snapshot.documents_with_ids(ids)

    def get_by_slot(self, slots: Sequence[int]) -> list[Document]:
        with self.reading() as snapshot:
            return snapshot.documents_at(slots)

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        with self.reading() as snapshot:
            return snapshot.slots_of(ids)

    def find_matching(self, filter: Filter, *, strict_dates: bool) -> NumberedDocuments:
        return self._select_documents(
            lambda: self._bounds_of_filter(filter, strict_dates),
            lambda document: matches(filter, document, strict_datetime_comparison=strict_dates),
        )

    def find_matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        def read() -> SlotSet:
            bounds = self._bounds_of_filter(filter, strict_dates)
            unsure = bounds.unsure().tolist()
            if not unsure:
                return bounds.sure
            documents = self._snapshot().select_documents(unsure)
            return bounds.sure | SlotSet(
                [slot for slot, found in documents if matches(filter, found, strict_datetime_comparison=strict_dates)]
            )

        return self.read_consistently(read)

    def find_holding(self, wanted: Mapping[str, Sequence[Json]]) -> NumberedDocuments:
        keys = [(field_path(key), [plain(value) for value in values]) for key, values in wanted.items()]
        tests = [(path, members(values)) for path, values in keys]
        return self._select_documents(
            lambda: self._find_bounds(
                lambda snapshot: find_slots_of_any(snapshot, keys), lambda fields: fields.find_holders_of_any(keys)
            ),
            lambda document: any(holds_any(field_value(document, path), values) for path, values in tests),
        )

    def _find_bounds(
        self, look_up: Callable[[ReadSnapshot], list[int] | None], find: Callable[[FieldIndex], Bounds]
    ) -> Bounds:
        """Return the bounds of look-ups if they find few documents, else of the columns."""
        transaction, snapshot = self._open_transaction(), self._snapshot()
        changed = () if transaction is None else transaction.touched
        candidates = look_up(snapshot)
        if candidates is not None and (changed or len(candidates) <= _MAX_CANDIDATES):
            return Bounds(SlotSet(), SlotSet(sorted(candidates)))
        return self.indexes.find_bounds(snapshot, find, changed)

    def _bounds_of_filter(self, filter: Filter, strict: bool) -> Bounds:
        return self._find_bounds(
            lambda snapshot: find_passing_slots(snapshot, filter),
            lambda fields: fields.find_bounds(filter, strict=strict),
        )

    def _select_documents(
        self, find_bounds: Callable[[], Bounds], test: Callable[[Document], bool]
    ) -> NumberedDocuments:
        def read() -> NumberedDocuments:
            bounds = find_bounds()
            documents = self._snapshot().select_documents(bounds.may.tolist())
            return bounds.decide(documents, test)

        return self.read_consistently(read)
