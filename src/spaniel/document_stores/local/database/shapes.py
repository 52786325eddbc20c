"""The shapes of metadata: they say for each key where its value is stored (see docs/format.md)."""

from collections.abc import Iterator
from itertools import accumulate

import apsw
import orjson

from spaniel.document_stores.local.database.ids import StoredId, decode_id
from spaniel.document_stores.local.database.json_text import from_json
from spaniel.document_stores.local.database.rows import DamagedRowError
from spaniel.json_types import Json, Meta

MAX_SHAPES = 1000
"""Metadata of further shapes is stored whole."""

_PLACES = ("own", "tree", "siblings", "children", "parent", "shared")
_COLUMNS = {"items": "own", "references": "own"}
"""Places that are an array in the column of another one, with positions in the items of the tree."""
_INSERT = "INSERT INTO shapes (number, keys) VALUES (?, ?)"


class Shape:
    """Puts metadata together from the places of its values.

    :param keys: JSON: for each key a list of the key, the place and the position there.
    """

    def __init__(self, keys: str) -> None:
        stored = orjson.loads(keys)
        entries = [(key, _COLUMNS.get(place, place), position) for key, place, position in stored]
        used = [place for _, place, _ in entries]
        counts = {place: used.count(place) for place in _PLACES}
        counts["own"], counts["children"] = max(counts["own"], 1), min(counts["children"], 1)
        counts["parent"] = min(counts["parent"], 1)
        starts = dict(zip(_PLACES, accumulate(counts.values(), initial=0), strict=False))
        self._stored = {key: (place, position) for key, place, position in stored}
        self._listed = [(key, place) for key, place, _ in stored if place in _COLUMNS]
        self._places = [(key, starts[place] + position) for key, place, position in entries]
        self._num_values = starts["parent"]
        uses = [count > 0 for count in counts.values()]
        _, self._has_tree, self._has_siblings, self._has_children, self._has_parent, self._has_shared = uses

    def join(
        self,
        own: str,
        tree: str | None,
        items: str | None,
        siblings: str | None,
        parent: StoredId | None,
        children: str | None,
        shared: str | None,
    ) -> Meta:
        """Return metadata from arrays of values, the id of the parent, and those of the children.

        :raises ValueError: something is missing.
        """
        text = own[:-1]
        if self._has_tree and tree is not None:
            text = f"{text},{tree[1:-1]}"
        if self._has_siblings and siblings is not None:
            text = f"{text},{siblings[1:-1]}"
        if self._has_children:
            text = f"{text},{children}"
        values: Json = from_json(text + "]")
        if len(values) != self._num_values or (self._has_children and None in values[-1]):
            raise ValueError("a part of its metadata is missing")
        if self._has_parent:
            if parent is None:
                raise ValueError("its parent is missing")
            values.append(decode_id(parent))
        if self._has_shared:
            values += from_json(shared or "null")
        meta = {key: values[place] for key, place in self._places}
        if self._listed:
            texts: Json = from_json(items or "null")
            meta |= {key: _fill_in(meta[key], place, texts) for key, place in self._listed}
        return meta

    def find_value(
        self,
        key: str,
        own: str,
        tree: str | None,
        items: str | None,
        siblings: str | None,
        parent: StoredId | None,
        children: str | None,
        shared: str | None,
    ) -> Json:
        """Return the value of a key; None if there is none. Other parameters as for `join`."""
        place, position = self._stored.get(key, ("own", None))
        if position is None:
            return None
        if place in _COLUMNS:
            return _fill_in(from_json(own)[position], place, from_json(items or "null"))
        texts = {"own": own, "tree": tree, "siblings": siblings, "children": children, "shared": shared}
        if place == "parent":
            return None if parent is None else decode_id(parent)
        found: Json = from_json(texts[place] or "null")
        return found if place == "children" else found[position]


def _fill_in(stored: Json, place: str, texts: list[str]) -> Json:
    """Return a list with the texts whose positions it has."""
    if place == "items":
        return [texts[item] for item in stored]
    return [[start, end, texts[target] if type(target) is int else target, kind] for start, end, target, kind in stored]


class Shapes(dict[int, Shape]):
    """The shapes of a database, by number; those that are committed never change."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] | None = None

    def forget(self) -> None:
        """Read the shapes again when they are needed: some of them were rolled back."""
        self.clear()
        self._numbers = None

    def read(self, connection: apsw.Connection) -> None:
        """Read the shapes of a database.

        :raises DamagedRowError: a shape is damaged.
        """
        try:
            self.update((number, Shape(keys)) for number, keys in _read(connection))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise DamagedRowError(f"A shape of metadata is damaged: {error!r}") from error

    def number(self, keys: str, connection: apsw.Connection) -> int | None:
        """Return the number of a shape, which is stored if it is new; None if there are too many."""
        if self._numbers is None:
            self._numbers = {keys: number for number, keys in _read(connection)}
        number = self._numbers.get(keys)
        if number is None and len(self._numbers) < MAX_SHAPES:
            number = self._numbers[keys] = max(self._numbers.values(), default=0) + 1
            connection.execute(_INSERT, (number, keys))
        return number


def _read(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    rows: Json = connection.execute("SELECT number, keys FROM shapes")
    yield from rows
