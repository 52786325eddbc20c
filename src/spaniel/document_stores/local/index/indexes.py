"""The indexes that a process holds over a store, and how they follow the database."""

from __future__ import annotations

import logging
import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

from spaniel._engine import VectorIndex
from spaniel.document_stores.embedded.merger import MAX_INLINE_MERGE, SegmentMerger
from spaniel.document_stores.embedded.store_state import SEARCH_SCOPES
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.local.database.rows import vector_of
from spaniel.document_stores.local.index.changes import Add, Clear, Remove, UpdateMeta, fold_keywords, since_clear
from spaniel.document_stores.local.index.column_set import Columns, FieldsOfView, fields_of
from spaniel.document_stores.local.index.index_files import Stamp
from spaniel.document_stores.local.index.keyword_source import Bulk, KeywordSource, MovedError
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spaniel._engine import KeywordIndex
    from spaniel.document_stores.embedded.columns import Bounds
    from spaniel.document_stores.embedded.store_state import IndexSettings, NumberedDocuments, Tokenizer
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.index.changes import Change
    from spaniel.document_stores.local.index.index_files import IndexFiles

logger = logging.getLogger(__name__)

_CHUNK = 2000
_MOST_REPLAYED = 20_000
_VECTORS = """
SELECT slot, embedding, embedding_type FROM documents WHERE searched AND embedding IS NOT NULL ORDER BY slot
"""


class Indexes:
    """Keyword index, vectors and columns of one state of the store; each is built at its first use.

    `version` is that of the view they are at; it is None while they are being changed. A reader compares it with its view
    before and after: so readers never wait for each other.

    :param indexing: which documents are searched, and by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    :param files: of the keyword index.
    """

    def __init__(self, indexing: IndexSettings, tokenizer: Tokenizer | None, files: IndexFiles) -> None:
        self.version: tuple[str, int] | None = None
        self.moving = threading.RLock()
        self._indexing = indexing
        self._source = KeywordSource(indexing, tokenizer, files)
        self._files = files
        self._merging: SegmentMerger | None = None
        self._tail = 0  # documents that were added or removed since the keyword index was in files
        self._columns_lock = threading.Lock()
        self._approximate = False
        self._drop()

    def _drop(self) -> None:
        self._keywords: KeywordIndex | None = None
        self._vectors: VectorIndex | None = None
        self._columns = Columns()
        self._next_slot = 0

    # --- following the database --------------------------------------------------------------------------------------

    def follow(self, view: View) -> bool:
        """Bring the indexes to the state of a view; False if they are past it."""
        if self.version == view.version:
            return True
        with self.moving:
            lineage, change = self.version or ("", -1)
            if lineage == view.lineage and change >= view.change:
                return change == view.change
            self.version = None
            if lineage != view.lineage or change < view.forgotten:
                self._drop()
            else:
                try:
                    self._replay(view, change)
                except StoreFileError as error:
                    self._give_up(error)
            self._next_slot, self.version = view.next_slot, view.version
        self._tidy(lambda keywords: keywords.tidy(MAX_INLINE_MERGE))  # what is larger is merged by those who write
        return True

    def _replay(self, view: View, before: int) -> None:
        if view.next_slot - self._next_slot > _MOST_REPLAYED:
            self._keywords = None  # the files of whoever wrote so much are opened faster
            self._columns = Columns()
        if self._keywords is None and self._vectors is None and not self._columns.paths:
            self._columns = Columns()
            return
        is_searched = SEARCH_SCOPES[self._indexing.search_scope]
        self._fold([Remove([slot for slot in view.deleted_since(before) if slot < self._next_slot])])
        changed = view.since(before)
        while chunk := list(islice(changed, _CHUNK)):
            added = [pair for pair in chunk if pair[0] >= self._next_slot]
            searched = [pair for pair in added if is_searched(pair[1])]
            updated = UpdateMeta([slot for slot, _ in chunk if slot < self._next_slot])
            self._fold([updated, self.prepare(added, searched)])
        if self._tail > _MOST_REPLAYED and not self._files.are_ours:
            self._keywords = None  # what was replayed is in newer files by now

    def prepare(self, added: NumberedDocuments, searched: NumberedDocuments) -> Add:
        """Return an addition prepared for these indexes: texts are cut into tokens, vectors are read.

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
        slots = [slot for slot, _ in added]
        return Add(slots, batch, is_indexed, vectors, fields_of(added, self._columns.paths))

    def start_bulk(self, view: View, changes: Sequence[Change]) -> Bulk | None:
        """Return an index for a large change; None if its files can't be written.

        :param view: of the change, before the indexes have followed.
        :param changes: the part of the change that is prepared already.
        """
        is_cleared, changes = since_clear(changes)
        bulk = None
        if is_cleared or self._keywords is None or len(self._keywords) == 0:
            bulk = Bulk(self._source.empty(), self._source.empty, self._files)
        else:
            self.seal(0)
            loaded = self._files.load(view.lineage)
            if loaded is not None and (view.lineage, loaded[1].change) == self.version:
                bulk = Bulk(loaded[0], self._source.empty, self._files)
        if bulk is not None:
            bulk.fold(changes)
        return bulk

    def commit(
        self, commit: Callable[[], object], changes: Sequence[Change], view: View, bulk: Bulk | None = None
    ) -> None:
        """Commit changes to the database, and bring the indexes to them.

        :param commit: commits, or raises: the indexes stay as they are then.
        :param changes: in their order.
        :param view: of the state that the changes make.
        :param bulk: the index with all changes, if they are many.
        """
        with self.moving:
            commit()
            self.version = None
            try:
                if bulk is None:
                    self._fold(changes)
                else:
                    self._drop()
                    self._keywords, self._tail = bulk.keywords, bulk.count
            except Exception as error:  # noqa: BLE001 (the change is made, whatever happens to the indexes)
                self._give_up(error)
            except BaseException:
                self._drop()
                raise
            finally:
                self._next_slot, self.version = view.next_slot, view.version
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
            if self._files.are_ours:
                self._files.save(self._keywords, Stamp(*self.version, self._next_slot))
            else:  # another process has written files since
                self.take_over()
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

    def _fold(self, changes: Sequence[Change]) -> None:
        if self._keywords is not None:
            self._keywords, count = fold_keywords(self._keywords, changes, self._source.empty)
            self._tail += count
        for change in changes:
            self._fold_vectors(change)
            with self._columns_lock:
                if isinstance(change, Clear):
                    self._columns = Columns()
                else:
                    self._columns.fold(change)

    def _fold_vectors(self, change: Change) -> None:
        if self._vectors is None or isinstance(change, UpdateMeta):
            return
        if isinstance(change, Clear):
            self._vectors = self._new_vectors()
        elif isinstance(change, Remove):
            self._vectors.apply(change.slots, self._vectors.prepare([], []))
        elif change.vectors is None:
            self._vectors = None
        else:
            slots, vectors = [slot for slot, _ in change.vectors], [vector for _, vector in change.vectors]
            self._vectors.apply([], self._vectors.prepare(slots, vectors))

    def _new_vectors(self) -> VectorIndex:
        vectors = VectorIndex()
        if self._approximate:
            vectors.code()
        return vectors

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

    def _merging_of(self, keywords: KeywordIndex) -> SegmentMerger:
        if self._merging is None or self._merging.keywords is not keywords:
            self._merging = SegmentMerger(keywords)
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
                    self._vectors = _read_vectors(view, self._new_vectors())
                found = self._vectors
        return found

    def prepare_approximate_search(self) -> None:
        """Let the vectors be searched approximately, those that are there and those that come."""
        with self.moving:
            self._approximate = True
            if self._vectors is not None:
                self._vectors.code()

    def bounds(self, view: View, ask: Callable[[FieldsOfView], Bounds], changed: Iterable[int] = ()) -> Bounds:
        """Return what the columns tell, of the state of a view.

        :param ask: for what.
        :param changed: slots of which the view sees more than the indexes.
        :raises MovedError: the indexes are past the view.
        """
        with self._columns_lock:
            if self.version != view.version:
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
        if self._indexes.version != self._view.version:
            self._indexes.moving.release()
            raise MovedError

    def __exit__(self, *_: object) -> None:
        self._indexes.moving.release()


def _read_vectors(view: View, vectors: VectorIndex) -> VectorIndex:
    for chunk in _chunks(view.rows(_VECTORS)):
        batch = vectors.prepare([slot for slot, _, _ in chunk], [vector_of(stored, kind) for _, stored, kind in chunk])
        vectors.apply([], batch)
    return vectors


def _chunks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
