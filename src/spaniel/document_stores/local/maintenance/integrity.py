"""Whether a store is whole: its database, its rows, and the index over them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from spaniel.document_stores.embedded.store_state import SEARCH_SCOPES
from spaniel.document_stores.local.database.rows import document_of
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from spaniel._engine import KeywordIndex
    from spaniel.document_stores.local.database.read_snapshot import View

_TOTALS = "SELECT count(*), coalesce(max(slot), -1), coalesce(max(change), 0) FROM documents"
_UNDEAD = "SELECT count(*) FROM tombstones JOIN documents USING (slot)"


_MAX_ALIKE = 10
"""Sentences of one kind that are listed; the others are counted."""
_NUMBERS_AND_NAMES = re.compile(r"'.*'|[0-9]+", re.DOTALL)


def bounded(problems: Iterable[str]) -> list[str]:
    """Return the first sentences of each kind, and how many more there are.

    Sentences are of one kind that differ in names and numbers only.
    """
    counts: Counter[str] = Counter()
    listed = []
    for problem in problems:
        kind = _NUMBERS_AND_NAMES.sub("#", problem)
        counts[kind] += 1
        if counts[kind] <= _MAX_ALIKE:
            listed.append(problem)
    more = (f"{count - _MAX_ALIKE} more like: {kind}" for kind, count in counts.items() if count > _MAX_ALIKE)
    return [*listed, *more]


def problems_of_database(view: View, search: str) -> Iterator[str]:
    """Yield what is wrong with the database.

    :param view: of the whole store.
    :param search: which documents are searched.
    """
    for (message,) in view.rows("PRAGMA integrity_check"):
        if message != "ok":
            yield f"database: {message}"
    yield from _problems_of_length(view)
    ((count, last_slot, last_change),) = view.rows(_TOTALS)
    if count != view.count:
        yield f"database: there are {count} documents, but {view.count} are noted"
    if last_slot >= view.next_slot:
        yield f"database: slot {last_slot} is taken, but {view.next_slot} is noted as the next one"
    if last_change > view.change:
        yield f"database: there is a change {last_change}, but {view.change} is noted as the last one"
    ((undead,),) = view.rows(_UNDEAD)
    if undead:
        yield f"database: {undead} documents are there and noted as deleted"
    yield from _problems_of_rows(view, search)


def _problems_of_length(view: View) -> Iterator[str]:
    """Yield whether the file is cut off: SQLite reads zeros where the last page lacks bytes."""
    file = Path(view.connection.filename)
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        return  # it has the pages that the file may lack
    ((pages,),), ((size,),) = view.rows("PRAGMA page_count"), view.rows("PRAGMA page_size")
    if (found := file.stat().st_size) < pages * size:
        yield f"database: the file is cut off: it has {found} bytes, not {pages * size}"


def _problems_of_rows(view: View, search: str) -> Iterator[str]:
    is_searched = SEARCH_SCOPES[search]
    for row, searched in view.stored_rows():
        try:
            document = document_of(row)
        except StoreFileError as error:
            yield str(error)
        else:
            if is_searched(document) != bool(searched):
                yield f"document '{document.id}' is {'' if searched else 'not '}marked as searched, which is wrong"


def problems_of_index(
    found: KeywordIndex, expected: KeywordIndex, texts: Callable[[], Iterator[tuple[int, str]]]
) -> Iterator[str]:
    """Yield how an index differs from one that was built from the documents just now.

    :param texts: the slot and the text of each document that is searched.
    """
    try:
        if found.statistics() != expected.statistics():
            yield f"index: it is of {found.statistics()}, but the documents are {expected.statistics()}"
        for slot, text in texts():
            if slot not in found:
                yield f"index: the document of slot {slot} is missing"
            elif text and found.explain(text, [slot], variant="BM25L") != expected.explain(
                text, [slot], variant="BM25L"
            ):
                yield f"index: the terms of the document of slot {slot} are others"
    except StoreFileError as error:
        yield f"index: {error}"
