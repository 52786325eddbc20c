"""What an in-memory store holds: its documents by slot, and the indexes over them."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar, cast

from spaniel._engine import Batch, KeywordIndex, SlotSet, VectorIndex
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.embedded.columns import Bounds
from spaniel.document_stores.embedded.contents import SEARCH_SCOPES, Indexing, Numbered, Tokenizer
from spaniel.document_stores.embedded.key_index import KeyIndex, holds
from spaniel.document_stores.embedded.merging import Merging
from spaniel.document_stores.embedded.recent_filters import RecentFilters, filter_key
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.embedded.writer import Writer
from spaniel.document_stores.in_memory.snapshots import CurrentRead, MovedError, Read, ReadSnapshot, ReplacedDocuments
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError, DuplicateDocumentError
from spaniel.filters import Filter, matches
from spaniel.filters.equality import members, plain
from spaniel.filters.field import field_path, field_value

T = TypeVar("T")

_TRIES = 5


class Contents:
    """The documents and their indexes. Every public method is atomic for all threads.

    A slot is a document's number in the order of writing, so ties resolve by slot. A stored document is never changed,
    only replaced. One writer at a time makes the next state beside the readers, and publishes it as `_state`. A read of
    several steps takes the state that is there and keeps it: it waits for no writer. `_filter_lock` is held while columns
    are read or changed, `_lock` while dictionaries are; a writer takes them in this order.

    :param indexing: which documents are searched, and by which tokens.
    :param tokenizer: text to tokens; None: the engine's own.
    """

    def __init__(self, indexing: Indexing, tokenizer: Tokenizer | None) -> None:
        self.indexing = indexing
        self.writer = Writer()
        self._filter_lock = threading.Lock()
        self._lock = threading.Lock()
        self._searched = SEARCH_SCOPES[indexing.search]
        self._tokenizer = tokenizer
        self._current = CurrentRead()
        self._replaced = ReplacedDocuments()
        self._passing = RecentFilters()
        self._next_slot = 0
        self._documents: dict[int, Document] = {}
        self._slot_of: dict[str, int] = {}
        self._keywords = KeywordIndex(cjk=indexing.cjk)
        self._state = ReadSnapshot(0, 0, self._keywords.fork())
        self.merging = Merging(self._keywords)
        self._keys = KeyIndex(self._documents, self._slot_of)
        self._vectors = VectorIndex()

    def count(self) -> int:
        """Return how many documents there are."""
        return self._taken().num_documents

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, documents: Sequence[Document], policy: DuplicatePolicy) -> tuple[int, list[str]]:
        """Return how many documents were written, and the ids that were skipped.

        :raises DuplicateDocumentError: the policy is FAIL, and an id is stored already or twice in the batch.
        :raises ValueError: an embedding is no finite vector. Nothing is written then, in both cases.
        """
        with self.writer:
            chosen, skipped = self._choose(documents, policy)
            try:
                copies = Document.copies_of(chosen)
            except RecursionError:
                copies = [document.independent_copy() for document in chosen]  # the error of one names it
            self._replace([self._slot_of[copy.id] for copy in copies if copy.id in self._slot_of], copies)
        return len(documents) - len(skipped), skipped

    def delete(self, ids: Collection[str]) -> None:
        """Delete those of these documents that there are."""
        with self.writer:
            self._replace([self._slot_of[id] for id in dict.fromkeys(ids) if id in self._slot_of], [])

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        """Return how many documents matched a filter and were deleted."""
        with self.writer:
            slots = [slot for slot, _ in self.matching(filter, strict_dates=strict_dates)]
            self._replace(slots, [])
        return len(slots)

    def update_matching(self, filter: Filter, meta: Mapping[str, Any], *, strict_dates: bool) -> int:
        """Return how many matching documents got `meta` merged into theirs.

        They keep their place in the store, unless the change tells for one of them whether it is searched: then all of
        them are written anew, and go to the end.
        """
        with self.writer:
            version = self._state.version
            found = self.matching(filter, strict_dates=strict_dates)
            changed = [document.independent_copy() for _, document in found]
            for document in changed:
                document.meta.update(copy_value(dict(meta)))
            if [self._searched(old) for _, old in found] != [self._searched(new) for new in changed]:
                self._replace([slot for slot, _ in found], changed)
                return len(found)
            with self._filter_lock:
                self._refuse_after(version)
                old = dict(found)
                new = dict(zip(old, changed, strict=True))
                self._keys.remove(old)
                self._keys.add(new)
                with self._lock:
                    self._replaced.add(version, old)
                    self._documents.update(new)
                    self._publish()
            self._replaced.free()
        return len(found)

    def prepare_approximate_search(self) -> None:
        """Let the vectors be searched approximately, those that are there and those that come."""
        with self.writer:
            self._vectors.code()

    def clear(self) -> None:
        """Delete everything."""
        with self.writer:
            self._replace(list(self._documents), [])

    def _choose(self, documents: Sequence[Document], policy: DuplicatePolicy) -> tuple[list[Document], list[str]]:
        chosen: dict[str, Document] = {}
        skipped = []
        for document in documents:
            if document.id in chosen or document.id in self._slot_of:
                if policy is DuplicatePolicy.SKIP:
                    skipped.append(document.id)
                    continue
                if policy is not DuplicatePolicy.OVERWRITE:
                    where = "twice in this batch" if document.id in chosen else "in the store"
                    raise DuplicateDocumentError(
                        f"ID '{document.id}' already exists {where}, so none of the {len(documents)} documents were "
                        "written. Pass policy=DuplicatePolicy.OVERWRITE or SKIP to allow it."
                    )
                chosen.pop(document.id, None)  # an overwrite goes to the end
            chosen[document.id] = document
        return list(chosen.values()), skipped

    def _replace(self, removed: list[int], added: list[Document]) -> None:
        """Take `removed` slots out and `added` documents in, at once for all readers."""
        version = self._state.version
        gone = {slot: self._documents[slot] for slot in removed if slot in self._documents}
        numbered = dict(enumerate(added, self._next_slot))
        slot_of = dict(zip([document.id for document in added], numbered, strict=True))
        searched = {slot: document for slot, document in numbered.items() if self._searched(document)}
        texts = {slot: document.content for slot, document in searched.items() if document.content is not None}
        batch = self._inverted(list(texts), list(texts.values()))
        embedded = {slot: document for slot, document in searched.items() if document.embedding is not None}
        vectors = self._vectors.prepare(
            list(embedded),
            [as_vector(document.embedding, f"document '{document.id}'") for document in embedded.values()],
        )
        unindexed = [slot for slot in gone if slot in self._keywords]
        with self._filter_lock:
            self._refuse_after(version)
            self._keywords.apply(unindexed, batch, tidy=False)
            self._vectors.apply(list(gone), vectors)
            self._keys.remove(gone)
            self._keys.add(numbered)
            with self._lock:
                self._replaced.add(version, gone)
                for slot, document in gone.items():
                    del self._documents[slot]
                    del self._slot_of[document.id]
                self._documents.update(numbered)
                self._slot_of.update(slot_of)
                self._next_slot += len(numbered)
                self._publish()
        self._replaced.free()
        self.merging.after_write(self._show_merged)
        self._show_merged()
        self._vectors.tidy()

    def _publish(self) -> None:
        """Let readers see the state that has been put in place."""
        self._passing.clear()
        self._state = ReadSnapshot(self._state.version + 1, len(self._slot_of), self._keywords.fork())

    def _show_merged(self) -> None:
        """Let readers see merged segments, so that the memory of those they were made from is freed."""
        with self.writer:
            self._state.keywords.follow(self._keywords)

    def _refuse_after(self, version: int) -> None:
        """Refuse a write that was prepared for an older version. Only code that the preparation ran can have made a newer."""
        if version != self._state.version:
            raise DocumentStoreError(
                "The store was written to while another write of the same thread was prepared: by its tokenizer, or by an "
                "object in the metadata. The outer write was not done. Write to the store outside of them."
            )

    def _inverted(self, slots: list[int], texts: list[str]) -> Batch | None:
        if not slots:
            return None
        if self._tokenizer is None:
            return self._keywords.prepare(slots, texts)
        return self._keywords.prepare_tokens(slots, [self._tokenizer(text) for text in texts])

    # --- reading -----------------------------------------------------------------------------------------------------

    def consistently(self, read: Callable[[], T]) -> T:
        """Return what `read` returns, all of one state of the store: the one that it meets first.

        What `read` asks of the keyword index and of documents by slot, it can ask at any later time. Anything else it must
        ask before another write, or it is called again.

        :param read: calls methods of this object and of `keywords`.
        """
        for _ in range(_TRIES):
            try:
                return self._of_one_state(read)
            except MovedError:
                continue
        with self.writer:  # writers keep coming between, so they wait for once
            return self._of_one_state(read)

    def _of_one_state(self, read: Callable[[], T]) -> T:
        current = self._current
        outer, own = current.read, Read()
        current.read = own
        try:
            return read()
        finally:
            current.read = outer
            self._replaced.release(own)

    def _take(self) -> ReadSnapshot:
        """Return the present state, which the read of this thread keeps, if there is a read.

        :raises MovedError: the read has taken an earlier one.
        """
        read = self._current.read
        if read is None:
            return self._state
        if read.snapshot is not None:
            if read.snapshot.version != self._state.version:
                raise MovedError("The store was written to by what reads it, such as a tokenizer. Write outside of it.")
            return read.snapshot
        while True:
            state = self._state
            self._replaced.hold(read, state.version)
            if state.version == self._state.version:  # else what was replaced since may be gone
                read.snapshot = state
                return state

    def _taken(self) -> ReadSnapshot:
        """Return the state of the read of this thread; without one, the present state."""
        read = self._current.read
        return self._take() if read is None or read.snapshot is None else read.snapshot

    @property
    def keywords(self) -> KeywordIndex:
        """The keyword index; for a read, as it is in its state."""
        return self._taken().keywords

    def all(self) -> Numbered:
        """Return every document."""
        with self._lock:
            return list(self._documents.items())

    def by_id(self, ids: Collection[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""
        with self._lock:
            slots = sorted({self._slot_of[id] for id in ids if id in self._slot_of})
            return [self._documents[slot] for slot in slots]

    def by_slot(self, slots: Sequence[int]) -> list[Document]:
        """Return the documents of these slots, in the order given.

        :raises KeyError: one is gone; for a read, none is.
        """
        if self._current.read is None:
            with self._lock:
                return [self._documents[slot] for slot in slots]
        version = self._taken().version
        now = list(map(self._documents.get, slots))
        if replaced := self._replaced.since(version):
            now = [replaced.get(slot, document) for slot, document in zip(slots, now, strict=True)]
        return cast("list[Document]", now)

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the slots of those ids that are stored."""
        with self._lock:
            self._take()
            return {id: self._slot_of[id] for id in ids if id in self._slot_of}

    def matching(self, filter: Filter, *, strict_dates: bool) -> Numbered:
        """Return the documents that match a filter."""
        return self._between(
            lambda: self._keys.bounds(filter, strict=strict_dates),
            lambda document: matches(filter, document, strict_datetime_comparison=strict_dates),
        )

    def matching_slots(self, filter: Filter, *, strict_dates: bool) -> SlotSet:
        """Return the slots of the documents that match a filter."""
        key = filter_key(filter, strict_dates)
        with self._lock:
            found = self._passing.get(key)
            if found is not None:
                self._take()
                return found
        with self._filter_lock:
            version = self._take().version
            bounds = self._keys.bounds(filter, strict=strict_dates)
            unsure = [(slot, self._documents[slot]) for slot in bounds.unsure().tolist()]
        found = bounds.sure
        if unsure:
            found |= SlotSet(
                [
                    slot
                    for slot, document in unsure
                    if matches(filter, document, strict_datetime_comparison=strict_dates)
                ]
            )
        with self._lock:
            if version == self._state.version:
                self._passing.put(key, found)
        return found

    def holding(self, wanted: Mapping[str, Sequence[Any]]) -> Numbered:
        """Return the documents that hold a wanted value under its key: it equals theirs, or an element of their list."""
        keys = [(field_path(key), [plain(value) for value in values]) for key, values in wanted.items()]
        tests = [(path, members(values)) for path, values in keys]
        return self._between(
            lambda: self._keys.holding_any(keys),
            lambda document: any(holds(field_value(document, path), values) for path, values in tests),
        )

    def _between(self, bounds: Callable[[], Bounds], test: Callable[[Document], bool]) -> Numbered:
        with self._filter_lock:
            found = bounds()
            slots = found.may.tolist()
            documents = list(zip(slots, map(self._documents.__getitem__, slots), strict=True))
        if len(found.may) == len(found.sure):
            return documents
        return [(slot, document) for slot, document in documents if slot in found.sure or test(document)]

    def vectors(self) -> VectorIndex:
        """Return the index of the vectors; for a read, as it is in its state."""
        with self._filter_lock:
            self._take()
            return self._vectors.fork()
