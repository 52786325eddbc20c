"""What an in-memory store holds: its documents by slot, and the indexes over them."""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal

from spaniel._engine import KeywordIndex
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory.key_index import KeyIndex, can_look_up
from spaniel.document_stores.in_memory.vectors import VectorIndex, as_vector
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError
from spaniel.filters import Filter, matches
from spaniel.filters.equality import Members, is_member, members
from spaniel.filters.field import field_path, field_value

Tokenizer = Callable[[str], list[str]]
Cjk = Literal["characters", "bigrams"]


class Contents:
    """The documents and their indexes. Every public method is atomic for all threads.

    A slot is a document's number in the order of writing, so ties resolve by slot. One writer at a time prepares its
    change (copies, tokens) beside the readers; `_lock` is held only to put it in place, or to take a snapshot.

    :param searched: whether a document is in the keyword and vector indexes.
    :param tokenizer: text to tokens; None: the engine's own.
    """

    def __init__(self, searched: Callable[[Document], bool], tokenizer: Tokenizer | None, cjk: Cjk) -> None:
        self.writing = threading.RLock()
        self._lock = threading.Lock()
        self._searched = searched
        self._tokenizer = tokenizer
        self._cjk = cjk
        self._next_slot = 0
        self._documents: dict[int, Document] = {}
        self._slot_of: dict[str, int] = {}
        self.keywords = KeywordIndex(cjk=cjk)
        self._keys = KeyIndex(self._documents, self._slot_of)
        self._vectors = VectorIndex()

    def __len__(self) -> int:
        return len(self._slot_of)

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, documents: Sequence[Document], policy: DuplicatePolicy) -> tuple[int, list[str]]:
        """Return how many documents were written, and the ids that were skipped.

        :raises DuplicateDocumentError: the policy is FAIL, and an id is stored already or twice in the batch.
        :raises ValueError: an embedding is no finite vector. Nothing is written then, in both cases.
        """
        with self.writing:
            chosen, skipped = self._choose(documents, policy)
            copies = [document.independent_copy() for document in chosen]
            self._replace([self._slot_of[copy.id] for copy in copies if copy.id in self._slot_of], copies)
        return len(documents) - len(skipped), skipped

    def delete(self, ids: Collection[str]) -> int:
        """Return how many of these documents there were to delete."""
        with self.writing:
            slots = [self._slot_of[id] for id in dict.fromkeys(ids) if id in self._slot_of]
            self._replace(slots, [])
        return len(slots)

    def update(self, filter: Filter, meta: dict[str, Any], *, strict_dates: bool) -> int:
        """Return how many matching documents got `meta` merged into theirs; they keep their place in the store."""
        with self.writing:
            found = self.matching(filter, strict_dates=strict_dates)
            changed = {slot: document.independent_copy() for slot, document in found}
            for document in changed.values():
                document.meta.update(document.independent_copy(meta=meta).meta)
            with self._lock:
                for slot, document in changed.items():
                    self._keys.remove(slot, self._documents[slot])
                    self._documents[slot] = document
                    self._keys.add(slot, document)
        return len(changed)

    def clear(self) -> None:
        """Delete everything."""
        with self.writing:
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
        slots = range(self._next_slot, self._next_slot + len(added))
        numbered = list(zip(slots, added, strict=True))
        searched = [(slot, document) for slot, document in numbered if self._searched(document)]
        vectors = [
            (slot, as_vector(document.embedding, f"document '{document.id}'"))
            for slot, document in searched
            if document.embedding is not None
        ]
        texts = [(slot, document.content) for slot, document in searched if document.content is not None]
        batch = self._prepare([slot for slot, _ in texts], [text for _, text in texts]) if texts else None
        unindexed = [slot for slot in removed if slot in self.keywords]
        with self._lock:
            self.keywords.apply(unindexed, batch)
            if removed:
                self._vectors.remove(removed)
            for slot in removed:
                document = self._documents.pop(slot)
                del self._slot_of[document.id]
                self._keys.remove(slot, document)
            for slot, document in numbered:
                self._documents[slot] = document
                self._slot_of[document.id] = slot
                self._keys.add(slot, document)
            for slot, vector in vectors:
                self._vectors.add(slot, vector)
            self._next_slot = slots.stop

    def _prepare(self, slots: list[int], texts: list[str]) -> Any:
        if self._tokenizer is None:
            return self.keywords.prepare(slots, texts)
        return self.keywords.prepare_tokens(slots, [self._tokenizer(text) for text in texts])

    # --- reading -----------------------------------------------------------------------------------------------------

    def all(self) -> list[tuple[int, Document]]:
        """Return every document with its slot, in store order."""
        with self._lock:
            return list(self._documents.items())

    def by_id(self, ids: Collection[str]) -> list[Document]:
        """Return the documents with these ids, in store order."""
        with self._lock:
            slots = sorted({self._slot_of[id] for id in ids if id in self._slot_of})
            return [self._documents[slot] for slot in slots]

    def by_slot(self, slots: Sequence[int]) -> list[Document] | None:
        """Return the documents of these slots, or None if one of them is gone."""
        with self._lock:
            found = [self._documents.get(slot) for slot in slots]
        documents = [document for document in found if document is not None]
        return documents if len(documents) == len(found) else None

    def slots_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the slots of those ids that are stored."""
        with self._lock:
            return {id: self._slot_of[id] for id in ids if id in self._slot_of}

    def matching(self, filter: Filter, *, strict_dates: bool) -> list[tuple[int, Document]]:
        """Return the documents that match a filter with their slots, in store order."""
        with self._lock:
            candidates = self._keys.candidates(filter)
            slots = self._documents if candidates is None else sorted(candidates)
            documents = [(slot, self._documents[slot]) for slot in slots]
        return [
            (slot, document)
            for slot, document in documents
            if matches(filter, document, strict_datetime_comparison=strict_dates)
        ]

    def holding(self, key: str, values: Sequence[Any]) -> list[tuple[int, Document]]:
        """Return the documents whose value under `key` equals one of `values`, or is a list with such an element."""
        with self._lock:
            if all(can_look_up(value) for value in values):
                slots = sorted(self._keys.holding(key, values))
                return [(slot, self._documents[slot]) for slot in slots]
            documents = list(self._documents.items())
        wanted, path = members(values), field_path(key)
        return [(slot, document) for slot, document in documents if _holds(field_value(document, path), wanted)]

    def vectors(self) -> list[Any]:
        """Return a snapshot of the vectors, for `nearest`."""
        with self._lock:
            return self._vectors.snapshot()


def _holds(value: Any, wanted: Members) -> bool:
    elements = value if isinstance(value, (list, tuple)) else [value]
    return any(is_member(element, wanted, strict=False) for element in elements)
