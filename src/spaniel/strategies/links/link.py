"""The links of documents: those that lead out of them, and the values by which others lead to them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value

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
class Keys:
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
                    (document, targets[document.id] if inward else link_values(field_value(document, path)))
                    for document in frontier
                ]
                for place in count():
                    rows = [row for row in rows if len(row[1]) > place]
                    if not rows:
                        break
                    for document, values in rows:
                        yield Link(document, source, values[place], inward)


def link_values(value: Any) -> list[Any]:
    """Return the scalars that a metadata value holds: itself, or its distinct elements.

    >>> link_values(["b", "a", "b", None])
    ['b', 'a']
    """
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(item for item in values if isinstance(item, _SCALARS) and item == item))  # noqa: PLR0124 (NaN)
