"""The indexes that a process holds over a store, and how they follow the database."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.contents import SEARCH_SCOPES
from spaniel.document_stores.embedded.merging import SMALL, Merging
from spaniel.document_stores.embedded.vectors import VectorIndex, as_vector
from spaniel.document_stores.local.bulk import Bulk
from spaniel.document_stores.local.columns import Columns, Fields, FieldsOfView, fields_of
from spaniel.document_stores.local.index_files import Stamp
from spaniel.document_stores.local.keyword_source import KeywordSource, MovedError
from spaniel.document_stores.local.rows import vector_of
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spaniel._engine import Batch, KeywordIndex
    from spaniel.document_stores.embedded.columns import Bounds
    from spaniel.document_stores.embedded.contents import Indexing, Numbered, Tokenizer
    from spaniel.document_stores.local.index_files import IndexFiles
    from spaniel.document_stores.local.view import View

logger = logging.getLogger(__name__)

_CHUNK = 2000
_MOST_REPLAYED = 20_000
_VECTORS = """
SELECT slot, embedding, embedding_type FROM documents WHERE searched AND embedding IS NOT NULL ORDER BY slot
"""


@dataclass(frozen=True)
class Step:
    """A part of a change, made ready: it is put in place without any work that can fail."""

    removed: Sequence[int]
    updated: Sequence[int]
    batch: Batch | None
    is_indexed: bool  # else there are texts, but no keyword index to make them ready for
    vectors: Sequence[tuple[int, Any]] | None  # None: there was no index of vectors
    fields: Fields


class Indexes:
    """Keyword index, vectors and columns of one state of the store; each is built at its first use.

    `version` is the number of the change that they stand at; it is None while they are being changed. Whoever reads them
    compares it with its view before and after: so readers never wait for each other.

    :param indexing: which documents are searched, and by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    :param files: of the keyword index.
    """

    def __init__(self, indexing: Indexing, tokenizer: Tokenizer | None, files: IndexFiles) -> None:
        self.version: int | None = None
        self.moving = threading.RLock()
        self._indexing = indexing
        self._source = KeywordSource(indexing, tokenizer, files)
        self._files = files
        self._merging: Merging | None = None
        self._tail = 0  # documents that were added or removed since the keyword index was in files
        self._lineage = ""
        self._columns_lock = threading.Lock()
        self._drop()

    def _drop(self) -> None:
        self._keywords: KeywordIndex | None = None
        self._vectors: VectorIndex | None = None
        self._columns = Columns()
        self._next_slot = 0

    # --- following the database --------------------------------------------------------------------------------------

    def follow(self, view: View) -> bool:
        """Bring the indexes to the state of a view; False if they are past it."""
        if self.version == view.change:
            return True
        with self.moving:
            before = self.version
            if before is not None and before >= view.change and self._lineage == view.lineage:
                return before == view.change
            self.version = None
            if before is None or before < view.forgotten or self._lineage != view.lineage:
                self._drop()
            else:
                try:
                    self._replay(view, before)
                except StoreFileError as error:
                    self._give_up(error)
            self._next_slot, self._lineage, self.version = view.next_slot, view.lineage, view.change
        self._tidy(lambda keywords: keywords.tidy(SMALL))  # what is larger is merged by those who write
        return True

    def _replay(self, view: View, before: int) -> None:
        if view.next_slot - self._next_slot > _MOST_REPLAYED:
            self._keywords = None  # the files of whoever wrote so much are opened faster
            self._columns = Columns()
        if self._keywords is None and self._vectors is None and not self._columns.paths:
            self._columns = Columns()
            return
        is_searched = SEARCH_SCOPES[self._indexing.search]
        removed = [slot for slot in view.deleted_since(before) if slot < self._next_slot]
        changed = view.since(before)
        while chunk := list(islice(changed, _CHUNK)):
            updated = [slot for slot, _ in chunk if slot < self._next_slot]
            added = [pair for pair in chunk if pair[0] >= self._next_slot]
            self._take(self.prepare(removed, updated, added, [pair for pair in added if is_searched(pair[1])]))
            removed = []
        self._take(self.prepare(removed, [], [], []))
        if self._tail > _MOST_REPLAYED and not self._files.are_ours:
            self._keywords = None  # what was replayed is in newer files by now

    def prepare(self, removed: Sequence[int], updated: Sequence[int], added: Numbered, searched: Numbered) -> Step:
        """Return a change made ready: texts are cut into tokens, vectors are read.

        :param removed: slots, of which the indexes may not know.
        :param updated: slots of which the metadata is another.
        :param added: documents with slots above all others.
        :param searched: those of them that are searched.
        """
        texts = [(slot, document.content) for slot, document in searched if document.content is not None]
        vectors = None
        if self._vectors is not None:
            vectors = [
                (slot, as_vector(document.embedding, f"document '{document.id}'"))
                for slot, document in searched
                if document.embedding is not None
            ]
        keywords = self._keywords
        batch = None if keywords is None or not texts else self._source.prepared(keywords, texts)
        is_indexed = batch is not None or not texts
        return Step(removed, updated, batch, is_indexed, vectors, fields_of(added, self._columns.paths))

    def start_bulk(self, view: View) -> Bulk | None:
        """Return an index for a large change, of the state before it; None if its files can't be written.

        :param view: of the change, before the indexes have followed.
        """
        if self._keywords is None or len(self._keywords) == 0:
            return Bulk(self._source.empty(), self._files)
        self.seal(0)
        loaded = self._files.load(view.lineage)
        return None if loaded is None or loaded[1].change != self.version else Bulk(loaded[0], self._files)

    def commit(self, commit: Callable[[], object], steps: Iterable[Step], view: View, bulk: Bulk | None = None) -> None:
        """Make a change lasting in the database, and bring the indexes to it.

        :param commit: makes it lasting, or raises: the indexes stay as they are then.
        :param view: what the change has made.
        :param bulk: the index with the change, if it is large.
        """
        with self.moving:
            commit()
            self.version = None
            try:
                if bulk is not None:
                    self._drop()
                    self._keywords, self._tail = bulk.keywords, bulk.count
                elif view.forgotten == view.change:
                    self._drop()
                else:
                    for step in steps:
                        self._take(step)
            except Exception as error:  # noqa: BLE001 (the change is made, whatever happens to the indexes)
                self._give_up(error)
            except BaseException:
                self._drop()
                raise
            finally:
                self._next_slot, self._lineage, self.version = view.next_slot, view.lineage, view.change
        self._tidy(lambda keywords: self._merging_of(keywords).after_write())

    def take_over(self) -> None:
        """Begin to write: files that another process has written since are the base of what comes, not those known here."""
        if not self._files.are_ours:
            with self.moving:
                self._keywords = None

    def seal(self, at_least: int) -> None:
        """Write the keyword index to files. Only whoever has the turn to write may call it.

        :param at_least: how many documents must have changed since it was done.
        """
        if self._keywords is None or self.version is None or self._tail < at_least:
            return
        try:
            self._files.save(self._keywords, Stamp(self._lineage, self.version, self._next_slot))
        except StoreFileError as error:
            self.damaged(error)
        except OSError as error:
            logger.warning("The keyword index can't be written to files; it stays in memory: %s", error)
            self._tail -= at_least  # try again when as many have changed
        else:
            self._tail = 0

    def damaged(self, error: StoreFileError) -> None:
        """Let the files of the keyword index go; it is built from the documents at its next use."""
        with self.moving:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if isinstance(error, StoreFileError):
            self._files.distrust(error)
        else:
            logger.warning("The indexes in memory are built again: %r", error)
        self._drop()

    def _take(self, step: Step) -> None:
        if not step.is_indexed:
            self._keywords = None
        if self._keywords is not None:
            known = [slot for slot in step.removed if slot in self._keywords]
            self._keywords.apply(known, step.batch, tidy=False)
            self._tail += len(known) + (0 if step.batch is None else len(step.batch))
        if self._vectors is not None:
            self._vectors = None if step.vectors is None else self._vectors.changed(step.removed, step.vectors)
        with self._columns_lock:
            self._columns.take(step.removed, step.updated, step.fields)

    def wait(self) -> None:
        """Return when no segments are being merged."""
        self._tidy(lambda keywords: self._merging_of(keywords).wait())

    def _tidy(self, merge: Callable[[KeywordIndex], object]) -> None:
        if (keywords := self._keywords) is not None:
            try:
                merge(keywords)
            except Exception as error:  # noqa: BLE001 (what was written is safe, whatever happens to the indexes)
                with self.moving:
                    self._give_up(error)

    def _merging_of(self, keywords: KeywordIndex) -> Merging:
        if self._merging is None or self._merging.keywords is not keywords:
            self._merging = Merging(keywords)
        return self._merging

    # --- reading -----------------------------------------------------------------------------------------------------

    def keywords(self, view: View) -> KeywordIndex:
        """Return the keyword index, of the state of a view.

        :raises MovedError: the indexes are past it.
        """
        found = self._keywords
        if found is None:
            with self._standing_at(view):
                if self._keywords is None:
                    self._keywords, self._tail = self._source.opened(view)
                found = self._keywords
        return found

    def vectors(self, view: View) -> VectorIndex:
        """Return the vectors, of the state of a view.

        :raises MovedError: the indexes are past it.
        """
        found = self._vectors
        if found is None:
            with self._standing_at(view):
                if self._vectors is None:
                    self._vectors = _read_vectors(view)
                found = self._vectors
        return found

    def bounds(self, view: View, ask: Callable[[FieldsOfView], Bounds], changed: Iterable[int] = ()) -> Bounds:
        """Return what the columns tell, of the state of a view.

        :param ask: for what.
        :param changed: slots of which the view sees more than the indexes.
        :raises MovedError: the indexes are past the view.
        """
        with self._columns_lock:
            if self.version != view.change:
                raise MovedError
            return ask(FieldsOfView(self._columns, view, changed))

    def _standing_at(self, view: View) -> _Standing:
        return _Standing(self, view)

    def problems(self, view: View) -> Iterator[str]:
        """Yield how the keyword index in files differs from the documents of a view."""
        yield from self._source.problems(view)

    def rebuild(self, view: View) -> None:
        """Build the keyword index from the documents of a view, and write its files anew.

        :raises OSError: they can't be written.
        """
        keywords = self._source.built(view)
        with self._standing_at(view):
            self._keywords, self._tail = keywords, 0
        self._files.save(keywords, Stamp(view.lineage, view.change, view.next_slot))


class _Standing:
    """Keeps the indexes from moving for a block."""

    def __init__(self, indexes: Indexes, view: View) -> None:
        self._indexes = indexes
        self._view = view

    def __enter__(self) -> None:
        self._indexes.moving.acquire()
        if self._indexes.version != self._view.change:
            self._indexes.moving.release()
            raise MovedError

    def __exit__(self, *_: object) -> None:
        self._indexes.moving.release()


def _read_vectors(view: View) -> VectorIndex:
    vectors = VectorIndex()
    for chunk in _chunks(view.rows(_VECTORS)):
        vectors = vectors.changed([], [(slot, vector_of(stored, kind)) for slot, stored, kind in chunk])
    return vectors


def _chunks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
