"""The change record of a local store: one list of changes, folded by database, keyword index, vectors and columns alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spaniel._engine import Batch, KeywordIndex
    from spaniel.document_stores.local.index.column_set import Fields


@dataclass(frozen=True)
class Add:
    """Documents with slots above all others, prepared so that an index takes them without work that can fail.

    :param slots: of the documents.
    :param batch: the tokens of those that are searched; None: there are none, or no keyword index to prepare them for.
    :param is_indexed: False: there are texts, but no keyword index to prepare them for.
    :param vectors: by slot; None: there was no index of vectors.
    :param fields: the values of the fields that have a column.
    """

    slots: Sequence[int]
    batch: Batch | None
    is_indexed: bool
    vectors: Sequence[tuple[int, Any]] | None
    fields: Fields


@dataclass(frozen=True)
class Remove:
    """Documents that are deleted, by slot. An index may not hold all of them."""

    slots: Sequence[int]


@dataclass(frozen=True)
class UpdateMeta:
    """Documents whose metadata is replaced, by slot; they keep their slots, texts and vectors."""

    slots: Sequence[int]


@dataclass(frozen=True)
class Clear:
    """All documents are deleted.

    :param slots: of the documents that there were.
    """

    slots: Sequence[int]


Change: TypeAlias = Add | Remove | UpdateMeta | Clear


def since_clear(changes: Sequence[Change]) -> tuple[bool, Sequence[Change]]:
    """Return whether changes hold a `Clear`, and those after the last one: nothing before it counts."""
    for place in range(len(changes) - 1, -1, -1):
        if isinstance(changes[place], Clear):
            return True, changes[place + 1 :]
    return False, changes


def fold_keywords(
    keywords: KeywordIndex, changes: Iterable[Change], empty: Callable[[], KeywordIndex]
) -> tuple[KeywordIndex | None, int]:
    """Return the keyword index after changes, and the number of documents that came or went.

    The index is None where a change is not prepared for one: it is built from the documents at its next use.

    :param keywords: the index before the changes; it is changed in place, or replaced after a `Clear`.
    :param empty: makes an index without documents.
    """
    count = 0
    for removed, change in _with_pending_removals(changes):
        if isinstance(change, Clear):
            count += len(keywords)
            keywords = empty()
            continue
        batch = change.batch if isinstance(change, Add) else None
        if isinstance(change, Add) and not change.is_indexed:
            return None, count
        known = [slot for slot in removed if slot in keywords]
        if known or batch is not None:
            keywords.apply(known, batch, tidy=False)
            count += len(known) + (0 if batch is None else len(batch))
    return keywords, count


def _with_pending_removals(changes: Iterable[Change]) -> Iterator[tuple[list[int], Add | Clear | None]]:
    """Yield each addition with the removals right before it, so that an overwrite is one step of the index."""
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
