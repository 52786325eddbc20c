"""The filter index of an in-memory store: columns of its fields, and a cache of recent results."""

from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime

from spaniel._engine import Postings, SlotSet
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.columns import Bounds, Column
from spaniel.document_stores.embedded.columns.field_index import MAX_COLUMNS, FieldIndex, column_value
from spaniel.filters import Comparison, Filter
from spaniel.filters.field import FieldPath

_MAX_FILTERS = 32
_MAX_VALUES = 100  # of a list, and parts of a filter
_SCALARS = frozenset({str, int, float, bool, type(None), date, datetime})


class ColumnIndex(FieldIndex):
    """The columns of a store, built by the first filter on a field, then updated by writes."""

    def __init__(self, documents: Mapping[int, Document], slot_of: Mapping[str, int]) -> None:
        self._documents = documents
        self._slot_of = slot_of
        self._columns: dict[FieldPath, Column] = {}
        self._stored = Postings()

    def add(self, documents: Mapping[int, Document]) -> None:
        """Add documents by slot."""
        self._stored.add([0] * len(documents), list(documents))
        for path, column in self._columns.items():
            column.add((slot, column_value(document, path)) for slot, document in documents.items())

    def remove(self, documents: Mapping[int, Document]) -> None:
        """Remove documents by slot."""
        self._stored.remove([0] * len(documents), list(documents))
        for path, column in self._columns.items():
            column.remove((slot, column_value(document, path)) for slot, document in documents.items())

    def _of_ids(self, ids: Sequence[str]) -> Bounds:
        found = SlotSet([self._slot_of[id] for id in ids if id in self._slot_of])
        return Bounds(found, found)

    def _everything(self) -> SlotSet:
        return self._stored.union([0])

    def _column(self, path: FieldPath) -> Column:
        column = self._columns.get(path)
        if column is None:
            if len(self._columns) >= MAX_COLUMNS:
                del self._columns[next(iter(self._columns))]
            column = self._columns[path] = Column()
            column.add((slot, column_value(document, path)) for slot, document in self._documents.items())
        return column


class FilterCache:
    """The matching slots of recently used filters, until the next write. Not thread-safe."""

    def __init__(self) -> None:
        self._found: dict[Hashable, SlotSet] = {}

    def get(self, key: Hashable | None) -> SlotSet | None:
        """Return the cached slots of a filter."""
        if (found := self._found.pop(key, None)) is not None:
            self._found[key] = found  # now the most recently used
        return found

    def put(self, key: Hashable | None, found: SlotSet) -> None:
        """Cache the slots of a filter; may evict the least recently used."""
        if key is None:
            return
        if len(self._found) >= _MAX_FILTERS:
            del self._found[next(iter(self._found))]
        self._found[key] = found

    def clear(self) -> None:
        """Empty the cache, since the documents have changed."""
        self._found.clear()


def filter_key(filter: Filter, strict_dates: bool) -> Hashable | None:
    """Return the cache key of a filter; None if it is long, or has values of odd types.

    >>> from spaniel.filters import parse_filter
    >>> filters = [{"field": "a", "operator": "==", "value": value} for value in (1, True, 1)]
    >>> keys = [filter_key(parse_filter(each), False) for each in filters]
    >>> keys[0] == keys[2] != keys[1]
    True
    """
    parts: list[Hashable] = [strict_dates]
    return tuple(parts) if _collect(filter, parts) else None


def _collect(filter: Filter, parts: list[Hashable]) -> bool:
    if not isinstance(filter, Comparison):
        parts += [filter.operator, len(filter.conditions)]
        return len(parts) < _MAX_VALUES and all(_collect(condition, parts) for condition in filter.conditions)
    values = filter.value if type(filter.value) is list else [filter.value]
    if len(values) > _MAX_VALUES or not all(type(value) in _SCALARS for value in values):
        return False
    # 1, 1.0 and True are equal, but differ in some comparisons, as do equal dates of two zones.
    parts += [filter.field, filter.operator, type(filter.value).__name__]
    parts.append(tuple((type(value).__name__, repr(value)) for value in values))
    return True
