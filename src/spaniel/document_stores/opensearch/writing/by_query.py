"""Changes by query: a task of the server, which goes on when an answer is lost, and says in the end how many it changed."""

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.document_stores.opensearch.transport.server_errors import (
    answer_error,
    is_passing,
    reason_of,
    remedy_for,
    setting_remedy,
)
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import Program, Sleep

Api: TypeAlias = Literal["_delete_by_query", "_update_by_query"]

_ACTIONS = {
    "_delete_by_query": "indices:data/write/delete/byquery",
    "_update_by_query": "indices:data/write/update/byquery",
}
_FIRST_POLL, _LONGEST_POLL = 0.01, 1.0  # seconds
_STANDSTILL = 5.0  # seconds; a task that did nothing for less is not ended, however short the patience
_MISSING = 404
_SHOWN = 3  # reasons in a message
_RECENT = 200  # finished tasks among which ours is looked for
_NOTED = ("deleted", "updated", "version_conflicts", "batches", "noops")


@dataclass
class Changed:
    """The outcome of a task.

    :param count: how many documents were changed.
    :param conflicts: how many others changed meanwhile.
    :param failures: what the server says of those that failed.
    """

    count: int = 0
    conflicts: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def passing(self) -> bool:
        """Whether all failures are such as pass by themselves."""
        return all(is_passing(int(each.get("status", 0)), _type_of(each)) for each in self.failures)

    def add(self, answer: dict[str, Any]) -> None:
        """Add what a task answered."""
        self.count += int(answer.get("deleted", 0)) + int(answer.get("updated", 0))
        self.conflicts += int(answer.get("version_conflicts", 0))
        self.failures += answer.get("failures", ())


def change_by_query(index: Index, api: Api, body: dict[str, Any], *, refresh: bool) -> Program[int]:
    """Return how many documents a query changed. Those that others changed meanwhile are looked at again.

    :param refresh: whether searches see it when this returns.
    :raises DocumentStoreError: documents fail, or are changed by others for longer than the patience lasts; it says how
        many are changed and why the others are not.
    """
    pauses, total = index.patience.pauses(), 0
    while True:
        changed = yield from _carried_out(index, api, body, refresh=refresh)
        total += changed.count
        body = _again(body)
        if not changed.conflicts and not changed.failures:
            return total
        pause = next(pauses, None) if changed.passing else None
        if pause is None:
            raise _failure(index, changed, total)
        yield Sleep(pause)
        yield from answered(Ask("POST", index.path("_refresh")), index.patience)


def _again(body: dict[str, Any]) -> dict[str, Any]:
    """Return a change for those documents that it has not changed yet."""
    if (script := body.get("script")) is None:
        return body
    return {**body, "script": {**script, "params": {**script["params"], "again": True}}}


def _failure(index: Index, changed: Changed, total: int) -> DocumentStoreError:
    start = f"The index '{index.name}' could not be changed by filter: {total:,} documents are changed"
    if not changed.failures:
        return DocumentStoreError(
            f"{start}, but {changed.conflicts:,} were changed by others at the same time, again and again "
            f"(version_conflict_engine_exception) for {index.patience.seconds:g} s. Call it again when they are done."
        )
    reasons = Counter(f"{_type_of(each)}: {reason_of(_cause(each))}" for each in changed.failures)
    shown = "; ".join(reason.rstrip(".") for reason, _ in reasons.most_common(_SHOWN))
    first = changed.failures[0]
    remedy = remedy_for(_type_of(first), reason_of(_cause(first)))
    text = f"{start}, {len(changed.failures):,} failed: {shown}. {remedy}".rstrip()
    if changed.passing:
        return StoreUnavailableError(text)
    return StoreRequestError(text, int(first.get("status", 0)), _type_of(first))


def _cause(failure: dict[str, Any]) -> dict[str, Any]:
    cause: dict[str, Any] = failure.get("cause") or failure.get("reason") or {}
    return cause


def _type_of(failure: dict[str, Any]) -> str:
    return str(_cause(failure).get("type", ""))


def _carried_out(index: Index, api: Api, body: dict[str, Any], *, refresh: bool) -> Program[Changed]:
    """Carry out a change once, whatever answers are lost: tasks carry a name, by which they are found."""
    name = f"spaniel-{secrets.token_hex(12)}"
    params = {
        "wait_for_completion": "false",
        "conflicts": "proceed",
        "refresh": str(refresh).lower(),
        "opaque_id": name,
    }
    ask = Ask("POST", index.path(api), body, params, repeatable=False)
    pauses, changed = index.patience.pauses(), Changed()
    while True:
        try:
            answer = yield from answered(ask, index.patience)
        except StoreUnavailableError as error:
            pause = next(pauses, None)
            if error.refused or pause is None:
                raise
            yield Sleep(pause)
            tasks = yield from _tasks_named(index, api, name)
        else:
            tasks = [str(answer["task"])] if "task" in answer else []
            if not tasks:  # it has waited
                changed.add(answer)
                return changed
        for task in tasks:
            changed.add((yield from _finished(index, api, task)))
        if tasks:
            return changed


def _tasks_named(index: Index, api: Api, name: str) -> Program[list[str]]:
    """Return the tasks of a name: those that run, and those that have ended."""
    running = Ask("GET", "/_tasks", params={"actions": _ACTIONS[api], "detailed": "true"})
    answer = yield from answered(running, index.patience)
    nodes = answer.get("nodes", {}).values()
    found = [id for node in nodes for id, task in node.get("tasks", {}).items() if _is_named(task, name)]
    recent = {
        "query": {"term": {"task.action": _ACTIONS[api]}},
        "sort": [{"task.start_time_in_millis": "desc"}],
        "size": _RECENT,
        "_source": ["task.headers"],
    }
    try:
        yield from answered(Ask("POST", "/.tasks/_refresh"), index.patience)
        ended = yield from answered(Ask("POST", "/.tasks/_search", recent), index.patience)
    except StoreRequestError as error:
        if error.status != _MISSING:  # else no task has ended yet
            raise DocumentStoreError(
                f"The answer to a change of '{index.name}' by filter was lost, and whether it was made can't be read: {error}"
            ) from error
    else:
        found += [hit["_id"] for hit in ended["hits"]["hits"] if _is_named(hit["_source"].get("task", {}), name)]
    return list(dict.fromkeys(found))


def _is_named(task: dict[str, Any], name: str) -> bool:
    return bool(task.get("headers", {}).get("X-Opaque-Id") == name)


def _finished(index: Index, api: Api, task: str) -> Program[dict[str, Any]]:
    """Return the answer of a task, when it has ended; one that does nothing for too long is cancelled."""
    path, polls = f"/_tasks/{task}", _polls()
    noted: list[Any] = []
    idle, cancelled, done = 0.0, False, 0
    longest = max(index.patience.seconds, _STANDSTILL)
    while True:
        try:
            answer = yield from answered(Ask("GET", path), index.patience)
        except StoreRequestError as error:
            if error.status != _MISSING:
                raise
            raise DocumentStoreError(
                f"A change of '{index.name}' by filter was ended: the node that made it is gone. {done:,} documents or more "
                "are changed. Call it again to change the others."
            ) from error
        status = (answer.get("task") or {}).get("status") or {}
        done = sum(int(status.get(name, 0)) for name in _NOTED[:2])
        if answer.get("completed") and not cancelled:
            if error_of := answer.get("error"):
                raise answer_error({"error": error_of, "status": error_of.get("status", 0)}, index.path(api))
            return answer.get("response") or status
        now = [int(status.get(name, 0)) for name in _NOTED]
        idle, noted = (0.0 if now != noted else idle), now
        if answer.get("completed") or (cancelled and idle > longest):
            remedy = (yield from _blocks_of(index)) or "Is the cluster full?"
            raise StoreUnavailableError(
                f"A change of '{index.name}' by filter did nothing for {longest:g} s and was ended; {done:,} "
                f"documents are changed. {remedy}"
            )
        if idle > longest:
            yield from answered(Ask("POST", f"{path}/_cancel"), index.patience)
            cancelled, idle = True, 0.0
        pause = next(polls)
        idle += pause
        yield Sleep(pause)


def _blocks_of(index: Index) -> Program[str]:
    """Return what to do about the blocks of an index; nothing if there are none."""
    answer = yield from answered(Ask("GET", index.path("_settings/index.blocks.*")), index.patience)
    blocks = [each.get("settings", {}).get("index", {}).get("blocks", {}) for each in answer.values()]
    return setting_remedy(name for each in blocks for name, value in each.items() if str(value) == "true")


def _polls() -> Iterator[float]:
    pause = _FIRST_POLL
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_POLL)
