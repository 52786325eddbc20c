"""Which chunks are neighbours: those numbered in a source, or the leaves of a whole root; and how to ask for them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Protocol

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, END, ROOT, START
from spaniel.filters.equality import plain
from spaniel.strategies.store_requests import Fetch, FetchByFilter, FetchByKey, FetchInRanges
from spaniel.strategies.windows.rows import ChunkRow, LeafRow, NumberedRow

# Beyond this many windows, the chunks of all their sources are fetched by one plain filter and picked here, because stores
# limit the size of a filter. Up to it, a condition a window pays: the in-memory store looks each up in 0.04 ms, but copies
# whole sources in 40 ms (20,000 chunks). A store that holds every chunk against every condition is slower by them.
_MOST_CONDITIONS = 100


@dataclass(frozen=True)
class Place:
    """Which metadata says where a chunk stands: the fields of its source, and the field of its number there."""

    source_fields: tuple[str, ...] = ("source_id",)
    number_field: str = "split_id"


BY_SPLIT_ID = Place()
"""As the splitters write it."""


class Layout(Protocol):
    """Which chunks are neighbours."""

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields that a document lacks to say where it stands."""
        ...

    def row_of(self, document: Document) -> Hashable:
        """Return what is equal for the chunks of one text."""
        ...

    def request(self, hits: Sequence[Document], before: int, after: int) -> Fetch:
        """Return the one request that brings the chunks of all windows."""
        ...

    def rows(self, fetched: Sequence[Document]) -> dict[Hashable, ChunkRow]:
        """Return the chunks of each text in their order."""
        ...


def is_number(value: object) -> bool:
    """Return whether a value can number a chunk."""
    return isinstance(value, Real) and value == value  # noqa: PLR0124 (NaN is in no order)


def _same(source: Sequence[Any]) -> Hashable:
    """Return what is equal for equal sources."""
    try:
        hash(tuple(source))
    except TypeError:
        return repr(source)
    return tuple(source)


@dataclass(frozen=True)
class InSource:
    """Chunks are numbered in their source."""

    place: Place

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields that a document lacks to say where it stands."""
        missing = tuple(name for name in self.place.source_fields if document.meta.get(name) is None)
        numbered = is_number(document.meta.get(self.place.number_field))
        return missing if numbered else (self.place.number_field, *missing)

    def row_of(self, document: Document) -> Hashable:
        """Return what is equal for the chunks of one text."""
        return _same(self._source_of(document))

    def request(self, hits: Sequence[Document], before: int, after: int) -> Fetch:
        """Return the ranges of all windows, or a filter for all their sources where there are many windows."""
        numbers = [hit.meta[self.place.number_field] for hit in hits]
        sources = [self._source_of(hit) for hit in hits]
        spans = {
            (_same(source), number): (source, number - before, number + after)
            for source, number in zip(sources, numbers, strict=True)
        }
        if len(spans) <= _MOST_CONDITIONS:
            return FetchInRanges(self.place.source_fields, self.place.number_field, list(spans.values()))
        distinct = {key: source for (key, _), (source, _, _) in spans.items()}
        first, last = min(numbers) - before, max(numbers) + after
        values = [list(values) for values in zip(*distinct.values(), strict=True)]
        return FetchByFilter(self._among(values, first, last))

    def rows(self, fetched: Sequence[Document]) -> dict[Hashable, ChunkRow]:
        """Return the chunks of each text in their order."""
        chunks: dict[Hashable, list[Document]] = {}
        for document in fetched:
            if is_number(document.meta.get(self.place.number_field)):
                chunks.setdefault(self.row_of(document), []).append(document)
        for row in chunks.values():
            row.sort(key=lambda document: document.meta[self.place.number_field])
        return {key: NumberedRow(row, self.place.number_field) for key, row in chunks.items()}

    def _source_of(self, document: Document) -> list[Any]:
        return [document.meta.get(name) for name in self.place.source_fields]

    def _among(self, sources: Sequence[Any], first: Any, last: Any) -> dict[str, Any]:
        number = f"meta.{self.place.number_field}"
        return {
            "operator": "AND",
            "conditions": [
                {"field": number, "operator": ">=", "value": first},
                {"field": number, "operator": "<=", "value": last},
                *(
                    {"field": f"meta.{name}", "operator": "in", "value": values}
                    for name, values in zip(self.place.source_fields, sources, strict=True)
                ),
            ],
        }


@dataclass(frozen=True)
class InRoot:
    """The leaves of a whole root are neighbours, in the order of its text, across its sections."""

    def missing_in(self, document: Document) -> tuple[str, ...]:
        """Return the fields that a document lacks to say where it stands."""
        kinds = {ROOT: str, START: int, END: int}
        return tuple(key for key, kind in kinds.items() if not isinstance(document.meta.get(key), kind))

    def row_of(self, document: Document) -> Hashable:
        """Return what is equal for the chunks of one text."""
        root: str = document.meta[ROOT]
        return root

    def request(self, hits: Sequence[Document], before: int, after: int) -> Fetch:  # noqa: ARG002 (whole roots)
        """Return the one request that brings the chunks of all windows."""
        return FetchByKey(ROOT, list(dict.fromkeys(hit.meta[ROOT] for hit in hits)))

    def rows(self, fetched: Sequence[Document]) -> dict[Hashable, ChunkRow]:
        """Return the chunks of each text in their order."""
        leaves: dict[Hashable, list[Document]] = {}
        for document in fetched:
            if not self.missing_in(document) and not plain(document.meta.get(CHILDREN)):
                leaves.setdefault(document.meta[ROOT], []).append(document)
        for row in leaves.values():
            row.sort(key=lambda leaf: (leaf.meta[START], leaf.meta[END], leaf.id))
        return {root: LeafRow(row) for root, row in leaves.items()}


WindowScope = Literal["source", "root"]
"""The chunks that a window may extend over: those numbered in one source, or the leaves of one root."""

LAYOUTS: Mapping[str, Callable[[Place], Layout]] = {"source": InSource, "root": lambda _: InRoot()}
"""What a window may run over."""
