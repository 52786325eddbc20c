"""A keyword index for a change that is too large to be kept in memory until it is made."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from spaniel._engine import KeywordIndex
    from spaniel.document_stores.local.index_files import IndexFiles
    from spaniel.document_stores.local.indexes import Step

logger = logging.getLogger(__name__)

LARGE = 50_000
"""From how many documents on a change is made this way, and how many of it are in memory at once."""


class Bulk:
    """A second index, that takes the place of the first when the change is made. Readers have the first until then.

    :param keywords: of the state before, of which nothing is in use.
    :param files: it goes to files as it grows. They count for nothing until a manifest names them.
    """

    def __init__(self, keywords: KeywordIndex, files: IndexFiles) -> None:
        self.keywords: KeywordIndex | None = keywords
        self.count = 0
        self._files = files
        self._in_memory = 0

    def take(self, step: Step) -> None:
        """Take a part of the change up."""
        if not step.is_indexed:
            self.give_up("the index before it was damaged")
        if self.keywords is None:
            return
        removed, batch = step.removed, step.batch
        try:
            known = [slot for slot in removed if slot in self.keywords]
            self.keywords.apply(known, batch, tidy=False)
            self.count += len(known) + (0 if batch is None else len(batch))
            self._in_memory += 0 if batch is None else len(batch)
            if self._in_memory >= LARGE:
                self._in_memory = 0
                self.keywords.tidy()
                self._files.write_parts(self.keywords)
        except (StoreFileError, OSError) as error:
            self.give_up(error)

    def give_up(self, reason: object) -> None:
        """Build no index: it is built from the documents when the change is made."""
        logger.warning("The keyword index is built when all documents are written: %s", reason)
        self.keywords = None
