"""The documents of a write as actions, and their results so far."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.document_source import ROUTING, to_source
from spaniel.document_stores.opensearch.transport.http_request import to_json
from spaniel.document_stores.opensearch.writing.bulk import Action, Backoff, BulkResult, Operation, id_error
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_documents, validate_each
from spaniel.json_types import Json


@dataclass
class WriteBatch:
    """The actions that write documents, each id once, and their results."""

    documents: Iterable[Document]
    policy: DuplicatePolicy
    backoff: Backoff
    search_leaves: bool
    marked: bool
    find_nested: bool
    content: str
    stopped: bool = False
    has_vectors: bool = False
    overwritten: int = 0
    repeated: list[str] = field(default_factory=list)
    nested: set[str] = field(default_factory=set)
    mapped: set[str] = field(default_factory=set)
    uncertain: list[Action] = field(default_factory=list)  # of requests without an answer
    result: BulkResult = field(default_factory=BulkResult)
    _overwrites: dict[str, Action] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if isinstance(self.documents, (list, tuple)):  # an invalid document prevents the write
            self.documents = validate_documents(self.documents)

    def actions(self) -> Iterator[Action]:
        """Yield the action of each distinct id."""
        seen: set[str] = set()
        for document in validate_each(self.documents):
            if self.stopped:
                return
            if error := id_error(document.id):
                self.result.refused[document.id] = error
            elif document.id not in seen:
                seen.add(document.id)
                yield self._action(document)
            elif self.policy is DuplicatePolicy.OVERWRITE:
                self.overwritten += document.id in self._overwrites
                self._overwrites[document.id] = self._action(document)
            else:
                self.repeated.append(document.id)
                self.stopped = self.policy is DuplicatePolicy.FAIL

    def overwrites(self) -> list[Action]:
        """Return the last action of each repeated id, to send after all others."""
        return list(self._overwrites.values())

    def add(self, result: BulkResult) -> int:
        """Add the results of a chunk; return the number of documents written so far."""
        with self._lock:
            self.result.add(result)
            if result.blocked or (result.conflicts and self.policy is DuplicatePolicy.FAIL):
                self.stopped = True
            return self.result.done

    def _action(self, document: Document) -> Action:
        if self.find_nested:
            self.nested.update(key for key, value in document.meta.items() if _is_list_of_objects(value))
        self.has_vectors = self.has_vectors or document.embedding is not None
        operation: Operation = "index" if self.policy is DuplicatePolicy.OVERWRITE else "create"
        source = to_source(document, search_leaves=self.search_leaves, marked=self.marked, content=self.content)
        try:
            return Action(operation, document.id, to_json(source), routing_condition(document.meta.get(ROUTING)))
        except TypeError as error:
            raise ValueError(f"Document '{document.id}' can't be written as JSON: {error}.") from error


def routing_condition(routing: str | None) -> dict[str, str] | None:
    """Return the condition of an action with a routing."""
    return None if routing is None else {"routing": routing}


def _is_list_of_objects(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
