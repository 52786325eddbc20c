"""Many documents in few requests: chunks, what the server says of each action, and trying again what it had no room for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

from spaniel.document_stores.opensearch.failures import is_passing, reason_of
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.json_bodies import dumped
from spaniel.errors import StoreUnavailableError
from spaniel.runtime import Program, RetryPolicy, Sleep

Operation: TypeAlias = Literal["index", "create", "delete"]

_ANSWER = "errors,items.*._id,items.*.status,items.*.error,items.*._seq_no,items.*._primary_term"
_CONFLICT, _MISSING = 409, 404


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
    """

    done: int = 0
    created: list[Action] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Outcome") -> None:
        """Take in what became of further actions."""
        self.done += other.done
        self.created += other.created
        self.conflicts += other.conflicts
        self.refused |= other.refused


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


def bulk(index: str, actions: list[Action], patience: RetryPolicy, refresh: str | None = None) -> Program[Outcome]:
    """Carry out actions in one request, and what the server had no room for in further ones.

    :param index: where.
    :param refresh: ``true`` or ``wait_for``, for the request.
    :raises StoreUnavailableError: the server can't be reached for so long that the patience is over.
    """
    outcome = Outcome()
    pauses = patience.pauses()
    full: StoreUnavailableError | None
    while True:
        body = b"".join(action.lines() for action in actions)
        params = {"filter_path": _ANSWER} | ({"refresh": refresh} if refresh else {})
        try:
            answer = yield Ask("POST", f"/{index}/_bulk", body, params)
        except StoreUnavailableError as error:
            again, full = actions, error
        else:
            patience.reached = True
            again = _sorted_out(actions, answer, outcome)
            full = None
        if full is None and outcome.conflicts:
            yield from _own_conflicts(index, actions, outcome, patience)
        if not again:
            return outcome
        pause = next(pauses, None)
        if pause is None:
            if full is not None:
                raise full
            return _given_up(again, answer, outcome)
        yield Sleep(pause)
        actions = again


def _sorted_out(actions: list[Action], answer: dict[str, Any], outcome: Outcome) -> list[Action]:
    """Put down what became of each action; return those to try again."""
    again = []
    for action, item in zip(actions, answer["items"], strict=True):
        [result] = item.values()
        status = result["status"]
        if status < 300 or (status == _MISSING and action.operation == "delete"):
            outcome.done += 1
            if action.operation == "create":
                outcome.created.append(_undoing(action, result))
        elif status == _CONFLICT:
            outcome.conflicts.append(action.id)
        elif is_passing(status, str(result["error"].get("type"))):
            again.append(action)
        else:
            outcome.refused[action.id] = reason_of(result["error"])
    return again


def _given_up(actions: list[Action], answer: dict[str, Any], outcome: Outcome) -> Outcome:
    results = [result for item in answer["items"] for result in item.values()]
    reasons = {result["_id"]: reason_of(result["error"]) for result in results if "error" in result}
    outcome.refused |= {action.id: reasons.get(action.id, "the server had no room for it") for action in actions}
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
    sources = {action.id: action for action in actions if action.operation == "create"}
    docs = [{"_id": id, **_routing(sources[id])} for id in outcome.conflicts if id in sources]
    if not docs:
        return
    params = {"preference": "_primary"}
    answer = yield from answered(Ask("POST", f"/{index}/_mget", {"docs": docs}, params), patience)
    for stored in answer["docs"]:
        action = sources[stored["_id"]]
        if stored.get("found") and action.source is not None and _same(stored["_source"], action.source):
            outcome.conflicts.remove(action.id)
            outcome.done += 1
            outcome.created.append(_undoing(action, stored))


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
