"""Neighbourhoods of chunks, numbered in a source or leaves of a root, and the requests for them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, END, ROOT, START
from spaniel.filters.equality import plain
from spaniel.json_types import Json
from spaniel.runtime.requests import UnboundRequest
from spaniel.strategies.store_requests import FetchByFilter, FetchByKeys, FetchInRanges, make_range_filter
from spaniel.strategies.windows.rows import ChunkRow, LeafRow, NumberedRow

# Stores limit the size of a filter: for more windows, a plain filter fetches the chunks of all
# their sources. Up to this number a condition per window is faster: the in-memory store looks each
# up in 0.04 ms, but copies whole sources in 40 ms (20,000 chunks).
_MAX_CONDITIONS = 100

WindowScope = Literal["source", "root"]
"""The chunks that a window may extend over: those numbered in a source, or the leaves of a root."""


@dataclass(frozen=True)
class Place:
    """The metadata fields of a chunk's position: those of its source, and that of its number."""

    source_fields: tuple[str, ...] = ("source_id",)
    number_field: str = "split_id"


BY_SPLIT_ID = Place()  # the fields that the splitters write


def is_number(value: object) -> bool:
    """Return if a value can number a chunk."""
    return isinstance(value, Real) and value == value  # noqa: PLR0124 (NaN has no order)


@dataclass(frozen=True)
class InSource:
    """Chunks are numbered in their source."""

    place: Place

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields of the position that a document lacks."""
        missing = tuple(name for name in self.place.source_fields if document.meta.get(name) is None)
        number_field = self.place.number_field
        return missing if is_number(document.meta.get(number_field)) else (number_field, *missing)

    def row_of(self, document: Document) -> Hashable:
        """Return the key of the document's source."""
        return _source_key(self._source_of(document))

    def request(self, hits: Sequence[Document], before: int, after: int) -> UnboundRequest:
        """Return the ranges of all windows, or a filter for their sources if there are many."""
        numbers = [hit.meta[self.place.number_field] for hit in hits]
        sources = [self._source_of(hit) for hit in hits]
        ranges = {
            (_source_key(source), number): (source, number - before, number + after)
            for source, number in zip(sources, numbers, strict=True)
        }
        if len(ranges) <= _MAX_CONDITIONS:
            return FetchInRanges(self.place.source_fields, self.place.number_field, list(ranges.values()))
        distinct = {key: source for (key, _), (source, _, _) in ranges.items()}
        values = [list(values) for values in zip(*distinct.values(), strict=True)]
        by_field = dict(zip(self.place.source_fields, values, strict=True))
        first, last = min(numbers) - before, max(numbers) + after
        return FetchByFilter(make_range_filter(self.place.number_field, first, last, "in", by_field))

    def rows(self, fetched: Sequence[Document]) -> dict[Hashable, ChunkRow]:
        """Return the chunks of each source by number."""
        number_field = self.place.number_field
        chunks: dict[Hashable, list[Document]] = {}
        for document in fetched:
            if is_number(document.meta.get(number_field)):
                chunks.setdefault(self.row_of(document), []).append(document)
        for row in chunks.values():
            row.sort(key=lambda document: document.meta[number_field])
        return {key: NumberedRow(row, number_field) for key, row in chunks.items()}

    def _source_of(self, document: Document) -> list[Json]:
        return [document.meta.get(name) for name in self.place.source_fields]


def _source_key(source: Sequence[Json]) -> Hashable:
    try:
        hash(tuple(source))
    except TypeError:
        return repr(source)
    return tuple(source)


@dataclass(frozen=True)
class InRoot:
    """The leaves of a whole root are neighbours, in the order of its text, across its sections."""

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the keys of a span in a root that a document lacks."""
        types = {ROOT: str, START: int, END: int}
        return tuple(key for key, type in types.items() if not isinstance(document.meta.get(key), type))

    def row_of(self, document: Document) -> Hashable:
        """Return the root's id."""
        return str(document.meta[ROOT])

    def request(self, hits: Sequence[Document], before: int, after: int) -> UnboundRequest:  # noqa: ARG002 (whole roots)
        """Return the request for all nodes of the hits' roots."""
        return FetchByKeys({ROOT: list(dict.fromkeys(hit.meta[ROOT] for hit in hits))})

    def rows(self, fetched: Sequence[Document]) -> dict[Hashable, ChunkRow]:
        """Return the leaves of each root in the order of the text."""
        leaves: dict[Hashable, list[Document]] = {}
        for document in fetched:
            if not self.missing_in(document) and not plain(document.meta.get(CHILDREN)):
                leaves.setdefault(document.meta[ROOT], []).append(document)
        for row in leaves.values():
            row.sort(key=lambda leaf: (leaf.meta[START], leaf.meta[END], leaf.id))
        return {root: LeafRow(row) for root, row in leaves.items()}
