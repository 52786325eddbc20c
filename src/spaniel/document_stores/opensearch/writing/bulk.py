"""Many documents in few requests: chunks, what the server says of each action, and trying again what it had no room for."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

from spaniel.document_stores.opensearch.transport.http_request import Ask, answered, dumped
from spaniel.document_stores.opensearch.transport.server_errors import is_passing, reason_of, remedy_for
from spaniel.errors import StoreRequestError, StoreUnavailableError
from spaniel.runtime import Program, RetryPolicy, Sleep

Operation: TypeAlias = Literal["index", "create", "delete"]

_ANSWER = "errors,items.*._id,items.*.status,items.*.error,items.*._seq_no,items.*._primary_term"
_CONFLICT, _MISSING = 409, 404
_TOO_LARGE = 413
_WHOLE = {400, _TOO_LARGE}  # a request with one bad action, or too large, is refused as a whole
_BLOCKED = "cluster_block_exception"

LONGEST_ID = 512
"""Bytes of an id that a server takes."""


@dataclass(frozen=True)
class Action:
    """One action of a bulk request.

    :param source: the document as JSON; None for a deletion.
    :param condition: further members of the action's line, such as ``routing`` or ``if_seq_no``.
    """

    operation: Operation
    id: str
    source: bytes | None = None
    condition: Mapping[str, Any] | None = None

    def lines(self) -> bytes:
        """Return the action as it stands in the request."""
        head = dumped({self.operation: {"_id": self.id, **(self.condition or {})}})
        return head + b"\n" if self.source is None else head + b"\n" + self.source + b"\n"


@dataclass
class Outcome:
    """What became of actions.

    :param done: the ids of those that were carried out.
    :param created: what deletes the documents that were created, unless somebody changed them since.
    :param conflicts: the ids that were there already.
    :param refused: why the server did not take a document, by id.
    :param blocked: why it takes none at all now; None: it does.
    """

    done: int = 0
    created: list[Action] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    blocked: str | None = None

    def add(self, other: "Outcome") -> None:
        """Take in what became of further actions."""
        self.done += other.done
        self.created += other.created
        self.conflicts += other.conflicts
        self.refused |= other.refused
        self.blocked = self.blocked or other.blocked


def chunks(actions: Iterable[Action], max_actions: int, max_bytes: int) -> Iterator[list[Action]]:
    """Yield the actions in groups, each no larger than allowed; one that is larger by itself stands alone."""
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


class Waiting:
    """How long one call has waited in vain, over all of its requests: it begins again with each success."""

    def __init__(self, patience: RetryPolicy) -> None:
        self.patience = patience
        self._pauses: Iterator[float] | None = None
        self._lock = threading.Lock()

    def pause(self) -> float | None:
        """Return how long to wait before the next try; None: it was long enough."""
        with self._lock:
            if self._pauses is None:
                self._pauses = self.patience.pauses()
            return next(self._pauses, None)

    def succeeded(self) -> None:
        """Begin again."""
        with self._lock:
            self._pauses = None


def bulk(
    index: str,
    actions: list[Action],
    patience: RetryPolicy,
    refresh: str | None = None,
    waiting: Waiting | None = None,
) -> Program[Outcome]:
    """Carry out actions in one request, and what the server had no room for in further ones.

    A request that the server refuses as a whole is halved, until the action at fault stands alone.

    :param index: where.
    :param refresh: ``true`` or ``wait_for``, for the request.
    :param waiting: how long the call that this request is of has waited; None: it is of none.
    :raises StoreUnavailableError: the server can't be reached for so long that the patience is over.
    """
    outcome = Outcome()
    waiting = waiting or Waiting(patience)
    away: StoreUnavailableError | None
    while True:
        body = b"".join(action.lines() for action in actions)
        params = {"filter_path": _ANSWER} | ({"refresh": refresh} if refresh else {})
        try:
            answer = yield Ask("POST", f"/{index}/_bulk", body, params)
        except StoreUnavailableError as error:
            again, away = actions, error
        except StoreRequestError as error:
            if error.status not in _WHOLE:
                raise
            outcome.add((yield from _halves(index, actions, waiting, refresh, error)))
            return outcome
        else:
            again, away = (yield from _taken_in(index, actions, answer, outcome, waiting)), None
        if not again or outcome.blocked:
            return outcome
        pause = waiting.pause()
        if pause is None:
            if away is not None:
                raise away
            return _given_up(again, answer, outcome)
        yield Sleep(pause)
        actions = again


def _taken_in(
    index: str, actions: list[Action], answer: dict[str, Any], outcome: Outcome, waiting: Waiting
) -> Program[list[Action]]:
    """Put down what became of the actions of a request; return those to try again."""
    waiting.patience.reached = True
    before = outcome.done
    again = _sorted_out(actions, answer, outcome)
    if outcome.done > before:
        waiting.succeeded()
    if outcome.conflicts:
        yield from _own_conflicts(index, actions, outcome, waiting.patience)
    return again


def _halves(
    index: str, actions: list[Action], waiting: Waiting, refresh: str | None, error: StoreRequestError
) -> Program[Outcome]:
    if len(actions) == 1:
        size = len(actions[0].lines())
        large = f"it has {size:,} bytes, more than the server takes in one request (http.max_content_length)"
        return Outcome(refused={actions[0].id: large if error.status == _TOO_LARGE else str(error)})
    middle = len(actions) // 2
    outcome = Outcome()
    for half in (actions[:middle], actions[middle:]):
        outcome.add((yield from bulk(index, half, waiting.patience, refresh, waiting)))
    return outcome


def _sorted_out(actions: list[Action], answer: dict[str, Any], outcome: Outcome) -> list[Action]:
    """Put down what became of each action; return those to try again."""
    again = []
    for action, item in zip(actions, answer["items"], strict=True):
        [result] = item.values()
        status, error = result["status"], result.get("error") or {}
        if status < 300 or (status == _MISSING and action.operation == "delete" and not error):
            outcome.done += 1
            if action.operation == "create":
                outcome.created.append(_undoing(action, result))
        elif status == _CONFLICT:
            outcome.conflicts.append(action.id)
        elif is_passing(status, str(error.get("type"))):
            again.append(action)
        else:
            reason = reason_of(error) or f"status {status}"
            outcome.refused[action.id] = reason
            if remedy := _block(error):
                outcome.blocked = f"{reason.rstrip('.')}. {remedy}"
    return again


def _block(error: Mapping[str, Any]) -> str:
    """Return what to do about a block of the index; nothing if there is none."""
    return remedy_for(str(error["type"]), reason_of(dict(error))) if error.get("type") == _BLOCKED else ""


def _given_up(actions: list[Action], answer: dict[str, Any], outcome: Outcome) -> Outcome:
    errors = {
        result["_id"]: result["error"] for item in answer["items"] for result in item.values() if "error" in result
    }
    reasons = {id: reason_of(error) for id, error in errors.items()}
    outcome.refused |= {action.id: reasons.get(action.id, "the server had no room for it") for action in actions}
    first = errors.get(actions[0].id, {})
    outcome.blocked = f"{reasons.get(actions[0].id, 'no room').rstrip('.')}. {_block(first)}".rstrip()
    return outcome


def present(index: str, actions: list[Action], patience: RetryPolicy) -> Program[set[str]]:
    """Return the ids of those actions of which a document is there already."""
    docs = [{"_id": action.id, "_source": False, **_routing(action)} for action in actions]
    params = {"filter_path": "docs._id,docs.found"}
    answer = yield from answered(Ask("POST", f"/{index}/_mget", {"docs": docs}, params), patience)
    return {stored["_id"] for stored in answer["docs"] if stored.get("found")}


def _own_conflicts(index: str, actions: list[Action], outcome: Outcome, patience: RetryPolicy) -> Program[None]:
    """Take out of the conflicts those with what is to be written itself.

    None of the documents was there before: see `present`. Where a node is lost, an action may be carried out twice: by a
    request of which the answer was lost, or by a node that passes it on again. The second time it is in conflict with itself.
    """
    conflicts = set(outcome.conflicts)
    mine = [action for action in actions if action.operation == "create" and action.id in conflicts]
    for undoing in (yield from own(index, mine, patience)):
        outcome.conflicts.remove(undoing.id)
        outcome.done += 1
        outcome.created.append(undoing)


def own(index: str, actions: list[Action], patience: RetryPolicy) -> Program[list[Action]]:
    """Return what deletes those documents that are stored as the actions create them."""
    if not actions:
        return []
    sources = {action.id: action for action in actions}
    body = {"docs": [{"_id": action.id, **_routing(action)} for action in actions]}
    answer = yield from answered(Ask("POST", f"/{index}/_mget", body, {"preference": "_primary"}), patience)
    found = [(sources[stored["_id"]], stored) for stored in answer["docs"] if stored.get("found")]
    return [
        _undoing(action, stored)
        for action, stored in found
        if action.source is not None and _same(stored["_source"], action.source)
    ]


def _same(stored: dict[str, Any], source: bytes) -> bool:
    """Return whether a document is the one that was sent; a server may keep its vector in fewer digits."""
    sent: dict[str, Any] = orjson.loads(source)
    return {**stored, "embedding": None} == {**sent, "embedding": None}


def _undoing(action: Action, stored: Mapping[str, Any]) -> Action:
    version = {"if_seq_no": stored["_seq_no"], "if_primary_term": stored["_primary_term"]}
    return Action("delete", action.id, None, {**version, **_routing(action)})


def _routing(action: Action) -> dict[str, Any]:
    routing = (action.condition or {}).get("routing")
    return {} if routing is None else {"routing": routing}


def id_fault(id: str) -> str | None:
    """Return why a server does not take an id; None: it does.

    >>> id_fault("a"), id_fault(""), id_fault("é" * 300)
    (None, 'an id must not be empty', 'its id has 600 bytes, and 512 are the most that a server takes')
    """
    if not id:
        return "an id must not be empty"
    length = len(id.encode("utf-8", "surrogatepass"))
    return (
        f"its id has {length} bytes, and {LONGEST_ID} are the most that a server takes" if length > LONGEST_ID else None
    )
