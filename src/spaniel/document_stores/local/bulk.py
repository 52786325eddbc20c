"""A keyword index for a change that is too large to be kept in memory until it is committed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from spaniel.document_stores.local.changes import Add, Clear, fold_keywords
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spaniel._engine import KeywordIndex
    from spaniel.document_stores.local.changes import Change
    from spaniel.document_stores.local.index_files import IndexFiles

logger = logging.getLogger(__name__)

LARGE = 50_000
"""From how many documents on a change is made this way, and how many of it are in memory at once."""


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
