"""Integrity checks of a store: its database, its rows, and the index files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from spaniel._engine import KeywordIndex
from spaniel.document_stores.embedded.indexing import SEARCH_SCOPES, SearchScope
from spaniel.document_stores.local.database.ids import ID_KEY
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.rows import DOCUMENT
from spaniel.document_stores.local.index.keyword_source import KeywordSource
from spaniel.document_stores.local.index.lookups import list_lookup_problems
from spaniel.errors import StoreFileError

_TOTALS = """
SELECT count(*) FILTER (WHERE searched IS NOT NULL), coalesce(max(slot), -1), coalesce(max(updated), 0) FROM nodes
"""
_ROWS = f"{DOCUMENT} ORDER BY n.slot"
_SEARCHED = "SELECT searched FROM nodes WHERE searched IS NOT NULL ORDER BY slot"
_COUNTS = (
    ("documents are stored and noted as deleted", "tombstones JOIN nodes USING (slot) WHERE searched IS NOT NULL"),
    (
        "documents have the id of another one",
        f"nodes WHERE searched IS NOT NULL GROUP BY {ID_KEY}, id HAVING count(*) > 1",
    ),
    ("attachments have no document", "attachments LEFT JOIN nodes USING (slot) WHERE searched IS NULL"),
    (
        "nodes have no tree",
        "nodes LEFT JOIN trees ON number = tree WHERE number IS NULL AND (tree IS NOT NULL OR searched IS NULL)",
    ),
    (
        "trees have another number of documents than noted",
        """
        trees WHERE documents != (
            SELECT count(*) FROM nodes WHERE slot BETWEEN number AND last_slot AND tree = number AND searched IS NOT NULL
        )
        """,
    ),
)

_MAX_SIMILAR = 10
"""Problems of a kind that are listed; the others are counted."""
_NUMBERS_AND_NAMES = re.compile(r"'.*'|[0-9]+", re.DOTALL)


def limit_similar(problems: Iterable[str]) -> list[str]:
    """Return the first problems of each kind, and the number of those that differ in names only."""
    counts: Counter[str] = Counter()
    listed = []
    for problem in problems:
        kind = _NUMBERS_AND_NAMES.sub("#", problem)
        counts[kind] += 1
        if counts[kind] <= _MAX_SIMILAR:
            listed.append(problem)
    more = (f"{count - _MAX_SIMILAR} more like: {kind}" for kind, count in counts.items() if count > _MAX_SIMILAR)
    return [*listed, *more]


def list_database_problems(snapshot: ReadSnapshot, scope: SearchScope) -> Iterator[str]:
    """Yield the problems of the database."""
    for (message,) in snapshot.rows("PRAGMA integrity_check"):
        if message != "ok":
            yield f"database: {message}"
    yield from _list_length_problems(snapshot)
    ((count, last_slot, last_change),) = snapshot.rows(_TOTALS)
    if count != snapshot.count:
        yield f"database: there are {count} documents, but {snapshot.count} are noted"
    if last_slot >= snapshot.next_slot:
        yield f"database: slot {last_slot} is taken, but {snapshot.next_slot} is noted as the next one"
    if last_change > snapshot.change:
        yield f"database: there is a change {last_change}, but {snapshot.change} is noted as the last one"
    for problem, source in _COUNTS:
        if count := len(list(snapshot.rows(f"SELECT 1 FROM {source}"))):  # noqa: S608 (constants)
            yield f"database: {count} {problem}"
    yield from _list_row_problems(snapshot, scope)
    yield from list_lookup_problems(snapshot)


def _list_length_problems(snapshot: ReadSnapshot) -> Iterator[str]:
    """Yield if the file is cut off: SQLite reads zeros for the missing bytes of the last page."""
    file = Path(snapshot.connection.filename)
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        return  # it has the pages that the file may lack
    ((pages,),), ((size,),) = snapshot.rows("PRAGMA page_count"), snapshot.rows("PRAGMA page_size")
    if (found := file.stat().st_size) < pages * size:
        yield f"database: the file is cut off: it has {found} bytes, not {pages * size}"


def _list_row_problems(snapshot: ReadSnapshot, scope: SearchScope) -> Iterator[str]:
    is_searched = SEARCH_SCOPES[scope]
    for row, (searched,) in zip(snapshot.rows(_ROWS), snapshot.rows(_SEARCHED), strict=True):
        try:
            document = snapshot.decode(row)
        except StoreFileError as error:
            yield str(error)
        else:
            if is_searched(document) != bool(searched):
                yield f"document '{document.id}' is {'' if searched else 'not '}marked as searched, which is wrong"


def list_index_problems(source: KeywordSource, snapshot: ReadSnapshot) -> Iterator[str]:
    """Yield the differences between the index in files and an index built from the documents."""
    found, problem = source.inspect(snapshot)
    if problem is not None:
        yield f"index: {problem}"
    if found is not None:
        expected, _ = source.build(snapshot)
        yield from _compare_indexes(found, expected, source, snapshot)


def _compare_indexes(
    found: KeywordIndex, expected: KeywordIndex, source: KeywordSource, snapshot: ReadSnapshot
) -> Iterator[str]:
    try:
        if found.statistics() != expected.statistics():
            yield f"index: its statistics are {found.statistics()}, but those of the documents are {expected.statistics()}"
        for slot, _ in snapshot.texts(source.indexing):
            if slot not in found:
                yield f"index: the document of slot {slot} is missing"
            elif found.terms(slot) != expected.terms(slot):
                yield f"index: the terms of the document of slot {slot} are wrong"
    except StoreFileError as error:
        yield f"index: {error}"
