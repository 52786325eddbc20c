"""Look-ups of a metadata key: SQL indexes that find documents by text without reading the others.

A look-up is a pair of SQL indexes, which SQLite updates with every write: of the values under the
key, and of the documents where SQL can't decide because the key holds a list or an object, or the
metadata has keys that JSON lacks.
"""

from collections.abc import Iterable, Sequence

import apsw

from spaniel.dataclasses import Document
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.rows import encode_text
from spaniel.filters import Comparison, Filter
from spaniel.filters.dates import parse_iso_instant
from spaniel.filters.field import FieldPath
from spaniel.json_types import Json

_META = "meta"
_MAX_BINDINGS = 100
_QUOTES = frozenset("\"'\\")
_IRREGULAR = "json_type(meta, '{place}') IN ('array', 'object') OR substr(meta, 1, 15) = '{{\"__spaniel__\":'"

_IRREGULAR_SLOTS = f"SELECT slot FROM documents WHERE {_IRREGULAR}"  # noqa: S608 (the place has no quotation marks)
_INDEX = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?"
_SLOTS_BY_VALUE = "SELECT slot FROM documents WHERE meta ->> '{place}' IN ({marks})"


def add_lookup(connection: apsw.Connection, path: FieldPath) -> None:
    """Create the look-up of a metadata key, unless it exists."""
    place = json_place(path)
    if place is None:
        raise ValueError(f"There can be no look-up of '{'.'.join(path)}'. Give a single key of printable characters.")
    name = _lookup_name(path)
    connection.execute(f"CREATE INDEX IF NOT EXISTS \"{name}\" ON documents (meta ->> '{place}')")
    irregular = _IRREGULAR.format(place=place)
    connection.execute(f'CREATE INDEX IF NOT EXISTS "{name}, irregular" ON documents (slot) WHERE {irregular}')


def has_lookup(snapshot: ReadSnapshot, path: FieldPath) -> bool:
    """Return if a key has a look-up."""
    return json_place(path) is not None and any(snapshot.rows(_INDEX, (_lookup_name(path),)))


def json_place(path: FieldPath) -> str | None:
    """Return the JSON path of a field within the metadata, or None if SQLite can't address it."""
    key = path[-1]
    # A single name may be a field of the document; a path of several keys may be a key with dots.
    is_key = path[0] == _META if len(path) == 2 else len(path) == 1 and key not in Document.__dataclass_fields__
    return f'$."{key}"' if is_key and key.isprintable() and _QUOTES.isdisjoint(key) else None


def find_slots(snapshot: ReadSnapshot, path: FieldPath, values: Sequence[Json]) -> list[int] | None:
    """Return the slots of the documents that may hold a value, or None without a look-up."""
    if not values or not all(type(value) is str and parse_iso_instant(value) is None for value in values):
        return None
    place = json_place(path)
    if place is None or not has_lookup(snapshot, path):
        return None
    texts = sorted(set(values))
    found = [slot for (slot,) in snapshot.rows(_IRREGULAR_SLOTS.format(place=place))]
    for start in range(0, len(texts), _MAX_BINDINGS):
        bindings = [encode_text(text) for text in texts[start : start + _MAX_BINDINGS]]
        sql = _SLOTS_BY_VALUE.format(place=place, marks=", ".join("?" * len(bindings)))
        found += [slot for (slot,) in snapshot.rows(sql, bindings)]
    return found


def find_slots_of_any(snapshot: ReadSnapshot, wanted: Sequence[tuple[FieldPath, Sequence[Json]]]) -> list[int] | None:
    """Return the slots of the documents that may hold a value of any field, or None."""
    return _join(find_slots(snapshot, path, values) for path, values in wanted)


def find_passing_slots(snapshot: ReadSnapshot, filter: Filter) -> list[int] | None:
    """Return the slots of the documents that may pass a filter, or None without look-ups."""
    if isinstance(filter, Comparison):
        values = {"==": [filter.value], "in": filter.value}.get(filter.operator)
        return None if values is None else find_slots(snapshot, filter.path, values)
    parts = (find_passing_slots(snapshot, condition) for condition in filter.conditions)
    if filter.operator == "AND":
        return next((part for part in parts if part is not None), None)
    if filter.operator == "NOT" or not filter.conditions:
        return None
    return _join(parts)


def _join(parts: Iterable[list[int] | None]) -> list[int] | None:
    found: list[int] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found


def _lookup_name(path: FieldPath) -> str:
    return f"lookup of {path[-1]}"
