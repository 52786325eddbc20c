"""Bulk requests: actions in chunks, their results, and retries."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import orjson

from spaniel.document_stores.opensearch.index import CONFLICT, MISSING, Index
from spaniel.document_stores.opensearch.transport.http_request import HttpRequest, to_json
from spaniel.document_stores.opensearch.transport.server_errors import is_transient, reason_of, remedy_for
from spaniel.errors import StoreRequestError, StoreUnavailableError
from spaniel.json_types import JsonObject
from spaniel.runtime import Program, RetryPolicy, Sleep

Operation: TypeAlias = Literal["index", "create", "delete"]

_ANSWER = "errors,items.*._id,items.*.status,items.*.error,items.*._seq_no,items.*._primary_term"
_TOO_LARGE = 413
_REJECTED = {400, _TOO_LARGE}  # the whole request, for one invalid action or for its size
_BLOCKED = "cluster_block_exception"

MAX_ID_BYTES = 512
"""Size of the longest id that a server accepts."""


@dataclass(frozen=True)
class Action:
    """An action of a bulk request; `condition` has further members of its line (``routing``)."""

    operation: Operation
    id: str
    source: bytes | None = None
    condition: Mapping[str, str | int] | None = None

    def lines(self) -> bytes:
        """Return the lines of the action in the request."""
        head = to_json({self.operation: {"_id": self.id, **(self.condition or {})}})
        return head + b"\n" if self.source is None else head + b"\n" + self.source + b"\n"

    def undo(self, stored: JsonObject) -> "Action":
        """Return the deletion of a created document, unless it is changed after this version."""
        version = {"if_seq_no": stored["_seq_no"], "if_primary_term": stored["_primary_term"]}
        return Action("delete", self.id, None, {**version, **self.routing})

    @property
    def routing(self) -> dict[str, str | int]:
        """The routing of the document, as a condition."""
        routing = (self.condition or {}).get("routing")
        return {} if routing is None else {"routing": routing}


@dataclass
class BulkResult:
    """The results of actions."""

    done: int = 0
    created: list[Action] = field(default_factory=list)  # the actions that undo creations
    conflicts: list[str] = field(default_factory=list)  # ids that existed before
    refused: dict[str, str] = field(default_factory=dict)  # the reason by id
    blocked: str | None = None  # the reason for a block of the whole index

    def add(self, other: "BulkResult") -> None:
        """Add the results of further actions."""
        self.done += other.done
        self.created += other.created
        self.conflicts += other.conflicts
        self.refused |= other.refused
        self.blocked = self.blocked or other.blocked


def chunk_actions(actions: Iterable[Action], max_actions: int, max_bytes: int) -> Iterator[list[Action]]:
    """Yield the actions in chunks within both limits; an oversized action is a chunk of its own."""
    chunk: list[Action] = []
    size = 0
    for action in actions:
        length = len(action.source or b"") + len(action.id) + 64
        if chunk and (len(chunk) == max_actions or size + length > max_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append(action)
        size += length
    if chunk:
        yield chunk


class Backoff:
    """The pauses of a call, shared by its concurrent requests; each success starts them again."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._pauses: Iterator[float] | None = None
        self._lock = threading.Lock()

    def next_pause(self) -> float | None:
        """Return the seconds before the next attempt, or None when the time is over."""
        with self._lock:
            if self._pauses is None:
                self._pauses = self._policy.pauses()
            return next(self._pauses, None)

    def reset(self) -> None:
        """Start the pauses again."""
        with self._lock:
            self._pauses = None


def send_bulk(
    index: Index, actions: list[Action], refresh: str | None = None, backoff: Backoff | None = None
) -> Program[BulkResult]:
    """Return the results of actions; a request rejected as a whole is halved until one is alone."""
    result = BulkResult()
    backoff = backoff or Backoff(index.retry_policy)
    unavailable: StoreUnavailableError | None
    while True:
        body = b"".join(action.lines() for action in actions)
        params = {"filter_path": _ANSWER} | ({"refresh": refresh} if refresh else {})
        try:
            answer = yield HttpRequest("POST", index.path("_bulk"), body, params)
        except StoreUnavailableError as error:
            unavailable = error
        except StoreRequestError as error:
            if error.status not in _REJECTED:
                raise
            result.add((yield from _send_halves(index, actions, backoff, refresh, error)))
            return result
        else:
            index.retry_policy.reached = True
            actions, unavailable = (yield from _add_answer(index, actions, answer, result, backoff)), None
        if not actions or result.blocked:
            return result
        pause = backoff.next_pause()
        if pause is None:
            if unavailable is not None:
                raise unavailable
            return _refuse_all(actions, answer, result)
        yield Sleep(pause)


def _send_halves(
    index: Index, actions: list[Action], backoff: Backoff, refresh: str | None, error: StoreRequestError
) -> Program[BulkResult]:
    if len(actions) == 1:
        size = len(actions[0].lines())
        large = f"it has {size:,} bytes, more than the server takes in one request (http.max_content_length)"
        return BulkResult(refused={actions[0].id: large if error.status == _TOO_LARGE else str(error)})
    middle = len(actions) // 2
    result = BulkResult()
    for half in (actions[:middle], actions[middle:]):
        result.add((yield from send_bulk(index, half, refresh, backoff)))
    return result


def _add_answer(
    index: Index, actions: list[Action], answer: JsonObject, result: BulkResult, backoff: Backoff
) -> Program[list[Action]]:
    """Add the results of a request; return the actions to repeat."""
    done_before = result.done
    repeated = _add_items(actions, answer, result)
    if result.done > done_before:
        backoff.reset()
    if result.conflicts:
        yield from _resolve_own_conflicts(index, actions, result)
    return repeated


def _add_items(actions: list[Action], answer: JsonObject, result: BulkResult) -> list[Action]:
    repeated = []
    for action, item in zip(actions, answer["items"], strict=True):
        [each] = item.values()
        status, error = each["status"], each.get("error") or {}
        if status < 300 or (status == MISSING and action.operation == "delete" and not error):
            result.done += 1
            if action.operation == "create":
                result.created.append(action.undo(each))
        elif status == CONFLICT:
            result.conflicts.append(action.id)
        elif is_transient(status, str(error.get("type"))):
            repeated.append(action)
        else:
            reason = reason_of(error) or f"status {status}"
            result.refused[action.id] = reason
            if remedy := _block_remedy(error):
                result.blocked = f"{reason.rstrip('.')}. {remedy}"
    return repeated


def _block_remedy(error: JsonObject) -> str:
    return remedy_for(str(error["type"]), reason_of(error)) if error.get("type") == _BLOCKED else ""


def _refuse_all(actions: list[Action], answer: JsonObject, result: BulkResult) -> BulkResult:
    errors = {each["_id"]: each["error"] for item in answer["items"] for each in item.values() if "error" in each}
    reasons = {id: reason_of(error) for id, error in errors.items()}
    result.refused |= {action.id: reasons.get(action.id, "the server was too busy") for action in actions}
    remedy = _block_remedy(errors.get(actions[0].id, {}))
    result.blocked = f"{reasons.get(actions[0].id, 'busy').rstrip('.')}. {remedy}".rstrip()
    return result


def find_existing(index: Index, actions: list[Action]) -> Program[set[str]]:
    """Return the ids of the actions whose document exists."""
    docs = [{"_id": action.id, "_source": False, **action.routing} for action in actions]
    answer = yield from index.send("POST", "_mget", {"docs": docs}, {"filter_path": "docs._id,docs.found"})
    return {stored["_id"] for stored in answer["docs"] if stored.get("found")}


def _resolve_own_conflicts(index: Index, actions: list[Action], result: BulkResult) -> Program[None]:
    """Count conflicts of an action with itself as successes."""
    # None existed before: if a node is lost, a request may run twice, and conflicts with itself.
    conflicts = set(result.conflicts)
    creations = [action for action in actions if action.operation == "create" and action.id in conflicts]
    for undo in (yield from find_written(index, creations)):
        result.conflicts.remove(undo.id)
        result.done += 1
        result.created.append(undo)


def find_written(index: Index, actions: list[Action]) -> Program[list[Action]]:
    """Return the actions that undo those creations whose document is stored unchanged."""
    if not actions:
        return []
    by_id = {action.id: action for action in actions}
    body = {"docs": [{"_id": action.id, **action.routing} for action in actions]}
    answer = yield from index.send("POST", "_mget", body, {"preference": "_primary"})
    stored_documents = [stored for stored in answer["docs"] if stored.get("found")]
    return [
        by_id[stored["_id"]].undo(stored)
        for stored in stored_documents
        if _is_same(stored["_source"], by_id[stored["_id"]].source)
    ]


def _is_same(stored: JsonObject, source: bytes | None) -> bool:
    """Return True for the sent document; a server may store its vector with less precision."""
    return source is not None and {**stored, "embedding": None} == {**orjson.loads(source), "embedding": None}


def id_error(id: str) -> str | None:
    """Return the reason for rejecting an id, or None.

    >>> id_error("a"), id_error(""), id_error("é" * 300)
    (None, 'an id must not be empty', 'its id has 600 bytes, and 512 are the most that a server takes')
    """
    if not id:
        return "an id must not be empty"
    size = len(id.encode("utf-8", "surrogatepass"))
    if size > MAX_ID_BYTES:
        return f"its id has {size} bytes, and {MAX_ID_BYTES} are the most that a server takes"
    return None
