"""The links of documents: those that lead out of them, and the values by which others lead to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any, Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.filters.dates import iso_instant
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value

LinkDirection = Literal["out", "in", "both"]
"""Outward to link targets, inward to linking documents, or both."""

DIRECTIONS: Mapping[str, tuple[bool, ...]] = {"out": (False,), "in": (True,), "both": (False, True)}
"""Which links are followed: for each name, whether inward ones, in their order."""

_SCALARS = (str, int, float, date)


@dataclass(frozen=True)
class Link:
    """A value that leads from `origin` to documents, by the key number `source`.

    Outward, the value stands in `origin` under that key, and targets hold it under the key that links point at. Inward it is
    the other way round.
    """

    origin: Document
    source: int
    value: Any
    inward: bool = False


@dataclass(frozen=True)
class LinkKeys:
    """Where links stand, and what they point at.

    :param target: what links point at.
    :param links: the keys under which they stand.
    :param direction: a key of `DIRECTIONS`.
    """

    target: str
    links: Sequence[str]
    direction: str = "out"

    def sought(self, link: Link) -> str:
        """Return the key under which the targets of a link hold its value."""
        return self.links[link.source] if link.inward else self.target

    def wanted(self, links: Sequence[Link]) -> dict[str, list[Any]]:
        """Return the values to look for under each key."""
        values: dict[str, dict[Any, None]] = {}
        for link in links:
            values.setdefault(self.sought(link), {})[link.value] = None
        return {key: list(found) for key, found in values.items()}

    def follow(self, frontier: Sequence[Document], targets: Mapping[str, list[Any]]) -> Iterator[Link]:
        """Yield source by source the first link of every document, then the second ones, and so on.

        :param frontier: the documents whose links are followed.
        :param targets: the values by which links lead to these documents, by id; needed where inward links are followed.
        """
        for source, key in enumerate(self.links):
            path = field_path(key)
            for inward in DIRECTIONS[self.direction]:
                rows = [
                    (document, targets[document.id] if inward else list_link_values(field_value(document, path)))
                    for document in frontier
                ]
                for place in count():
                    rows = [row for row in rows if len(row[1]) > place]
                    if not rows:
                        break
                    for document, values in rows:
                        yield Link(document, source, values[place], inward)


def list_link_values(value: Any) -> list[Any]:
    """Return the scalars that a metadata value holds: itself, or its distinct elements.

    >>> list_link_values(["b", "a", "b", None])
    ['b', 'a']
    """
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(item for item in values if isinstance(item, _SCALARS) and item == item))  # noqa: PLR0124 (NaN)


class LinkTargets:
    """The documents that links lead to, in store order.

    :param documents: what the store returned.
    :param keys: which keys the links go by.
    """

    def __init__(self, documents: Iterable[Document], keys: LinkKeys) -> None:
        self._documents = list(documents)
        self._keys = keys
        self._by_key: dict[str, _ByValue] = {}

    def of(self, link: Link) -> list[Document]:
        """Return the targets of a link, each once.

        The links of a piece of text are in the metadata of all that it is part of, so inward the smallest piece counts.
        """
        key = self._keys.sought(link)
        if key not in self._by_key:
            self._by_key[key] = _ByValue(self._documents, key)
        return self._by_key[key].holding(link.value, smallest=link.inward)


class _ByValue:
    """Documents by their values under a key."""

    def __init__(self, documents: Iterable[Document], key: str) -> None:
        self._documents: dict[Any, list[tuple[int, Document]]] = {}
        self._found: dict[tuple[Any, bool], list[Document]] = {}  # many links may lead to one hub
        path = field_path(key)
        for position, document in enumerate(documents):
            for value in list_link_values(field_value(document, path)):
                for filed in _filed_under(value):
                    self._documents.setdefault(filed, []).append((position, document))

    def holding(self, value: Any, *, smallest: bool) -> list[Document]:
        if (value, smallest) not in self._found:
            held = dict(pair for sought in _sought_under(value) for pair in self._documents.get(sought, ()))
            found = [held[position] for position in sorted(held)]
            wholes = {document.meta.get(PARENT) for document in found} if smallest else set()
            self._found[value, smallest] = [document for document in found if document.id not in wholes]
        return self._found[value, smallest]


# A moment has many spellings. One without a time zone equals one of the same clock time in any zone.


def _filed_under(value: Any) -> list[Any]:
    moment = iso_instant(value)
    if moment is None:
        return [value]
    return [moment] if moment.tzinfo is None else [moment, ("zoned", moment.replace(tzinfo=None))]


def _sought_under(value: Any) -> list[Any]:
    moment = iso_instant(value)
    if moment is None:
        return [value]
    return [moment, ("zoned", moment) if moment.tzinfo is None else moment.replace(tzinfo=None)]
