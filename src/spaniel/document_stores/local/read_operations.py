"""What is read from a local store: one state of the database, and the indexes at that state."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from spaniel._engine import KeywordIndex, SlotSet, VectorIndex
from spaniel.document_stores.embedded.columns import Bounds
from spaniel.document_stores.embedded.columns.field_index import holds_any
from spaniel.document_stores.local.database.error_translation import told, told_of_rows
from spaniel.document_stores.local.database.read_snapshot import GoneError
from spaniel.document_stores.local.index.keyword_source import MovedError
from spaniel.document_stores.local.index.lookups import slots_passing, slots_with_any
from spaniel.errors import DamagedIndexError, DocumentStoreError, IndexVersionError, StoreFileError
from spaniel.filters import Filter, matches
from spaniel.filters.equality import members, plain
from spaniel.filters.field import field_path, field_value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.index.column_set import FieldsOfView
    from spaniel.document_stores.local.index.indexes import Indexes
    from spaniel.document_stores.local.locking.folder_state import FolderState
    from spaniel.document_stores.local.locking.queued_writer import QueuedWriter
    from spaniel.document_stores.local.transaction import Transaction

T = TypeVar("T")

_TRIES = 5
_FEW_CANDIDATES = 1000  # so many documents are soon read


class Reads:
    """The reading half of `LocalContents`.

    A read is of one state: it holds a read transaction, brings the indexes to its state, and is done again where they
    have moved on meanwhile.
    """

    def __init__(self, state: FolderState, writer: QueuedWriter) -> None:
        self.database = state.database
        self.writer = writer
        self._state = state

    @property
    def _indexes(self) -> Indexes:
        return self._state.indexes

    def _transaction(self) -> Transaction | None:
        if self.database.current is not None:  # a read of the state that is committed
            return None
        claim = self._state.current()
        return None if claim is None else claim.open_transaction

    @contextmanager
    def reading(self) -> Iterator[View]:
        """Hold a state of the database for the block; small writes that are queued come first.

        Inside a transaction it is that of the transaction, and no other thread of it uses the connection meanwhile.
        """
        if (view := self.database.current) is not None:
            yield view
            return
        claim = self._state.current()
        self.writer.settle(claim)
        transaction = None if claim is None else claim.open_transaction
        if transaction is None:
            with self.database.reading() as view:
                yield view
        else:
            with self._state.connection_lock, told(self.database.file), told_of_rows(self.database.file):
                yield transaction.view

    def consistently(self, read: Callable[[], T]) -> T:
        """Return what `read` returns, all of one state of the store; it reads again where the indexes have moved on.

        :param read: calls methods of this object and of `keywords`.
        """
        if self.database.current is not None:
            return read()
        if self._transaction() is not None:
            with self.reading():
                return read()
        return self._retried(read)

    def _retried(self, read: Callable[[], T]) -> T:
        for _ in range(_TRIES):
            with self.reading() as view:
                if not self._indexes.follow(view):
                    continue
                try:
                    result = read()
                except MovedError:
                    continue
                except (DamagedIndexError, IndexVersionError) as error:
                    self._indexes.damaged(error)
                    continue
                except Exception as error:
                    if self._indexes.version != view.version:
                        continue
                    if isinstance(error, GoneError):
                        raise StoreFileError(
                            f"'{self.database.file}': documents are missing, so it is damaged, or its index is. Rebuild the "
                            "index; if that does not help, restore the database from a backup."
                        ) from error
                    raise
                if self._indexes.version == view.version:
                    return result
        with self._indexes.moving, self.database.reading() as view:  # others keep coming between, so they wait for once
            self._indexes.follow(view)
            return read()

    def _view(self) -> View:
        view = self.database.current
        if view is None and (transaction := self._transaction()) is not None:
            view = transaction.view
        if view is None:
            raise RuntimeError("no view is open")
        return view

    @property
    def keywords(self) -> KeywordIndex:
        """The keyword index."""
        self._check_searchable()
        return self.consistently(lambda: self._indexes.keywords(self._view()))

    def vectors(self) -> VectorIndex:
        """Return the index of the vectors."""
        self._check_searchable()
        return self.consistently(lambda: self._indexes.vectors(self._view()))

    def prepare_approximate_search(self) -> None:
        """Let the vectors be searched approximately, those that are there and those that come."""
        self._indexes.prepare_approximate_search()

    def _check_searchable(self) -> None:
        transaction = self._transaction()
        if transaction is not None and transaction.changed:
            raise DocumentStoreError("Documents can't be ranked inside a transaction that has changed some.")

    def version(self) -> int:
        """Return the number of the last change."""
        with self.reading() as view:
            return view.change

    def count(self) -> int:
        """Return how many documents there are."""
        with self.reading() as view:
            return view.count

    def all(self) -> NumberedDocuments:
        """Return every document."""
        with self.reading() as view:
            return list(view.all())

    def by_id(self, ids: Collection[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""
        with self.reading() as view:
            return view.by_id(ids)

    def by_slot(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of these slots, in the order given.

        :raises KeyError: one is gone.
        """
        with self.reading() as view:
            return view.by_slot(slots)

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the slots of those ids that are stored."""
        with self.reading() as view:
            return view.slots_of(ids)

    def matching(self, filter: Filter, *, strict_dates: bool) -> NumberedDocuments:
        """Return the documents that match a filter."""
        return self._between(
            lambda view: slots_passing(view, filter),
            lambda fields: fields.matching(filter, strict=strict_dates),
            lambda document: matches(filter, document, strict_datetime_comparison=strict_dates),
        )

    def matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        """Return the slots of the documents that match a filter."""

        def read() -> SlotSet:
            bounds = self._bounds(
                lambda view: slots_passing(view, filter), lambda fields: fields.matching(filter, strict=strict_dates)
            )
            unsure = bounds.unsure().tolist()
            if not unsure:
                return bounds.sure
            documents = self._view().numbered(unsure)
            return bounds.sure | SlotSet(
                [slot for slot, found in documents if matches(filter, found, strict_datetime_comparison=strict_dates)]
            )

        return self.consistently(read)

    def holding(self, wanted: Mapping[str, Sequence[Any]]) -> NumberedDocuments:
        """Return the documents that hold a wanted value under its key: it equals theirs, or an element of their list."""
        keys = [(field_path(key), [plain(value) for value in values]) for key, values in wanted.items()]
        tests = [(path, members(values)) for path, values in keys]
        return self._between(
            lambda view: slots_with_any(view, keys),
            lambda fields: fields.with_values(keys),
            lambda document: any(holds_any(field_value(document, path), values) for path, values in tests),
        )

    def _bounds(self, look_up: Callable[[View], list[int] | None], ask: Callable[[FieldsOfView], Bounds]) -> Bounds:
        """Return what look-ups tell, where they are of use, else what the columns tell."""
        transaction, view = self._transaction(), self._view()
        changed = () if transaction is None else transaction.touched
        candidates = look_up(view)
        if candidates is not None and (changed or len(candidates) <= _FEW_CANDIDATES):
            return Bounds(SlotSet(), SlotSet(sorted(candidates)))
        return self._indexes.bounds(view, ask, changed)

    def _between(
        self,
        look_up: Callable[[View], list[int] | None],
        ask: Callable[[FieldsOfView], Bounds],
        test: Callable[[Document], bool],
    ) -> NumberedDocuments:
        def read() -> NumberedDocuments:
            bounds = self._bounds(look_up, ask)
            documents = self._view().numbered(bounds.may.tolist())
            if len(bounds.may) == len(bounds.sure):
                return documents
            return [(slot, document) for slot, document in documents if slot in bounds.sure or test(document)]

        return self.consistently(read)
