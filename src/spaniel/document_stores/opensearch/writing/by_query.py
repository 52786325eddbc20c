"""Changes by query: tasks of the server, found again by name if the answer to their start is lost."""

import secrets
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from spaniel.document_stores.opensearch.index import MISSING, Index
from spaniel.document_stores.opensearch.transport.http_request import HttpRequest, send_with_retries
from spaniel.document_stores.opensearch.transport.server_errors import (
    is_transient,
    item_error,
    reason_of,
    remedy_for,
    remedy_for_settings,
)
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.json_types import JsonObject
from spaniel.runtime import Program, Sleep

Api: TypeAlias = Literal["_delete_by_query", "_update_by_query"]

_ACTIONS = {
    "_delete_by_query": "indices:data/write/delete/byquery",
    "_update_by_query": "indices:data/write/update/byquery",
}
_FIRST_POLL, _MAX_POLL = 0.01, 1.0  # seconds
_MIN_IDLE = 5.0  # seconds; a task without progress is never cancelled earlier
_SHOWN = 3  # reasons in a message
_RECENT_TASKS = 200
_CHANGES = ("deleted", "updated")
_PROGRESS = (*_CHANGES, "version_conflicts", "batches", "noops")


@dataclass
class TaskResult:
    """The result of a task: changed documents, conflicts with others, and reported failures."""

    count: int = 0
    conflicts: int = 0
    failures: list[JsonObject] = field(default_factory=list)

    @property
    def is_transient(self) -> bool:
        """True if all failures are transient."""
        return all(is_transient(int(each.get("status", 0)), _type_of(each)) for each in self.failures)

    def add(self, answer: JsonObject) -> None:
        """Add the answer of a task."""
        self.count += sum(int(answer.get(name, 0)) for name in _CHANGES)
        self.conflicts += int(answer.get("version_conflicts", 0))
        self.failures += answer.get("failures", ())


def change_by_query(index: Index, api: Api, body: JsonObject, *, refresh: bool) -> Program[int]:
    """Return the number of documents that a query changed, with retries of those in conflict."""
    pauses, total = index.retry_policy.pauses(), 0
    while True:
        result = yield from _run_task(index, api, body, refresh=refresh)
        total += result.count
        if script := body.get("script"):  # a repeated update skips changed documents
            body = {**body, "script": {**script, "params": {**script["params"], "again": True}}}
        if not result.conflicts and not result.failures:
            return total
        pause = next(pauses, None) if result.is_transient else None
        if pause is None:
            raise _failure(index, result, total)
        yield Sleep(pause)
        yield from index.refresh()


def _failure(index: Index, result: TaskResult, total: int) -> DocumentStoreError:
    start = f"The index '{index.name}' could not be changed by filter: {total:,} documents are changed"
    if not result.failures:
        return DocumentStoreError(
            f"{start}, but {result.conflicts:,} were changed by others at the same time, again and again "
            f"(version_conflict_engine_exception) for {index.retry_policy.seconds:g} s. Call it again when they are done."
        )
    reasons = Counter(f"{_type_of(each)}: {reason_of(_cause(each))}" for each in result.failures)
    shown = "; ".join(reason.rstrip(".") for reason, _ in reasons.most_common(_SHOWN))
    first = result.failures[0]
    remedy = remedy_for(_type_of(first), reason_of(_cause(first)))
    text = f"{start}, {len(result.failures):,} failed: {shown}. {remedy}".rstrip()
    if result.is_transient:
        return StoreUnavailableError(text)
    return StoreRequestError(text, int(first.get("status", 0)), _type_of(first))


def _cause(failure: JsonObject) -> JsonObject:
    cause: JsonObject = failure.get("cause") or failure.get("reason") or {}
    return cause


def _type_of(failure: JsonObject) -> str:
    return str(_cause(failure).get("type", ""))


def _run_task(index: Index, api: Api, body: JsonObject, *, refresh: bool) -> Program[TaskResult]:
    """Run a change once, even if the answer to its start is lost."""
    name = f"spaniel-{secrets.token_hex(12)}"
    params = {
        "wait_for_completion": "false",
        "conflicts": "proceed",
        "refresh": str(refresh).lower(),
        "opaque_id": name,
    }
    request = HttpRequest("POST", index.path(api), body, params, repeatable=False)
    pauses, result = index.retry_policy.pauses(), TaskResult()
    while True:
        try:
            answer = yield from send_with_retries(request, index.retry_policy)
        except StoreUnavailableError as error:
            pause = next(pauses, None)
            if error.refused or pause is None:
                raise
            yield Sleep(pause)
            tasks = yield from _find_tasks(index, api, name)
        else:
            tasks = [str(answer["task"])] if "task" in answer else []
            if not tasks:  # executed within the request
                result.add(answer)
                return result
        for task in tasks:
            result.add((yield from _wait_for(index, api, task)))
        if tasks:
            return result


def _find_tasks(index: Index, api: Api, name: str) -> Program[list[str]]:
    answer = yield from index.send("GET", "/_tasks", params={"actions": _ACTIONS[api], "detailed": "true"})
    nodes = answer.get("nodes", {}).values()
    tasks = [id for node in nodes for id, task in node.get("tasks", {}).items() if _has_name(task, name)]
    recent = {
        "query": {"term": {"task.action": _ACTIONS[api]}},
        "sort": [{"task.start_time_in_millis": "desc"}],
        "size": _RECENT_TASKS,
        "_source": ["task.headers"],
    }
    try:
        yield from index.send("POST", "/.tasks/_refresh")
        completed = yield from index.send("POST", "/.tasks/_search", recent)
    except StoreRequestError as error:
        if error.status != MISSING:  # else no task has ever completed
            raise DocumentStoreError(
                f"The answer to a change of '{index.name}' by filter was lost, and its task can't be read: {error}"
            ) from error
    else:
        tasks += [hit["_id"] for hit in completed["hits"]["hits"] if _has_name(hit["_source"].get("task", {}), name)]
    return list(dict.fromkeys(tasks))


def _has_name(task: JsonObject, name: str) -> bool:
    return bool(task.get("headers", {}).get("X-Opaque-Id") == name)


def _wait_for(index: Index, api: Api, task: str) -> Program[JsonObject]:
    """Return the answer of a task on completion; a task without progress for too long is cancelled."""
    path, pause = f"/_tasks/{task}", _FIRST_POLL
    progress: list[int] = []
    idle, cancelled, done = 0.0, False, 0
    max_idle = max(index.retry_policy.seconds, _MIN_IDLE)
    while True:
        try:
            answer = yield from index.send("GET", path)
        except StoreRequestError as error:
            if error.status != MISSING:
                raise
            raise DocumentStoreError(
                f"A change of '{index.name}' by filter was aborted: its node is gone. At least {done:,} documents "
                "are changed. Call it again to change the others."
            ) from error
        status = (answer.get("task") or {}).get("status") or {}
        done = sum(int(status.get(name, 0)) for name in _CHANGES)
        if answer.get("completed") and not cancelled:
            if error_of := answer.get("error"):
                raise item_error({"error": error_of, "status": error_of.get("status", 0)}, index.path(api))
            return answer.get("response") or status
        current = [int(status.get(name, 0)) for name in _PROGRESS]
        idle, progress = (0.0 if current != progress else idle), current
        if answer.get("completed") or (cancelled and idle > max_idle):
            remedy = (yield from _remedy_for_blocks(index)) or "Is the cluster full?"
            raise StoreUnavailableError(
                f"A change of '{index.name}' by filter made no progress for {max_idle:g} s and was cancelled; {done:,} "
                f"documents are changed. {remedy}"
            )
        if idle > max_idle:
            yield from index.send("POST", f"{path}/_cancel")
            cancelled, idle = True, 0.0
        idle += pause
        yield Sleep(pause)
        pause = min(2 * pause, _MAX_POLL)


def _remedy_for_blocks(index: Index) -> Program[str]:
    answer = yield from index.send("GET", "_settings/index.blocks.*")
    blocks = [each.get("settings", {}).get("index", {}).get("blocks", {}) for each in answer.values()]
    return remedy_for_settings(name for each in blocks for name, value in each.items() if str(value) == "true")
