"""The documents of one call as actions, and what became of them."""

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.document_source import ROUTING, source_of
from spaniel.document_stores.opensearch.transport.http_request import dumped
from spaniel.document_stores.opensearch.writing.bulk import Action, Operation, Outcome, Waiting, id_fault
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_each


class Batch(Iterable[Action]):
    """The actions that write documents, each id once.

    :param documents: they are read one by one; a list is looked through first, so that nothing is written if one is bad.
    :param policy: what happens with an id that is there already, or given twice.
    :param waiting: how long the call has waited for room.
    :param leaves: whether documents with children are only kept.
    :param marked: whether the index wants to know which values are lists.
    :param content: the field for the text.
    :param find_nested: whether to note the fields that are lists of objects.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy,
        waiting: Waiting,
        *,
        leaves: bool,
        marked: bool,
        find_nested: bool,
        content: str,
    ) -> None:
        self.policy = policy
        self.stopped = False
        self.repeated: list[str] = []
        self.overwritten = 0
        self.nested: set[str] = set()
        self.has_vectors = False
        self.mapped: set[str] = set()
        self.total = Outcome()
        self.waiting = waiting
        self.unsure: list[Action] = []
        listed = isinstance(documents, (list, tuple))
        self._documents = list(validate_each(documents)) if listed else validate_each(documents)
        self._leaves = leaves
        self._marked = marked
        self._content = content
        self._find_nested = find_nested
        self._operation: Operation = "index" if policy is DuplicatePolicy.OVERWRITE else "create"
        self._later: dict[str, Action] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Action]:
        seen: set[str] = set()
        for document in self._documents:
            if self.stopped:
                return
            if fault := id_fault(document.id):
                self.total.refused[document.id] = fault
            elif document.id not in seen:
                seen.add(document.id)
                yield self._action(document)
            elif (
                self.policy is DuplicatePolicy.OVERWRITE
            ):  # the last one counts: it is sent when the others are written
                self.overwritten += document.id in self._later
                self._later[document.id] = self._action(document)
            else:
                self.repeated.append(document.id)
                self.stopped = self.policy is DuplicatePolicy.FAIL

    def again(self) -> "Batch":
        """Return the documents whose id was given before."""
        return _Again(self, list(self._later.values()))

    def add(self, outcome: Outcome) -> int:
        """Take in what became of a chunk; return how many documents are written so far."""
        with self._lock:
            self.total.add(outcome)
            if outcome.blocked or (outcome.conflicts and self.policy is DuplicatePolicy.FAIL):
                self.stopped = True
            return self.total.done

    def _action(self, document: Document) -> Action:
        if self._find_nested:
            self.nested.update(key for key, value in document.meta.items() if _is_nested(value))
        self.has_vectors = self.has_vectors or document.embedding is not None
        try:
            source = dumped(source_of(document, search_leaves=self._leaves, marked=self._marked, content=self._content))
        except TypeError as error:
            raise ValueError(f"Document '{document.id}' can't be written as JSON: {error}.") from error
        return Action(self._operation, document.id, source, routing_to(document.meta.get(ROUTING)))


class _Again(Batch):
    """Actions of a batch that are sent after the others."""

    def __init__(self, batch: Batch, actions: list[Action]) -> None:
        self.__dict__ = batch.__dict__
        self._actions = actions

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions)


def routing_to(routing: Any) -> dict[str, Any] | None:
    """Return the condition of an action with a routing."""
    return None if routing is None else {"routing": routing}


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
