"""The columns of a local store: read from the database when first used, then updated."""

from collections.abc import Iterable, Iterator, Sequence

from spaniel._engine import SlotSet
from spaniel.document_stores.embedded.columns import Bounds, Column
from spaniel.document_stores.embedded.columns.field_index import MAX_COLUMNS, FieldIndex, column_value
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.index.changes import Add, Remove, UpdateMeta
from spaniel.document_stores.local.index.lookups import metadata_key
from spaniel.filters.equality import plain
from spaniel.filters.field import FieldPath
from spaniel.json_types import Json

Fields = dict["FieldPath", "list[Json]"]
"""The values of some documents, by field."""

_MIN_STALE = 1000
"""Columns with fewer stale documents are not dropped."""


class ColumnSet:
    """The columns in use, and the *stale* slots.

    An update or a deletion lacks the old values of a document, so its slot becomes stale: it is
    ignored here, and the document is compared. Columns with many stale slots are dropped.
    """

    def __init__(self) -> None:
        self._by_path: dict[FieldPath, Column] = {}
        self._all_slots: SlotSet | None = None
        self.stale = SlotSet()
        """The slots that the columns ignore."""

    @property
    def paths(self) -> list[FieldPath]:
        """The fields that have a column."""
        return list(self._by_path)

    def apply(self, change: Add | Remove | UpdateMeta) -> None:
        """Apply a change."""
        if isinstance(change, Add):
            self._add(change)
            return
        if isinstance(change, Remove) and self._all_slots is not None:
            self._all_slots -= SlotSet(sorted(change.slots))
        self._mark_stale(change.slots)

    def _add(self, change: Add) -> None:
        for path in self.paths:
            if path in change.fields:
                self._by_path[path].add(zip(change.slots, change.fields[path], strict=True))
            elif change.slots:  # the column was filled while the change was prepared
                del self._by_path[path]
        if self._all_slots is not None:
            self._all_slots |= SlotSet(change.slots)

    def _mark_stale(self, slots: Iterable[int]) -> None:
        if self._by_path:
            self.stale |= SlotSet(sorted(set(slots)))
            known = 0 if self._all_slots is None else len(self._all_slots)
            if len(self.stale) > _MIN_STALE + known // 8:
                self._by_path.clear()
        if not self._by_path:
            self.stale = SlotSet()

    def all_slots(self, snapshot: ReadSnapshot) -> SlotSet:
        """Return the slots of all documents."""
        if self._all_slots is None:
            self._all_slots = SlotSet(snapshot.slots())
        return self._all_slots

    def column(self, path: FieldPath, snapshot: ReadSnapshot, *, keep: bool) -> Column:
        """Return the column of a field; keep it unless the snapshot has changes that may roll back."""
        column = self._by_path.get(path)
        if column is None:
            column = Column()
            column.add(_read_values(path, snapshot))
            if keep:
                if len(self._by_path) >= MAX_COLUMNS:
                    del self._by_path[next(iter(self._by_path))]
                self._by_path[path] = column
        return column


def collect_fields(documents: NumberedDocuments, paths: Iterable[FieldPath]) -> Fields:
    """Return the values of documents under some paths."""
    return {path: [column_value(document, path) for _, document in documents] for path in paths}


class SnapshotFields(FieldIndex):
    """Answers filters for a snapshot by the columns, which are of the same state."""

    def __init__(self, columns: ColumnSet, snapshot: ReadSnapshot, changed: Iterable[int]) -> None:
        self._columns = columns
        self._snapshot = snapshot
        self._changed = SlotSet(sorted(changed))

    def correct_stale(self, bounds: Bounds) -> Bounds:
        """Return bounds found by the columns, with stale and changed documents to be compared."""
        stale = self._columns.stale | self._changed
        if not len(stale):
            return bounds
        return Bounds(bounds.sure - stale, (bounds.may | stale) & self._everything())

    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        found = SlotSet(sorted(self._snapshot.slots_of(ids).values()))
        return Bounds(found, found)

    def _everything(self) -> SlotSet:
        if len(self._changed):
            return SlotSet(self._snapshot.slots())
        return self._columns.all_slots(self._snapshot)

    def _column(self, path: FieldPath) -> Column:
        return self._columns.column(path, self._snapshot, keep=not len(self._changed))


def _read_values(path: FieldPath, snapshot: ReadSnapshot) -> Iterator[tuple[int, Json]]:
    key = metadata_key(path)
    if key is None:
        yield from ((slot, column_value(document, path)) for slot, document in snapshot.documents())
    else:
        yield from ((slot, plain(value)) for slot, value in snapshot.values(key))
