"""Which documents hold a value under a key; equal values meet, as in a filter's ``==``."""

from collections.abc import Iterable
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.filters.dates import iso_instant
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.links.link import Keys, Link, link_values


class Targets:
    """The documents that links lead to, in store order.

    :param documents: what the store returned.
    :param keys: which keys the links go by.
    """

    def __init__(self, documents: Iterable[Document], keys: Keys) -> None:
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
            for value in link_values(field_value(document, path)):
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
