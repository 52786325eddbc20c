"""Look-ups of a metadata key: they find documents by text without reading the others.

A look-up lists hashes of the values under its key, each with a *run*: the slots from its first
document to the last one next to it that holds the same text. Lists and other values that may hold
a text have one hash in common. A look-up may list too much, so callers compare the documents.
"""

import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby

import apsw

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.errors import StoreFileError
from spaniel.filters import Comparison, Filter
from spaniel.filters.dates import parse_iso_instant
from spaniel.filters.field import FieldPath
from spaniel.json_types import Json

_META = "meta"
_QUOTES = frozenset("\"'\\")
_PLAIN = frozenset({int, float, bool, type(None)})
_IRREGULAR = -1

_NUMBER = "SELECT number FROM lookups WHERE key = ?"
_NEW = "INSERT INTO lookups (key) VALUES (?)"
_LOOKUPS = "SELECT number, key FROM lookups"
_LISTED = "SELECT 1 FROM lookup_runs WHERE lookup = ?1 AND hash = ?2 AND first_slot <= ?3 AND last_slot >= ?4"
_ADD = "INSERT OR IGNORE INTO lookup_runs VALUES (?, ?, ?, ?)"
_SLOTS = """
SELECT slot FROM lookup_runs JOIN nodes ON slot BETWEEN first_slot AND last_slot
WHERE lookup = ? AND hash = ? AND searched IS NOT NULL
"""


def add_lookup(snapshot: ReadSnapshot, path: FieldPath) -> None:
    """Create the look-up of a metadata key, unless it exists."""
    key = lookup_key(path)
    if key is None:
        raise ValueError(f"There can be no look-up of '{'.'.join(path)}'. Give a single key of printable characters.")
    if has_lookup(snapshot, path):
        return
    snapshot.connection.execute(_NEW, (key,))
    number = snapshot.connection.last_insert_rowid()
    _add_runs(snapshot.connection, number, key, snapshot.documents())


def add_to_lookups(
    connection: apsw.Connection, documents: NumberedDocuments, keys: Container[str] | None = None
) -> None:
    """List new documents, or documents with new values of some keys, in all look-ups."""
    for number, key in list(connection.execute(_LOOKUPS)):
        if keys is None or key in keys:
            _add_runs(connection, number, key, documents)


def rebuild_lookups(snapshot: ReadSnapshot) -> None:
    """List the documents again, without values that were deleted or changed."""
    snapshot.connection.execute("DELETE FROM lookup_runs")
    for number, key in list(snapshot.connection.execute(_LOOKUPS)):
        _add_runs(snapshot.connection, number, key, snapshot.documents())


def list_lookup_problems(snapshot: ReadSnapshot) -> Iterator[str]:
    """Yield a sentence for each document that a look-up does not list."""
    for number, key in list(snapshot.rows(_LOOKUPS)):
        with suppress(StoreFileError):  # of a damaged row, which is reported with its document
            for slot, value in snapshot.values(key):
                hash = _hash_value(value)
                if hash is not None and not any(snapshot.rows(_LISTED, (number, hash, slot, slot))):
                    yield f"database: the look-up of '{key}' lacks the document of slot {slot}"


def _add_runs(connection: apsw.Connection, number: int, key: str, documents: Iterable[tuple[int, Document]]) -> None:
    entries = [(_hash_value(document.meta.get(key)), slot) for slot, document in documents]
    for (hash, _), run in groupby(enumerate(entries), lambda pair: (pair[1][0], pair[1][1] - pair[0])):
        if hash is not None:
            slots = [slot for _, (_, slot) in run]
            if not list(connection.execute(_LISTED, (number, hash, slots[0], slots[-1]))):
                connection.execute(_ADD, (number, hash, slots[0], slots[-1]))


def _hash_value(value: Json) -> int | None:
    """Return the hash of a value; None if it neither is nor holds a text."""
    if type(value) is str:
        return zlib.crc32(value.encode("utf-8", "surrogatepass"))
    return None if type(value) in _PLAIN else _IRREGULAR


def has_lookup(snapshot: ReadSnapshot, path: FieldPath) -> bool:
    """Return if a key has a look-up."""
    return _find_number(snapshot, path) is not None


def _find_number(snapshot: ReadSnapshot, path: FieldPath) -> int | None:
    key = lookup_key(path)
    return None if key is None else next((number for (number,) in snapshot.rows(_NUMBER, (key,))), None)


def lookup_key(path: FieldPath) -> str | None:
    """Return the metadata key of a field, or None if it can have no look-up."""
    key = metadata_key(path)
    return key if key is not None and key.isprintable() and _QUOTES.isdisjoint(key) else None


def metadata_key(path: FieldPath) -> str | None:
    """Return the metadata key of a field, or None if it is something else."""
    # A single name may be a field of the document; a path of several keys may be a key with dots.
    is_key = path[0] == _META if len(path) == 2 else len(path) == 1 and path[0] not in Document.__dataclass_fields__
    return path[-1] if is_key else None


def find_slots(snapshot: ReadSnapshot, path: FieldPath, values: Sequence[Json]) -> list[int] | None:
    """Return the slots of the documents that may hold a value, or None without a look-up."""
    if not values or not all(type(value) is str and parse_iso_instant(value) is None for value in values):
        return None
    number = _find_number(snapshot, path)
    if number is None:
        return None
    hashes = {_IRREGULAR, *map(_hash_value, values)}
    return list({slot for hash in hashes for (slot,) in snapshot.rows(_SLOTS, (number, hash))})


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
