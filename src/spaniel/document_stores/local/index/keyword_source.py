"""Where the keyword index comes from: its files and what has changed since, or else the documents."""

from __future__ import annotations

import logging
import math
import sys
import time
from itertools import islice
from typing import TYPE_CHECKING

from spaniel._engine import KeywordIndex
from spaniel.document_stores.embedded.merger import MAX_INLINE_MERGE
from spaniel.document_stores.local.index.changes import Add, Clear, fold_keywords
from spaniel.document_stores.local.maintenance.integrity import problems_of_index
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spaniel._engine import Batch
    from spaniel.document_stores.embedded.store_state import IndexSettings, Tokenizer
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.index.changes import Change
    from spaniel.document_stores.local.index.index_files import IndexFiles

logger = logging.getLogger(__name__)

_CHUNK = 2000
LARGE = 50_000
"""From how many documents on a change is made this way, and how many of it are in memory at once."""


class MovedError(Exception):
    """An index is of a later state than what is being read."""


class KeywordSource:
    """Opens and builds keyword indexes of one store.

    :param indexing: by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    :param files: of the index.
    """

    def __init__(self, indexing: IndexSettings, tokenizer: Tokenizer | None, files: IndexFiles) -> None:
        self.files = files
        self._cjk = indexing.cjk
        self._tokenizer = tokenizer
        self._ahead_since = math.inf

    def empty(self) -> KeywordIndex:
        """Return an index without documents."""
        return KeywordIndex(cjk=self._cjk)

    def prepared(self, keywords: KeywordIndex, texts: Sequence[tuple[int, str]]) -> Batch:
        """Return texts with their slots, cut into tokens for an index."""
        slots = [slot for slot, _ in texts]
        if self._tokenizer is None:
            return keywords.prepare(slots, [text for _, text in texts])
        return keywords.prepare_tokens(slots, [self._tokenizer(text) for _, text in texts])

    def opened(self, view: View) -> tuple[KeywordIndex, int]:
        """Return the index of what a view sees, and how many of its documents came or went since it was in files.

        :raises MovedError: the files are of a later state than the view.
        """
        found = self._from_files(view, self.files)
        if found is not None:
            return found
        keywords = self.empty()
        return keywords, self._read_texts(keywords, view, 0)

    def built(self, view: View) -> KeywordIndex:
        """Return the index of what a view sees, from the documents alone."""
        keywords = self.empty()
        self._read_texts(keywords, view, 0)
        return keywords

    def problems(self, view: View) -> Iterator[str]:
        """Yield how the index in files differs from the documents of a view."""
        files = self.files.looked_at()
        found = self._from_files(view, files)
        if files.problem is not None:
            yield f"index: {files.problem}"
        if found is not None:
            yield from problems_of_index(found[0], self.built(view), view.texts)

    def _from_files(self, view: View, files: IndexFiles) -> tuple[KeywordIndex, int] | None:
        loaded = files.load(view.lineage)
        if loaded is None or self._is_ahead(loaded[1].change, view) or loaded[1].change < view.forgotten:
            return None
        keywords, stamp = loaded
        try:
            removed = [slot for slot in view.deleted_since(stamp.change) if slot < stamp.next_slot and slot in keywords]
            keywords.apply(removed, tidy=False)  # what waits to be merged is merged by those who write
            return keywords, len(removed) + self._read_texts(keywords, view, stamp.next_slot)
        except StoreFileError as error:
            files.distrust(error)
            return None

    def _is_ahead(self, change: int, view: View) -> bool:
        if change <= view.change:
            self._ahead_since = math.inf
            return False
        if view.began < self._ahead_since:  # the files were written since the view was opened
            self._ahead_since = min(self._ahead_since, time.monotonic())
            raise MovedError
        logger.warning("The keyword index is of a later state than the documents, so it is built again.")
        return True

    def _read_texts(self, keywords: KeywordIndex, view: View, first: int) -> int:
        """Return how many documents were taken up: those of the slots from `first` on."""
        count, texts, most = 0, view.texts(first), MAX_INLINE_MERGE if first else sys.maxsize
        while chunk := list(islice(texts, _CHUNK)):
            keywords.apply([], self.prepared(keywords, chunk), tidy=False)
            keywords.tidy(most)
            count += len(chunk)
        return count


class Bulk:
    """A second index, that takes the place of the first when the change is committed. Readers have the first until then.

    :param keywords: of the state before, of which nothing is in use.
    :param empty: makes an index without documents.
    :param files: it goes to files as it grows. They count for nothing until a manifest names them.
    """

    def __init__(self, keywords: KeywordIndex, empty: Callable[[], KeywordIndex], files: IndexFiles) -> None:
        self.keywords: KeywordIndex | None = keywords
        self.count = 0
        self._empty = empty
        self._files = files
        self._in_memory = 0

    def fold(self, changes: Sequence[Change]) -> None:
        """Apply changes to the index."""
        if self.keywords is None:
            return
        try:
            self.keywords, count = fold_keywords(self.keywords, changes, self._empty)
            if self.keywords is None:
                self.give_up("the index before it was damaged")
                return
            self.count += count
            for change in changes:
                if isinstance(change, Clear):
                    self._in_memory = 0
                elif isinstance(change, Add) and change.batch is not None:
                    self._in_memory += len(change.batch)
            if self._in_memory >= LARGE:
                self._in_memory = 0
                self.keywords.tidy()
                self._files.write_parts(self.keywords)
        except (StoreFileError, OSError) as error:
            self.give_up(error)

    def give_up(self, reason: object) -> None:
        """Drop the index: it is built from the documents when the change is committed."""
        logger.warning("The keyword index is built when all documents are written: %s", reason)
        self.keywords = None
