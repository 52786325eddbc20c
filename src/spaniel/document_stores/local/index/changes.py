"""Records of changes: the keyword index, the vectors and the columns apply the same list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel._engine import Batch, KeywordIndex
    from spaniel.document_stores.local.index.column_set import Fields


@dataclass(frozen=True)
class Add:
    """New documents with the highest slots, prepared so that applying them to an index can't fail."""

    slots: Sequence[int]
    batch: Batch | None  # None: no text to index, or no keyword index
    is_indexed: bool  # False: there are texts, but no keyword index to prepare them for
    vectors: Sequence[tuple[int, NDArray[np.float64]]] | None  # by slot; None: there was no vector index
    fields: Fields


@dataclass(frozen=True)
class Remove:
    """Deleted documents, by slot. An index may lack some of them."""

    slots: Sequence[int]


@dataclass(frozen=True)
class UpdateMeta:
    """Documents with new metadata, by slot; their slots, texts and vectors stay."""

    slots: Sequence[int]


@dataclass(frozen=True)
class Clear:
    """All documents are deleted."""

    slots: Sequence[int]


Change: TypeAlias = Add | Remove | UpdateMeta | Clear


def skip_cleared(changes: Sequence[Change]) -> tuple[bool, Sequence[Change]]:
    """Return if changes hold a `Clear`, and the changes after the last `Clear`."""
    for place in range(len(changes) - 1, -1, -1):
        if isinstance(changes[place], Clear):
            return True, changes[place + 1 :]
    return False, changes


def apply_to_keywords(
    keywords: KeywordIndex, changes: Iterable[Change], make_index: Callable[[], KeywordIndex]
) -> tuple[KeywordIndex | None, int]:
    """Change an index in place; return it, or None to rebuild it, and the number of changes."""
    count = 0
    for removed, change in _join_removals(changes):
        if isinstance(change, Clear):
            count += len(keywords)
            keywords = make_index()
            continue
        batch = change.batch if isinstance(change, Add) else None
        if isinstance(change, Add) and not change.is_indexed:
            return None, count
        known = [slot for slot in removed if slot in keywords]
        if known or batch is not None:
            keywords.apply(known, batch, tidy=False)
            count += len(known) + (0 if batch is None else len(batch))
    return keywords, count


def _join_removals(changes: Iterable[Change]) -> Iterator[tuple[list[int], Add | Clear | None]]:
    """Yield each addition with the removals before it, so that the index overwrites in one step."""
    pending: list[int] = []
    for change in changes:
        if isinstance(change, Remove):
            pending += change.slots
        elif isinstance(change, Clear):
            pending = []
            yield [], change
        elif isinstance(change, Add):
            yield pending, change
            pending = []
    if pending:
        yield pending, None
