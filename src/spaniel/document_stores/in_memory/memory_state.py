"""The state of an in-memory store: documents by slot, and the indexes over them."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from spaniel._engine import KeywordIndex, SlotSet, VectorIndex
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.embedded.columns import Bounds
from spaniel.document_stores.embedded.columns.field_index import holds_any
from spaniel.document_stores.embedded.indexing import SEARCH_SCOPES, IndexSettings
from spaniel.document_stores.embedded.merger import SegmentMerger
from spaniel.document_stores.embedded.store_state import NumberedDocuments
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.embedded.writer import Writer, choose_documents
from spaniel.document_stores.in_memory.filter_index import ColumnIndex, FilterCache, filter_key
from spaniel.document_stores.in_memory.snapshots import Snapshots
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError
from spaniel.filters import Filter, matches
from spaniel.filters.equality import members, plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json, Meta

T = TypeVar("T")


class MemoryState:
    """The `WritableStoreState` in memory. Every public method is atomic for all threads.

    A stored document is replaced, never changed. One writer at a time prepares the next state
    beside the readers, and publishes it. A read of several steps pins the published state; it never
    waits for a writer. `_filter_lock` guards columns, `_lock` dictionaries; writers acquire them in
    order.
    """

    def __init__(self, indexing: IndexSettings) -> None:
        self.indexing = indexing
        self.writer = Writer()
        self._filter_lock = threading.Lock()
        self._lock = threading.Lock()
        self._is_searched = SEARCH_SCOPES[indexing.search_scope]
        self._filter_cache = FilterCache()
        self._next_slot = 0
        self._documents: dict[int, Document] = {}
        self._slot_of: dict[str, int] = {}
        self._keywords = indexing.make_index()
        self._snapshots = Snapshots(self._keywords.fork())
        self.merger = SegmentMerger(self._keywords)
        self._columns = ColumnIndex(self._documents, self._slot_of)
        self._vectors = VectorIndex()

    def count(self) -> int:
        return self._snapshots.get_pinned().num_documents

    def write(self, documents: Sequence[Document], policy: DuplicatePolicy) -> tuple[int, list[str]]:
        """Write documents, and return their number and the skipped ids."""
        with self.writer:
            chosen, skipped = choose_documents(documents, policy, self._slot_of)
            try:
                copies = Document.copies_of(chosen)
            except RecursionError:
                copies = [document.independent_copy() for document in chosen]  # its error names the document
            self._replace([self._slot_of[copy.id] for copy in copies if copy.id in self._slot_of], copies)
        return len(documents) - len(skipped), skipped

    def delete(self, ids: Collection[str]) -> None:
        with self.writer:
            self._replace([self._slot_of[id] for id in dict.fromkeys(ids) if id in self._slot_of], [])

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        with self.writer:
            slots = [slot for slot, _ in self.find_matching(filter, strict_dates=strict_dates)]
            self._replace(slots, [])
        return len(slots)

    def update_matching(self, filter: Filter, meta: Meta, *, strict_dates: bool) -> int:
        with self.writer:
            version = self._snapshots.published.version
            found = self.find_matching(filter, strict_dates=strict_dates)
            changed = [document.independent_copy() for _, document in found]
            for document in changed:
                document.meta.update(copy_value(dict(meta)))
            # A document whose searched text changes needs a new slot; then all move to the end.
            if self.indexing.list_texts([old for _, old in found]) != self.indexing.list_texts(changed):
                self._replace([slot for slot, _ in found], changed)
                return len(found)
            with self._filter_lock:
                self._reject_stale_write(version)
                old = dict(found)
                new = dict(zip(old, changed, strict=True))
                self._columns.remove(old)
                self._columns.add(new)
                with self._lock:
                    self._snapshots.keep(old)
                    self._documents.update(new)
                    self._publish()
            self._snapshots.free()
        return len(found)

    def prepare_approximate_search(self) -> None:
        with self.writer:
            self._vectors.code()

    def clear(self) -> None:
        with self.writer:
            self._replace(list(self._documents), [])

    def _replace(self, removed: list[int], added: list[Document]) -> None:
        """Remove slots and add documents atomically for readers."""
        version = self._snapshots.published.version
        gone = {slot: self._documents[slot] for slot in removed if slot in self._documents}
        numbered = dict(enumerate(added, self._next_slot))
        slot_of = dict(zip([document.id for document in added], numbered, strict=True))
        searched = {slot: document for slot, document in numbered.items() if self._is_searched(document)}
        texts = self.indexing.read_texts(searched.items())
        batch = self.indexing.prepare(self._keywords, texts) if texts else None
        embedded = {slot: document for slot, document in searched.items() if document.embedding is not None}
        vectors = self._vectors.prepare(
            list(embedded),
            [as_vector(document.embedding, f"document '{document.id}'") for document in embedded.values()],
        )
        unindexed = [slot for slot in gone if slot in self._keywords]
        with self._filter_lock:
            self._reject_stale_write(version)
            self._keywords.apply(unindexed, batch, tidy=False)
            self._vectors.apply(list(gone), vectors)
            self._columns.remove(gone)
            self._columns.add(numbered)
            with self._lock:
                self._snapshots.keep(gone)
                for slot, document in gone.items():
                    del self._documents[slot]
                    del self._slot_of[document.id]
                self._documents.update(numbered)
                self._slot_of.update(slot_of)
                self._next_slot += len(numbered)
                self._publish()
        self._snapshots.free()
        self.merger.after_write(self._publish_merged)
        self._publish_merged()
        self._vectors.tidy()

    def _publish(self) -> None:
        self._filter_cache.clear()
        self._snapshots.publish(len(self._slot_of), self._keywords.fork())

    def _publish_merged(self) -> None:
        """Publish merged segments, so that the memory of their sources is freed."""
        with self.writer:
            self._snapshots.published.keywords.follow(self._keywords)

    def _reject_stale_write(self, version: int) -> None:
        """Raise if the preparation of a write has itself written to the store."""
        if version != self._snapshots.published.version:
            raise DocumentStoreError(
                "The store was written to while another write of the same thread was prepared: by its tokenizer, or by an "
                "object in the metadata. The outer write was not done. Write to the store outside of them."
            )

    def read_consistently(self, read: Callable[[], T]) -> T:
        return self._snapshots.read_consistently(read, self.writer)

    @property
    def keywords(self) -> KeywordIndex:
        return self._snapshots.get_pinned().keywords

    def all(self) -> NumberedDocuments:
        with self._lock:
            return list(self._documents.items())

    def ids(self) -> list[str]:
        with self._lock:
            return [document.id for document in self._documents.values()]

    def get_by_id(self, ids: Collection[str]) -> list[Document]:
        with self._lock:
            slots = sorted({self._slot_of[id] for id in ids if id in self._slot_of})
            return [self._documents[slot] for slot in slots]

    def get_by_slot(self, slots: Sequence[int]) -> list[Document]:
        if not self._snapshots.is_reading:
            with self._lock:
                return [self._documents[slot] for slot in slots]
        version = self._snapshots.get_pinned().version
        now = list(map(self._documents.get, slots))
        if replaced := self._snapshots.get_replaced(version):
            now = [replaced.get(slot, document) for slot, document in zip(slots, now, strict=True)]
        return cast("list[Document]", now)

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        with self._lock:
            self._snapshots.pin()
            return {id: self._slot_of[id] for id in ids if id in self._slot_of}

    def find_matching(self, filter: Filter, *, strict_dates: bool) -> NumberedDocuments:
        return self._select_documents(
            lambda: self._columns.find_bounds(filter, strict=strict_dates),
            lambda document: matches(filter, document, strict_datetime_comparison=strict_dates),
        )

    def find_matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        key = filter_key(filter, strict_dates)
        with self._lock:
            found = self._filter_cache.get(key)
            if found is not None:
                self._snapshots.pin()
                return found
        with self._filter_lock:
            version = self._snapshots.pin().version
            bounds = self._columns.find_bounds(filter, strict=strict_dates)
            unsure = [(slot, self._documents[slot]) for slot in bounds.unsure().tolist()]
        matching = [slot for slot, each in unsure if matches(filter, each, strict_datetime_comparison=strict_dates)]
        found = bounds.sure | SlotSet(matching) if matching else bounds.sure
        with self._lock:
            if version == self._snapshots.published.version:
                self._filter_cache.put(key, found)
        return found

    def find_holding(self, wanted: Mapping[str, Sequence[Json]]) -> NumberedDocuments:
        keys = [(field_path(key), [plain(value) for value in values]) for key, values in wanted.items()]
        tests = [(path, members(values)) for path, values in keys]
        return self._select_documents(
            lambda: self._columns.find_holders_of_any(keys),
            lambda document: any(holds_any(field_value(document, path), values) for path, values in tests),
        )

    def _select_documents(
        self, find_bounds: Callable[[], Bounds], test: Callable[[Document], bool]
    ) -> NumberedDocuments:
        with self._filter_lock:
            found = find_bounds()
            slots = found.may.tolist()
            documents = list(zip(slots, map(self._documents.__getitem__, slots), strict=True))
        return found.decide(documents, test)

    def vectors(self) -> VectorIndex:
        with self._filter_lock:
            self._snapshots.pin()
            return self._vectors.fork()
