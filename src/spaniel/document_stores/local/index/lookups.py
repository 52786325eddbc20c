"""Look-ups of a metadata key in the database: which documents may hold one of some texts, without reading the others.

A look-up is a pair of SQL indexes: of the values under the key, and of the documents where SQL alone can't tell, because
a list, an object or a key that JSON lacks is there. It is kept by SQLite with every write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spaniel.dataclasses import Document
from spaniel.document_stores.local.database.rows import stored_text
from spaniel.filters import Comparison
from spaniel.filters.dates import iso_instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.filters import Filter
    from spaniel.filters.field import FieldPath

_META, _AT_ONCE = "meta", 100
_QUOTES = frozenset("\"'\\")
_IRREGULAR = "json_type(meta, '{place}') IN ('array', 'object') OR substr(meta, 1, 15) = '{{\"__spaniel__\":'"

_OF_IRREGULAR = f"SELECT slot FROM documents WHERE {_IRREGULAR}"  # noqa: S608 (the place has no quotation marks)
_OF_VALUES = "SELECT slot FROM documents WHERE meta ->> '{place}' IN ({marks})"


def add_lookup(connection: apsw.Connection, path: FieldPath) -> None:
    """Make the look-up of a key, if there is none.

    :param path: of a key of the metadata.
    :raises ValueError: there can be no look-up of that key.
    """
    place = json_place(path)
    if place is None:
        raise ValueError(f"There can be no look-up of '{'.'.join(path)}': name one key, of printable characters.")
    name = _name(path)
    connection.execute(f"CREATE INDEX IF NOT EXISTS \"{name}\" ON documents (meta ->> '{place}')")
    irregular = _IRREGULAR.format(place=place)
    connection.execute(f'CREATE INDEX IF NOT EXISTS "{name}, irregular" ON documents (slot) WHERE {irregular}')


def has_lookup(view: View, path: FieldPath) -> bool:
    """Return whether there is a look-up of a key."""
    return json_place(path) is not None and view.has_index(_name(path))


def json_place(path: FieldPath) -> str | None:
    """Return where a field stands in the JSON of the metadata; None if that can't be told by SQLite."""
    key = path[-1]
    # One name may be a field of the document; of a path of several keys, one that holds dots may be meant.
    is_key = path[0] == _META if len(path) == 2 else len(path) == 1 and key not in Document.__dataclass_fields__
    return f'$."{key}"' if is_key and key.isprintable() and _QUOTES.isdisjoint(key) else None


def slots_with(view: View, path: FieldPath, values: Sequence[Any]) -> list[int] | None:
    """Return the slots of all documents that may hold one of some values; None if there is no look-up that tells.

    :param view: of the documents.
    :param path: of the key.
    """
    if not values or not all(type(value) is str and iso_instant(value) is None for value in values):
        return None
    place = json_place(path)
    if place is None or not has_lookup(view, path):
        return None
    texts = sorted(set(values))
    found = [slot for (slot,) in view.rows(_OF_IRREGULAR.format(place=place))]
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        sql = _OF_VALUES.format(place=place, marks=marks)
        found += [slot for (slot,) in view.rows(sql, [stored_text(text) for text in some])]
    return found


def slots_with_any(view: View, wanted: Sequence[tuple[FieldPath, Sequence[Any]]]) -> list[int] | None:
    """Return the slots of all documents that may hold a value of any of several fields; None if no look-up tells."""
    return _joined(slots_with(view, path, values) for path, values in wanted)


def slots_passing(view: View, filter: Filter) -> list[int] | None:
    """Return the slots of all documents that may pass a filter; None if no look-up tells."""
    if isinstance(filter, Comparison):
        values = {"==": [filter.value], "in": filter.value}.get(filter.operator)
        return None if values is None else slots_with(view, filter.path, values)
    parts = (slots_passing(view, condition) for condition in filter.conditions)
    if filter.operator == "AND":
        return next((part for part in parts if part is not None), None)
    if filter.operator == "NOT" or not filter.conditions:
        return None
    return _joined(parts)


def _joined(parts: Iterable[list[int] | None]) -> list[int] | None:
    found: list[int] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found


def _name(path: FieldPath) -> str:
    return f"lookup of {path[-1]}"
