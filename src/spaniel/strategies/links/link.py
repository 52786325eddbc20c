"""Links: values in the metadata of documents that occur in the metadata of other documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.filters.dates import parse_iso_instant
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json

LinkDirection = Literal["out", "in", "both"]
"""Outward to link targets, inward to linking documents, or both."""

DIRECTIONS: Mapping[LinkDirection, tuple[bool, ...]] = {"out": (False,), "in": (True,), "both": (False, True)}
"""The values of `Link.inward` to follow, in order."""

_SCALARS = (str, int, float, date)


@dataclass(frozen=True)
class Link:
    """A value that leads from `origin` to documents, under the link key number `source`.

    Outward, `origin` has the value under the link key, and its targets have it under the target
    key. Inward, the roles of the two keys are swapped.
    """

    origin: Document
    source: int
    value: Json
    inward: bool = False


@dataclass(frozen=True)
class LinkKeys:
    """The metadata key that links refer to, and the keys with links."""

    target: str
    links: Sequence[str]
    direction: LinkDirection = "out"

    def target_key(self, link: Link) -> str:
        """Return the key under which the targets of a link have its value."""
        return self.links[link.source] if link.inward else self.target

    def group_values(self, links: Sequence[Link]) -> dict[str, list[Json]]:
        """Return the distinct values of links by target key."""
        values: dict[str, dict[Json, None]] = {}
        for link in links:
            values.setdefault(self.target_key(link), {})[link.value] = None
        return {key: list(found) for key, found in values.items()}

    def iterate_links(self, frontier: Sequence[Document], targets: Mapping[str, list[Json]]) -> Iterator[Link]:
        """Yield per source the first link of every document, then the second ones, and so on.

        `targets` has the values under the target key by document id; it is read for inward links.
        """
        for source, key in enumerate(self.links):
            path = field_path(key)
            for inward in DIRECTIONS[self.direction]:
                rows = [
                    (document, targets[document.id] if inward else list_link_values(field_value(document, path)))
                    for document in frontier
                ]
                for at in count():
                    rows = [row for row in rows if len(row[1]) > at]
                    if not rows:
                        break
                    for document, values in rows:
                        yield Link(document, source, values[at], inward)


def list_link_values(value: Json) -> list[Json]:
    """Return the scalars of a metadata value: itself, or its distinct elements.

    >>> list_link_values(["b", "a", "b", None])
    ['b', 'a']
    """
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(item for item in values if isinstance(item, _SCALARS) and item == item))  # noqa: PLR0124 (NaN)


class LinkTargets:
    """The documents that links lead to, in store order; values match as in a filter's ``==``."""

    def __init__(self, documents: Sequence[Document], keys: LinkKeys) -> None:
        self.keys = keys
        self._documents = documents
        self._by_key: dict[str, dict[object, list[tuple[int, Document]]]] = {}
        self._found: dict[tuple[str, Json, bool], list[Document]] = {}  # many links may lead to a hub

    def find(self, link: Link) -> list[Document]:
        """Return the targets of a link; inward without parents, whose links are their parts'."""
        way = self.keys.target_key(link), link.value, link.inward
        if way not in self._found:
            index = self._index(way[0])
            matching = dict(pair for key in _make_keys(link.value)[1] for pair in index.get(key, ()))
            found = [matching[position] for position in sorted(matching)]
            parents = {document.meta.get(PARENT) for document in found} if link.inward else set()
            self._found[way] = [document for document in found if document.id not in parents]
        return self._found[way]

    def _index(self, key: str) -> dict[object, list[tuple[int, Document]]]:
        if key not in self._by_key:
            index = self._by_key[key] = dict[object, list[tuple[int, Document]]]()
            path = field_path(key)
            for position, document in enumerate(self._documents):
                for value in list_link_values(field_value(document, path)):
                    for index_key in _make_keys(value)[0]:
                        index.setdefault(index_key, []).append((position, document))
        return self._by_key[key]


def _make_keys(value: Json) -> tuple[list[object], list[object]]:
    """Return the keys to index a value under, and those to find it by.

    An instant has many spellings, and without a time zone it equals the same clock time in any
    zone.
    """
    instant = parse_iso_instant(value)
    if instant is None:
        return [value], [value]
    if instant.tzinfo is None:
        return [instant], [instant, ("zoned", instant)]
    clock_time = instant.replace(tzinfo=None)
    return [instant, ("zoned", clock_time)], [instant, clock_time]
