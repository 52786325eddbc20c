"""The documents of a write as actions, and their results so far."""

import threading
from collections.abc import Iterable, Iterator

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.document_source import ROUTING, to_source
from spaniel.document_stores.opensearch.transport.http_request import to_json
from spaniel.document_stores.opensearch.writing.bulk import Action, Backoff, BulkResult, Operation, id_error
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_each
from spaniel.json_types import Json


class WriteBatch:
    """The actions that write documents, each id once, and their results.

    :param documents: read as needed; a list is validated first, so that an invalid document
        prevents the write.
    :param policy: for ids that exist already or occur twice.
    :param backoff: of the call.
    :param search_leaves: True: documents with children are stored without being searchable.
    :param marked: True: the index has the field for marks.
    :param find_nested: True: collect the fields that hold lists of objects.
    :param content: the field for the text.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy,
        backoff: Backoff,
        *,
        search_leaves: bool,
        marked: bool,
        find_nested: bool,
        content: str,
    ) -> None:
        self.policy = policy
        self.backoff = backoff
        self.stopped = False
        self.repeated: list[str] = []
        self.overwritten = 0
        self.nested: set[str] = set()
        self.mapped: set[str] = set()
        self.has_vectors = False
        self.result = BulkResult()
        self.uncertain: list[Action] = []
        """Actions of requests without an answer."""
        listed = isinstance(documents, (list, tuple))
        self._documents = list(validate_each(documents)) if listed else validate_each(documents)
        self._search_leaves = search_leaves
        self._marked = marked
        self._content = content
        self._find_nested = find_nested
        self._operation: Operation = "index" if policy is DuplicatePolicy.OVERWRITE else "create"
        self._overwrites: dict[str, Action] = {}
        self._lock = threading.Lock()

    def actions(self) -> Iterator[Action]:
        """Yield the action of each distinct id."""
        seen: set[str] = set()
        for document in self._documents:
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
        if self._find_nested:
            self.nested.update(key for key, value in document.meta.items() if _is_list_of_objects(value))
        self.has_vectors = self.has_vectors or document.embedding is not None
        source = to_source(document, search_leaves=self._search_leaves, marked=self._marked, content=self._content)
        try:
            return Action(self._operation, document.id, to_json(source), routing_condition(document.meta.get(ROUTING)))
        except TypeError as error:
            raise ValueError(f"Document '{document.id}' can't be written as JSON: {error}.") from error


def routing_condition(routing: str | None) -> dict[str, str] | None:
    """Return the condition of an action with a routing."""
    return None if routing is None else {"routing": routing}


def _is_list_of_objects(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
