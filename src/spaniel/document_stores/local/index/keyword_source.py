"""Opens and builds keyword indexes: from files and later changes, or from the documents."""

import logging
import math
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice

from spaniel._engine import KeywordIndex
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.embedded.merger import MAX_INLINE_MERGE
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.schema import follow_settings, read_settings
from spaniel.document_stores.local.index.changes import Add, Change, Clear, apply_to_keywords
from spaniel.document_stores.local.index.index_files import IndexFiles
from spaniel.errors import StoreFileError
from spaniel.json_types import Json

logger = logging.getLogger(__name__)

_CHUNK = 2000
MIN_BULK_DOCUMENTS = 50_000
"""Transactions from this size on use a `BulkIndex`, which holds up to this number in memory."""


class IndexAheadError(Exception):
    """An index is of a later state than the snapshot of a reader."""


class KeywordSource:
    """Opens and builds the keyword indexes of a store.

    :param indexing: its settings, and `stored`: those in the database.
    """

    def __init__(self, indexing: IndexSettings, stored: Mapping[str, Json], files: IndexFiles) -> None:
        self.files = files
        self.indexing = indexing
        self.stored = stored
        self._ahead_since = math.inf

    def follow(self, snapshot: ReadSnapshot) -> bool:
        """Take over the settings of a snapshot, and return True if they have changed."""
        stored = read_settings(snapshot.connection)
        if stored == self.stored:
            return False
        self.adopt(follow_settings(self.indexing, stored), stored)
        return True

    def adopt(self, indexing: IndexSettings, stored: Mapping[str, Json]) -> None:
        """Open and build indexes of other settings from now on."""
        self.indexing, self.stored = indexing, stored
        self.files.change_settings(stored)

    def make_empty(self) -> KeywordIndex:
        """Return an index without documents."""
        return self.indexing.make_index()

    def open(self, snapshot: ReadSnapshot) -> tuple[KeywordIndex, int]:
        """Return the index of a snapshot, and the number of changes that no file holds."""
        return self._load(snapshot, self.files) or self.build(snapshot)

    def build(self, snapshot: ReadSnapshot) -> tuple[KeywordIndex, int]:
        """Return the index of a snapshot and its number of documents, without the files."""
        keywords = self.make_empty()
        return keywords, self._add_texts(keywords, snapshot, 0)

    def inspect(self, snapshot: ReadSnapshot) -> tuple[KeywordIndex | None, str | None]:
        """Return the index in files, brought up to a snapshot, and the reason if it is unusable."""
        files = self.files.reopen()
        loaded = self._load(snapshot, files)
        return None if loaded is None else loaded[0], files.problem

    def _load(self, snapshot: ReadSnapshot, files: IndexFiles) -> tuple[KeywordIndex, int] | None:
        loaded = files.load(snapshot.store_id)
        if loaded is None or self._is_ahead(loaded[1].change, snapshot):
            return None
        keywords, stamp = loaded
        if stamp.change < snapshot.tombstone_horizon:
            return None
        deleted = snapshot.slots_deleted_since(stamp.change)
        try:
            removed = [slot for slot in deleted if slot < stamp.next_slot and slot in keywords]
            keywords.apply(removed, tidy=False)  # due merges are left to writers
            return keywords, len(removed) + self._add_texts(keywords, snapshot, stamp.next_slot)
        except StoreFileError as error:
            files.distrust(error)
            return None

    def _is_ahead(self, change: int, snapshot: ReadSnapshot) -> bool:
        if change <= snapshot.change:
            self._ahead_since = math.inf
            return False
        if snapshot.began < self._ahead_since:  # the files may have been written after the snapshot
            self._ahead_since = min(self._ahead_since, time.monotonic())
            raise IndexAheadError
        logger.warning("The keyword index is of a later state than the documents, so it is built again.")
        return True

    def _add_texts(self, keywords: KeywordIndex, snapshot: ReadSnapshot, first: int) -> int:
        """Index the documents from the slot `first` on, and return their number."""
        count, texts, max_merged = 0, snapshot.texts(self.indexing, first), MAX_INLINE_MERGE if first else sys.maxsize
        while chunk := list(islice(texts, _CHUNK)):
            keywords.apply([], self.indexing.prepare(keywords, chunk), tidy=False)
            keywords.tidy(max_merged)
            count += len(chunk)
        return count


class BulkIndex:
    """The keyword index of a transaction that is too large to keep in memory until it commits.

    It replaces the current index at the commit. Its files are ignored until a manifest names them.
    """

    def __init__(self, keywords: KeywordIndex, source: KeywordSource) -> None:
        self.keywords: KeywordIndex | None = keywords
        self.count = 0
        self._source = source
        self._in_memory = 0

    def apply(self, changes: Sequence[Change]) -> None:
        """Apply changes to the index."""
        if self.keywords is None:
            return
        try:
            self.keywords, count = apply_to_keywords(self.keywords, changes, self._source.make_empty)
            if self.keywords is None:
                self.give_up("the index before it was damaged")
                return
            self.count += count
            for change in changes:
                if isinstance(change, Clear):
                    self._in_memory = 0
                elif isinstance(change, Add) and change.batch is not None:
                    self._in_memory += len(change.batch)
            if self._in_memory >= MIN_BULK_DOCUMENTS:
                self._in_memory = 0
                self.keywords.tidy()
                self._source.files.write_parts(self.keywords)
        except (StoreFileError, OSError) as error:
            self.give_up(error)

    def give_up(self, reason: object) -> None:
        """Drop the index: it is built from the documents when the transaction commits."""
        logger.warning("The keyword index is built when all documents are written: %s", reason)
        self.keywords = None
