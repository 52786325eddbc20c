"""The columns of a local store: filled from the database at a field's first use, and brought up with every change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spaniel._engine import SlotSet
from spaniel.document_stores.embedded.columns import Bounds, Column
from spaniel.document_stores.embedded.columns.field_index import MAX_COLUMNS, FieldIndex, column_value
from spaniel.document_stores.embedded.json_codec import decode
from spaniel.document_stores.local.index.changes import Add, Remove
from spaniel.document_stores.local.index.lookups import json_place
from spaniel.filters.equality import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.index.changes import UpdateMeta
    from spaniel.filters import Filter
    from spaniel.filters.field import FieldPath

MOST_STALE = 1000
"""From how many changed documents on columns may be built anew."""
_FIELD = """
SELECT slot, kind, CASE kind WHEN 'real' THEN meta -> ?1 WHEN 'odd' THEN NULL ELSE meta ->> ?1 END
FROM (
    SELECT slot, meta, CASE WHEN substr(meta, 1, 15) = '{"__spaniel__":' THEN 'odd' ELSE json_type(meta, ?1) END AS kind
    FROM documents ORDER BY slot
)
"""


class Columns:
    """The columns that were asked for, and the slots of which they no longer know.

    An update or a deletion does not tell the old values of a document, so its slot is *stale*: its values in the columns
    count for nothing, and the document is looked at. When many are, the columns are filled anew.
    """

    def __init__(self) -> None:
        self._by_path: dict[FieldPath, Column] = {}
        self._everything: SlotSet | None = None
        self._stale: set[int] = set()
        self._stale_slots: SlotSet | None = None

    @property
    def paths(self) -> list[FieldPath]:
        """The fields that have a column."""
        return list(self._by_path)

    def fold(self, change: Add | Remove | UpdateMeta) -> None:
        """Apply a change."""
        if isinstance(change, Add):
            self._add(change)
        elif isinstance(change, Remove):
            if self._everything is not None:
                self._everything -= SlotSet(sorted(change.slots))
            self._outdate(change.slots)
        else:
            self._outdate(change.slots)

    def _add(self, change: Add) -> None:
        for path in self.paths:
            if path in change.fields:
                self._by_path[path].add(zip(change.slots, change.fields[path], strict=True))
            elif change.slots:  # it was filled while the change was prepared
                del self._by_path[path]
        if self._everything is not None:
            self._everything |= SlotSet(change.slots)

    def _outdate(self, slots: Iterable[int]) -> None:
        if self._by_path and (stale := set(slots)):
            self._stale |= stale
            self._stale_slots = None
            if len(self._stale) > MOST_STALE + len(self.everything_known()) // 8:
                self._by_path.clear()
        if not self._by_path:
            self._stale, self._stale_slots = set(), None

    def everything_known(self) -> SlotSet:
        """Return the slots of all documents, if they were asked for."""
        return self._everything or SlotSet()

    def everything(self, view: View) -> SlotSet:
        """Return the slots of all documents."""
        if self._everything is None:
            self._everything = SlotSet(view.slots())
        return self._everything

    def stale(self) -> SlotSet:
        """Return the slots that columns don't know."""
        if self._stale_slots is None:
            self._stale_slots = SlotSet(sorted(self._stale))
        return self._stale_slots

    def column(self, path: FieldPath, view: View, *, keep: bool) -> Column:
        """Return the column of a field.

        :param view: fills it, if it is not there.
        :param keep: for later views: this one sees nothing that may yet be taken back.
        """
        column = self._by_path.get(path)
        if column is None:
            column = Column()
            column.add(_values(path, view))
            if keep:
                if len(self._by_path) >= MAX_COLUMNS:
                    del self._by_path[next(iter(self._by_path))]
                self._by_path[path] = column
        return column


Fields = dict["FieldPath", list[Any]]
"""For each field the values of some documents."""


def fields_of(documents: NumberedDocuments, paths: Iterable[FieldPath]) -> Fields:
    """Return the values of documents under paths."""
    return {path: [column_value(document, path) for _, document in documents] for path in paths}


class FieldsOfView(FieldIndex):
    """Answers filters for one view; the columns are of the same state.

    :param changed: slots of which the view sees more than the columns: those of a change that is being made.
    """

    def __init__(self, columns: Columns, view: View, changed: Iterable[int] = ()) -> None:
        self._columns = columns
        self._view = view
        self._changed = SlotSet(sorted(changed))

    def matching(self, filter: Filter, *, strict: bool) -> Bounds:
        """Return the bounds of a filter."""
        return self._without_stale(self.bounds(filter, strict=strict))

    def with_values(self, wanted: Sequence[tuple[FieldPath, Sequence[Any]]]) -> Bounds:
        """Return the bounds of holding a value of any of several fields."""
        return self._without_stale(self.holding_any(wanted))

    def _without_stale(self, bounds: Bounds) -> Bounds:
        stale = self._columns.stale() | self._changed
        if not len(stale):
            return bounds
        return Bounds(bounds.sure - stale, (bounds.may | stale) & self._everything())

    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        found = SlotSet(sorted(self._view.slots_of(ids).values()))
        return Bounds(found, found)

    def _everything(self) -> SlotSet:
        if len(self._changed):
            return SlotSet(self._view.slots())
        return self._columns.everything(self._view)

    def _column(self, path: FieldPath) -> Column:
        return self._columns.column(path, self._view, keep=not len(self._changed))


def _values(path: FieldPath, view: View) -> Iterator[tuple[int, Any]]:
    """Yield the value of a field in every document."""
    place = json_place(path)
    if place is None:
        yield from ((slot, column_value(document, path)) for slot, document in view.all())
        return
    for slot, kind, value in view.rows(_FIELD, (place,)):
        read = _READERS.get(kind)
        yield slot, value if read is None else read(value)


_READERS: dict[str | None, Callable[[Any], Any]] = {
    "array": lambda text: plain(decode(orjson.loads(text))),
    "object": lambda text: plain(decode(orjson.loads(text))),
    "real": float,  # SQLite may be wrong by the last digit
    "odd": lambda _: ...,  # keys that JSON lacks: the comparison decides
}
"""How values of some types of JSON are read."""
